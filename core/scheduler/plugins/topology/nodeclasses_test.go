package topology

import (
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"
)

// After any changes, classes say of each node what is said of it by its name and labels.
func TestNodeClasses_AgreeWithSingleNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		index := NewPodIndex(testClassifier, w.snapshot)
		counts := NewDomainCounts(index, &colourRules{colour: "red", terms: map[string]int{}}, Options{})
		for _, kind := range []AxisKind{PerValue, PerValueOrEmpty, PerNode} {
			counts.Axis("zone", kind)
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				w.change(t)
			}
			if len(w.nodes) == 0 {
				continue
			}
			w.refresh(t)
			nodes, _ := w.snapshot.List()
			index.Sync(nodes)
			counts.Refresh()
			if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
				continue
			}
			classes, ok := counts.NodeClasses(index.Revision())
			if !ok {
				t.Fatal("there are no classes of the nodes of a snapshot")
			}
			for axis := range counts.axes {
				view := counts.View(axis)
				compareNodes(t, classes, &view, nodes)
			}
		}
	})
}

func compareNodes(t *rapid.T, classes *NodeClasses, v *AxisView, nodes []fwk.NodeInfo) {
	alone, counting := map[int32]int{}, map[int32]int{}
	for position, info := range nodes {
		node, class := info.Node(), classes.Of(position)
		slot := classes.counts.index.SlotOf(node)
		domain, has := v.DomainOf(node, slot)
		want := v.Sum(domain)
		if v.kind == PerNode {
			want = v.Sum(slot)
		}
		if got, gotHas := classes.Sum(class, v); gotHas != has || has && got != want {
			t.Fatalf("%s has the sum %d: %v, its class %d: %v", node.Name, want, has, got, gotHas)
		}
		if v.kind == PerNode {
			continue
		}
		counting[v.CountingDomain(node, slot)]++
		if got, shared := classes.CountingDomain(class, v); !shared {
			alone[v.CountingDomain(node, slot)]++
		} else if got != v.CountingDomain(node, slot) {
			t.Fatalf("%s counts in domain %d, its class in %d", node.Name, v.CountingDomain(node, slot), got)
		}
	}
	for domain := range alone {
		if counting[domain] > 1 {
			t.Fatalf("%d nodes are in domain %d, and counted as alone in theirs", counting[domain], domain)
		}
	}
}

// Nodes with host names of their own are as many classes as there are sums, and not as there are nodes.
func TestNodeClasses_AreFewForHostNames(t *testing.T) {
	w := newWorld()
	for i := range 40 {
		w.cache.AddNode(someZoned(string(rune('A'+i)), string(rune('A'+i))))
	}
	if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
		t.Fatal(err)
	}
	index := NewPodIndex(testClassifier, w.snapshot)
	nodes, _ := w.snapshot.List()
	index.Sync(nodes)
	counts, _ := redCounts(index)
	counts.Refresh()
	classes, ok := counts.NodeClasses(index.Revision())
	if !ok || classes.Len() != 1 {
		t.Errorf("nodes without pods are %d classes", classes.Len())
	}
}

// The classes are those of the last Sync, so there are none once the snapshot has changed, or for other lists.
func TestNodeClasses_OnlyOfSyncedSnapshot(t *testing.T) {
	w := newWorld()
	node := someZoned("n", "a")
	w.cache.AddNode(node)
	refresh := func() []fwk.NodeInfo {
		if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
			t.Fatal(err)
		}
		nodes, _ := w.snapshot.List()
		return nodes
	}
	index := NewPodIndex(testClassifier, w.snapshot)
	counts, _ := redCounts(index)
	check := func(when string, want bool) {
		t.Helper()
		if _, got := counts.NodeClasses(index.Revision()); got != want {
			t.Errorf("%s: there are classes: %v", when, got)
		}
	}
	sync := func(nodes []fwk.NodeInfo) {
		index.Sync(nodes)
		counts.Refresh()
	}
	check("before the first Sync", false)
	sync(refresh())
	check("after Sync", true)
	w.cache.UpdateNode(someZoned("n", "b"))
	nodes := refresh()
	check("after a node changed", false)
	sync(nodes)
	check("after Sync of that", true)
	w.cache.AddNode(someZoned("m", "b"))
	nodes = refresh()
	check("after a node came", false)
	sync(nodes)
	check("after Sync of both", true)
	sync(slices.Clone(nodes))
	check("after Sync of another list", false)
}
