package cache

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
)

// treeOf puts names into zones, written "zone:name".
func treeOf(members ...[2]string) *nodeTree {
	t := newNodeTree()
	for _, m := range members {
		t.put(m[1], m[0])
	}
	return t
}

// Shows TREE-02, TREE-04, TREE-07, TREE-08, TREE-09, TREE-11, TREE-12, PERF-13, C-1 and C-2.
func TestNodeTree_RoundRobin(t *testing.T) {
	tests := []struct {
		name string
		tree *nodeTree
		want []string
	}{
		{"no nodes, no list", treeOf(), nil},
		{"one zone keeps the order of arrival", treeOf([2]string{"", "c"}, [2]string{"", "a"}, [2]string{"", "b"}), []string{"c", "a", "b"}},
		{"zones A of 2, B of 3 and C of 1", treeOf(
			[2]string{"A", "A1"}, [2]string{"A", "A2"}, [2]string{"B", "B1"}, [2]string{"B", "B2"}, [2]string{"B", "B3"}, [2]string{"C", "C1"},
		), []string{"A1", "B1", "C1", "A2", "B2", "B3"}},
		{"zone 1 of 4 and zone 2 of 2", treeOf(
			[2]string{"1", "1"}, [2]string{"1", "2"}, [2]string{"1", "3"}, [2]string{"1", "4"}, [2]string{"2", "5"}, [2]string{"2", "6"},
		), []string{"1", "5", "2", "6", "3", "4"}},
		{"zones of 1, 1 and 5 run out one after the other", treeOf(
			[2]string{"a", "a1"}, [2]string{"b", "b1"}, [2]string{"c", "c1"}, [2]string{"c", "c2"}, [2]string{"c", "c3"}, [2]string{"c", "c4"}, [2]string{"c", "c5"},
		), []string{"a1", "b1", "c1", "c2", "c3", "c4", "c5"}},
		{"zones stand in the order in which they were first seen", treeOf([2]string{"z", "z1"}, [2]string{"a", "a1"}, [2]string{"z", "z2"}), []string{"z1", "a1", "z2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 {
				got, err := tt.tree.list()
				if err != nil {
					t.Fatal(err)
				}
				same(t, "list", tt.want, got)
			}
		})
	}
}

// Shows TREE-01, TREE-05, TREE-06 and TREE-13.
func TestNodeTree_AddRemove(t *testing.T) {
	abc := func() *nodeTree {
		return treeOf([2]string{"A", "A1"}, [2]string{"A", "A2"}, [2]string{"B", "B1"}, [2]string{"C", "C1"})
	}
	tests := []struct {
		name string
		do   func(*nodeTree) error
		want []string
		err  string
	}{
		{"a second arrival in the same zone changes nothing", func(t *nodeTree) error { t.put("A1", "A"); return nil }, []string{"A1", "B1", "C1", "A2"}, ""},
		{"a node that changes zone stands last in the new one", func(t *nodeTree) error { t.put("A1", "B"); return nil }, []string{"A2", "B1", "C1", "A1"}, ""},
		{"a removed node makes the rest of its zone move up", func(t *nodeTree) error { return t.remove("A1", "A") }, []string{"A2", "B1", "C1"}, ""},
		{"a zone without nodes is forgotten and comes back last", func(t *nodeTree) error {
			err := t.remove("B1", "B")
			t.put("B1", "B")
			return err
		}, []string{"A1", "C1", "B1", "A2"}, ""},
		{"an unknown node cannot be removed", func(t *nodeTree) error { return t.remove("X", "A") }, []string{"A1", "B1", "C1", "A2"}, `node "X" in group "A" was not found`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := abc()
			same(t, "error", tt.err, errorText(tt.do(tree)))
			got, _ := tree.list()
			same(t, "list", tt.want, got)
			same(t, "count", len(tt.want), tree.len())
		})
	}
}

// Shows TREE-10.
func TestNodeTree_LostCount(t *testing.T) {
	tree := treeOf([2]string{"A", "A1"}, [2]string{"A", "A2"}, [2]string{"B", "B1"})
	tree.positions["phantom"] = treePosition{tree.zones[0], 99}
	names, err := tree.list()
	same(t, "names", []string{"A1", "B1", "A2"}, names)
	same(t, "error", "all zones exhausted before reaching count of nodes expected", errorText(err))
}

// Shows TREE-02.
func TestZoneKey_OfNode(t *testing.T) {
	tests := []struct {
		name string
		node *v1.Node
		want string
	}{
		{"no labels, no zone", mk.Node("n").Obj(), ""},
		{"a zone alone", mk.Node("n").Zone("z").Obj(), ":\x00:z"},
		{"a region alone", mk.Node("n").Region("r").Obj(), "r:\x00:"},
		{"region and zone together, as zone names repeat", mk.Node("n").Region("r").Zone("z").Obj(), "r:\x00:z"},
		{"the older labels win", mk.Node("n").Region("r").Zone("z").Label(v1.LabelFailureDomainBetaZone, "old").Obj(), "r:\x00:old"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, "zone", tt.want, zoneKey(tt.node)) })
	}
}

// Shows TREE-01 and TREE-03.
func TestZones_Order(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n1").Region("r1").Zone("z").Obj())
	c.AddNode(mk.Node("n2").Region("r2").Zone("z").Obj())
	c.AddNode(mk.Node("n3").Obj())
	c.AddNode(mk.Node("n4").Region("r1").Zone("z").Obj())
	same(t, "zones", []Zone{
		{Region: "r1", Name: "z", Nodes: []string{"n1", "n4"}},
		{Region: "r2", Name: "z", Nodes: []string{"n2"}},
		{Nodes: []string{"n3"}},
	}, c.Zones())
	same(t, "sizes", []ZoneSize{{"r1", "z", 2}, {"r2", "z", 1}, {"", "", 1}}, c.ZoneSizes())
}
