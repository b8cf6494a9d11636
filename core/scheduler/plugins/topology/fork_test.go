package topology

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
)

// fork returns a copy of the world, which goes its own way.
func (w *world) fork() *world {
	return &world{cache: w.cache.Fork(), snapshot: w.snapshot.Fork(), nodes: slices.Clone(w.nodes), pods: slices.Clone(w.pods), made: w.made}
}

// checkCounts compares what new counts find in an index with a count from scratch.
func (w *world) checkCounts(t *rapid.T, index *PodIndex) {
	w.refresh(t)
	nodes, _ := w.snapshot.List()
	index.Sync(nodes)
	counts, rules := redCounts(index)
	if diff := gocmp.Diff(counted(w.nodes, w.pods, "red"), count(counts, rules, zones)); diff != "" {
		t.Fatalf("counts (-want +got):\n%s", diff)
	}
}

// Indexes that were forked from each other, of worlds that go different ways, count as if each had been alone.
func TestPodIndex_ForksAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type alone struct {
			*world
			index *PodIndex
		}
		first := newWorld()
		all := []alone{{first, NewPodIndex(testClassifier, first.snapshot)}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			one := rapid.SampledFrom(all).Draw(t, "world")
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				one.change(t)
			}
			one.checkCounts(t, one.index)
			if len(all) < 4 && rapid.IntRange(0, 3).Draw(t, "fork") == 0 {
				twin := one.fork()
				index := NewPodIndex(testClassifier, twin.snapshot)
				index.ForkFrom(one.index)
				all = append(all, alone{twin, index})
			}
		}
		for _, one := range all {
			one.checkCounts(t, one.index)
		}
	})
}

// Classes that are numbered anew in one index keep their numbers in its fork.
func TestPodIndex_RenumbersAlone(t *testing.T) {
	changed, same := someZoned("changed", "a"), someZoned("same", "a")
	var pods []*v1.Pod
	for i := range 3000 {
		pods = append(pods, mk.Pod(fmt.Sprint("p", i)).Label("number", fmt.Sprint(i)).Node(changed.Name).Obj())
	}
	pods = append(pods, redPod(1, same.Name))
	nodes := snapshotOf(pods, changed, same)
	index := NewPodIndex(testClassifier, nil)
	index.Sync(nodes)
	fork := NewPodIndex(testClassifier, nil)
	fork.ForkFrom(index)
	index.Sync([]fwk.NodeInfo{snapshotOf(nil, changed)[0], nodes[1]})
	if index.labelClasses.numbering == fork.labelClasses.numbering {
		t.Fatal("classes were not numbered anew")
	}
	for name, r := range map[string]*PodIndex{"index": index, "fork": fork} {
		counts, rules := redCounts(r)
		if got := count(counts, rules, []string{"a"}); got["colour in a"] != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A fork reads no pod again.
func TestPodIndex_ForkReadsNothingAgain(t *testing.T) {
	w := newWorld()
	for i := range 3 {
		node := someZoned(fmt.Sprint("n", i), "a")
		w.cache.AddNode(node)
		if err := w.cache.AddPod(redPod(i, node.Name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
		t.Fatal(err)
	}
	index := NewPodIndex(testClassifier, w.snapshot)
	nodes, _ := w.snapshot.List()
	index.Sync(nodes)

	twin := w.fork()
	reads := 0
	counting := testClassifier
	counting.Labels = func(pod fwk.PodInfo, to reuse.Signature) reuse.Signature {
		reads++
		return testClassifier.Labels(pod, to)
	}
	fork := NewPodIndex(counting, twin.snapshot)
	fork.ForkFrom(index)
	if err := twin.cache.AddPod(redPod(7, "n1")); err != nil {
		t.Fatal(err)
	}
	if err := twin.cache.UpdateSnapshot(twin.snapshot); err != nil {
		t.Fatal(err)
	}
	nodes, _ = twin.snapshot.List()
	fork.Sync(nodes)
	if reads != 1 {
		t.Errorf("the fork reads %d pods, not the new one", reads)
	}
}
