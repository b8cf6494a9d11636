package reuse

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"
)

// versionedNode is a node with a generation.
type versionedNode struct {
	fwk.NodeInfo
	generation int64
}

func (n *versionedNode) GetGeneration() int64 { return n.generation }

func TestResults_HoldForGenerationAndNominatedPods(t *testing.T) {
	a, b := &v1.Pod{}, &v1.Pod{}
	node := &versionedNode{generation: 7}
	results := NewResultStore(1<<20).Find(sign("web"), 10)
	results.Keep(node, []*v1.Pod{a}, "fits", 0)
	for _, tt := range []struct {
		name       string
		node       *versionedNode
		generation int64
		nominated  []*v1.Pod
		want       any
	}{
		{"the node as it was", node, 7, []*v1.Pod{a}, "fits"},
		{"another node", &versionedNode{}, 7, []*v1.Pod{a}, nil},
		{"the node has changed", node, 8, []*v1.Pod{a}, nil},
		{"no pod is nominated any more", node, 7, nil, nil},
		{"another pod is nominated", node, 7, []*v1.Pod{b}, nil},
		{"one more pod is nominated", node, 7, []*v1.Pod{a, b}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.node.generation = tt.generation
			if got := results.Find(tt.node, tt.nominated); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A node that was changed outside of a cache has a generation that it may have had before.
func TestResults_KeepNothingOfChangedCopies(t *testing.T) {
	node := &versionedNode{generation: -1}
	results := NewResultStore(1<<20).Find(sign("web"), 10)
	results.Keep(node, nil, "fits", 0)
	if got := results.Find(node, nil); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestResultStore_SignaturesAreApart(t *testing.T) {
	store := NewResultStore(1 << 20)
	node := &versionedNode{generation: 1}
	store.Find(sign("web"), 10).Keep(node, nil, "fits", 0)
	if got := store.Find(sign("db"), 10).Find(node, nil); got != nil {
		t.Errorf("another signature gets %v", got)
	}
	if got := store.Find(sign("web"), 10).Find(node, nil); got != "fits" {
		t.Errorf("the same signature gets %v", got)
	}
}

// The bytes are the sum of those of the signatures, and within the limit as long as more than the one in use is there. Results of
// nodes that left do not add up.
func TestResultStore_StaysWithinLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit, nodes = 20_000, 20
		store := NewResultStore(limit)
		var all [1000]versionedNode // most of them have left
		for range rapid.IntRange(1, 12).Draw(t, "pods") {
			inUse := store.Find(sign(rapid.StringN(1, 1, 1).Draw(t, "signature")), nodes)
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(all)-1), 0, 30).Draw(t, "nodes") {
				all[n].generation = 1
				inUse.Keep(&all[n], nil, "fits", n)
			}
			sum := 0
			for _, r := range store.bySignature {
				sum += r.size
				if len(r.Value.byNode) > 2*nodes+30 {
					t.Fatalf("%d results of %d nodes", len(r.Value.byNode), nodes)
				}
			}
			got := store.Stats()
			if got.Bytes != sum || got.Tables != len(store.bySignature) {
				t.Fatalf("counted %+v, there are %d signatures of %d bytes", got, len(store.bySignature), sum)
			}
			if len(store.bySignature) > 1 && sum > limit {
				t.Fatalf("%d signatures take %d bytes, the limit is %d", len(store.bySignature), sum, limit)
			}
		}
	})
}
