package cache

import (
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
)

// Shows CACHE-05, CACHE-35, CACHE-49, CACHE-50 and CACHE-51.
func TestRemoveNode_KeepsImaginaryNodeUntilLastPod(t *testing.T) {
	c, s := New(), NewSnapshot()
	node := mk.Node("n").Obj()
	p1, p2 := mk.Pod("p1").Node("n").Obj(), mk.Pod("p2").Node("n").Obj()
	shows := func(moment string, nodes []string, entries, pods int) {
		t.Helper()
		refreshed(t, c, s)
		same(t, moment+": nodes in the snapshot", nodes, nodeNames(s.List()))
		same(t, moment+": entries", entries, c.NodeCount())
		same(t, moment+": pods", pods, c.PodCount())
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", moment, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c.AddNode(node)
	must(c.AddPod(p1))
	must(c.AddPod(p2))
	shows("at first", []string{"n"}, 1, 2)
	must(c.RemoveNode(node))
	shows("node gone", []string{}, 1, 2)
	must(c.RemovePod(p1))
	shows("one pod gone", []string{}, 1, 1)

	imaginary := c.Fork()
	must(c.RemovePod(p2))
	shows("both pods gone", []string{}, 0, 0)

	back := imaginary.AddNode(node)
	same(t, "pods of the node that came back", []string{"p2"}, podNames(back.GetPods()))
}

// Shows CACHE-08, CACHE-28, CACHE-48 and CACHE-51.
func TestAddNode_HasEarlierPods(t *testing.T) {
	for name, arrive := range map[string]func(*Cache) *NodeInfo{
		"added":   func(c *Cache) *NodeInfo { return c.AddNode(mk.Node("n").Obj()) },
		"updated": func(c *Cache) *NodeInfo { return c.UpdateNode(mk.Node("n").Obj()) },
	} {
		t.Run(name, func(t *testing.T) {
			c := New()
			if err := assumePod(c, mk.Pod("p").CPU("1").Node("n").Obj()); err != nil {
				t.Fatal(err)
			}
			same(t, "snapshot without the node", []string{}, nodeNames(refreshed(t, c, NewSnapshot()).List()))
			same(t, "cpu on the node", int64(1000), arrive(c).GetRequested().GetMilliCPU())
			same(t, "snapshot with the node", []string{"n"}, nodeNames(refreshed(t, c, NewSnapshot()).List()))
		})
	}
}

// Shows CACHE-49 and TREE-13.
func TestRemoveNode_Unknown(t *testing.T) {
	c := New()
	same(t, "unknown", "node n is not found", errorText(c.RemoveNode(mk.Node("n").Obj())))
	if err := c.AddPod(mk.Pod("p").Node("n").Obj()); err != nil {
		t.Fatal(err)
	}
	same(t, "known by its pods only", "node \"n\" in group \":\\x00:z\" was not found", errorText(c.RemoveNode(mk.Node("n").Zone("z").Obj())))
}

// Shows CACHE-47.
func TestAddNode_ReturnsCopy(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n").Obj()).AddPod(mk.Pod("p").Node("n").Obj())
	same(t, "pods in the cache", 0, c.PodCount())
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

func TestAddNode_AgainInOtherZone(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n").Zone("a").Obj())
	c.AddNode(mk.Node("n").Zone("b").Obj())
	same(t, "zones", []Zone{{Name: "b", Nodes: []string{"n"}}}, c.Zones())
}

// Shows CACHE-22, CACHE-23, CACHE-48 and CACHE-68.
func TestChangeList_NewestFirst(t *testing.T) {
	touch := func(c *Cache, names ...string) {
		for _, name := range names {
			c.UpdateNode(mk.Node(name).Obj())
		}
	}
	tests := []struct {
		name    string
		touched []string
		want    []string
	}{
		{"one node", []string{"n1"}, []string{"n1"}},
		{"newest first", []string{"n1", "n2", "n3"}, []string{"n3", "n2", "n1"}},
		{"the last moves to the front", []string{"n1", "n2", "n3", "n1"}, []string{"n1", "n3", "n2"}},
		{"one in the middle moves to the front", []string{"n1", "n2", "n3", "n2"}, []string{"n2", "n3", "n1"}},
		{"the first stays", []string{"n1", "n2", "n3", "n3"}, []string{"n3", "n2", "n1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			touch(c, tt.touched...)
			same(t, "order", tt.want, recent(c))
			if err := c.Check(); err != nil {
				t.Error(err)
			}
			last := c.Generation() + 1
			for info := range c.RecentlyChanged() {
				if info.GetGeneration() >= last {
					t.Errorf("generation %d does not come after %d", info.GetGeneration(), last)
				}
				last = info.GetGeneration()
			}
		})
	}
}

// Shows CACHE-14 and CACHE-15.
func TestCache_EveryChangeHasNewGeneration(t *testing.T) {
	c := New()
	for i := range 3 { // two caches in one process do not disturb each other
		New().AddNode(mk.Node("other").Obj())
		same(t, "generation", int64(i+1), c.AddNode(mk.Node("n").Obj()).GetGeneration())
	}
	if err := c.AddPod(mk.Pod("p").Node("m").Obj()); err != nil {
		t.Fatal(err)
	}
	same(t, "generation of the other node", int64(4), c.newest.info.GetGeneration())
}

// Shows CACHE-07, CACHE-12, CACHE-26, CACHE-49 and CACHE-69.
func TestImages_CountedOverAllNodes(t *testing.T) {
	type images = map[string]fwk.ImageStateSummary
	c := New()
	on := func(name string) images {
		for info := range c.RecentlyChanged() {
			if info.node != nil && info.node.Name == name {
				return stateOf(info).Images
			}
		}
		return nil
	}
	c.AddNode(mk.Node("n1").Image(10, "app", "app:1").Image(10, "app").Obj())
	c.AddNode(mk.Node("n2").Image(99, "app").Obj())
	same(t, "the first size stays; a name counts once per node",
		images{"app": {Size: 10, NumNodes: 2}, "app:1": {Size: 10, NumNodes: 1}}, on("n1"))

	if err := c.RemoveNode(mk.Node("n1").Obj()); err != nil {
		t.Fatal(err)
	}
	same(t, "the size outlives the node it came from", images{"app": {Size: 10, NumNodes: 1}}, on("n2"))
	c.UpdateNode(mk.Node("n2").Image(99, "app").Obj())
	same(t, "until the last node reports anew", images{"app": {Size: 99, NumNodes: 1}}, on("n2"))
	c.UpdateNode(mk.Node("n2").Obj())
	same(t, "no node, no image", 0, len(c.images.states))
}
