package cache

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
)

func mustAdd(t *testing.T, c *Cache, pods ...*v1.Pod) {
	t.Helper()
	for _, p := range pods {
		if err := c.AddPod(p); err != nil {
			t.Fatal(err)
		}
	}
}

func mustRemove(t *testing.T, c *Cache, pods ...*v1.Pod) {
	t.Helper()
	for _, p := range pods {
		if err := c.RemovePod(p); err != nil {
			t.Fatal(err)
		}
	}
}

// Shows CACHE-02, CACHE-17 and CACHE-55.
func TestSnapshot_RefreshesInPlace(t *testing.T) {
	c, s := New(), NewSnapshot()
	c.AddNode(mk.Node("n").Obj())
	same(t, "nodes before the first refresh", 0, s.NumNodes())
	list, _ := refreshed(t, c, s).List()
	mustAdd(t, c, mk.Pod("p").CPU("1").Node("n").Obj())
	same(t, "before the refresh", int64(0), list[0].GetRequested().GetMilliCPU())
	refreshed(t, c, s)
	same(t, "the same pointer after it", int64(1000), list[0].GetRequested().GetMilliCPU())
}

// Shows CACHE-20 and CACHE-53.
func TestSnapshot_Get(t *testing.T) {
	c := New()
	mustAdd(t, c, mk.Pod("p").Node("imaginary").Obj())
	c.AddNode(mk.Node("n").Obj())
	s := refreshed(t, c, NewSnapshot())
	info, err := s.NodeInfos().Get("n")
	if err != nil || info.Node().Name != "n" {
		t.Errorf("Get(n) = %v, %v", info, err)
	}
	for _, name := range []string{"nope", "imaginary"} {
		_, err := s.NodeInfos().Get(name)
		same(t, "error", fmt.Sprintf("nodeinfo not found for node name %q", name), errorText(err))
	}
}

// Shows CACHE-18, CACHE-52 and CACHE-65.
func TestUpdateSnapshot_CopiesOnlyChanged(t *testing.T) {
	c, s := New(), NewSnapshot()
	for i := range 1000 {
		c.AddNode(mk.Node(fmt.Sprint("n", i)).Obj())
	}
	same(t, "first refresh", 1000, len(refreshed(t, c, s).Changed()))
	same(t, "nothing changed", 0, len(refreshed(t, c, s).Changed()))
	mustAdd(t, c, mk.Pod("p").Node("n500").Obj())
	same(t, "one node changed", []Change{{"n500", Updated}}, refreshed(t, c, s).Changed())
	allocated := testing.AllocsPerRun(10, func() { refreshed(t, c, s) })
	same(t, "allocations when nothing changed", 0.0, allocated)
}

func TestSnapshot_ChangedOrder(t *testing.T) {
	c, s := New(), NewSnapshot()
	for _, name := range []string{"a", "b", "c", "d"} {
		c.AddNode(mk.Node(name).Obj())
	}
	refreshed(t, c, s)
	for _, name := range []string{"d", "a"} {
		if err := c.RemoveNode(mk.Node(name).Obj()); err != nil {
			t.Fatal(err)
		}
	}
	c.AddNode(mk.Node("e").Obj())
	c.UpdateNode(mk.Node("b").Zone("z").Obj())
	same(t, "newest first, then the removed in the order of the list",
		[]Change{{"b", Updated}, {"e", Added}, {"a", Removed}, {"d", Removed}}, refreshed(t, c, s).Changed())
	same(t, "as text", "updated added removed", fmt.Sprint(Updated, " ", Added, " ", Removed))
}

// Shows CACHE-53 and CACHE-58.
func TestSnapshot_Generation(t *testing.T) {
	c, s := New(), NewSnapshot()
	same(t, "of an empty cache", int64(0), refreshed(t, c, s).Generation())
	c.AddNode(mk.Node("n").Obj())
	same(t, "of one node", int64(1), refreshed(t, c, s).Generation())
	mustAdd(t, c, mk.Pod("p").Node("imaginary").Obj())
	same(t, "of a change that is not shown", int64(2), refreshed(t, c, s).Generation())
	mustRemove(t, c, mk.Pod("p").Node("imaginary").Obj())
	same(t, "when the node changed last is gone", int64(3), refreshed(t, c, s).Generation())
}

// Shows CACHE-59 and CACHE-63.
func TestSnapshot_OrderFollowsNodeTree(t *testing.T) {
	build := func() (*Cache, *Snapshot) {
		c := New()
		c.AddNode(mk.Node("a1").Zone("a").Obj())
		c.AddNode(mk.Node("a2").Zone("a").Obj())
		c.AddNode(mk.Node("b1").Zone("b").Obj())
		return c, refreshed(t, c, NewSnapshot())
	}
	tests := []struct {
		name   string
		change func(*Cache)
		want   []string
	}{
		{"a pod changes no order", func(c *Cache) { mustAdd(t, c, mk.Pod("p").Node("b1").Obj()) }, []string{"a1", "b1", "a2"}},
		{"a node changes its zone", func(c *Cache) { c.UpdateNode(mk.Node("a1").Zone("b").Obj()) }, []string{"a2", "b1", "a1"}},
		{"a node leaves and comes back between two refreshes", func(c *Cache) {
			if err := c.RemoveNode(mk.Node("a1").Obj()); err != nil {
				t.Fatal(err)
			}
			c.AddNode(mk.Node("a1").Zone("a").Obj())
		}, []string{"a2", "b1", "a1"}},
		{"a node leaves", func(c *Cache) {
			if err := c.RemoveNode(mk.Node("a1").Obj()); err != nil {
				t.Fatal(err)
			}
		}, []string{"a2", "b1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, s := build()
			tt.change(c)
			same(t, "list", tt.want, nodeNames(refreshed(t, c, s).List()))
			same(t, "number of nodes", len(tt.want), s.NumNodes())
			same(t, "nodes by name", len(tt.want), len(s.slots))
		})
	}
}

// Shows CACHE-07, CACHE-08 and CACHE-56.
func TestSnapshot_AffinityListOrder(t *testing.T) {
	c, s := New(), NewSnapshot()
	for _, name := range []string{"n1", "n2", "n3"} {
		c.AddNode(mk.Node(name).Obj())
	}
	attract := func(name, node string) *v1.Pod {
		return mk.Pod(name).Node(node).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{}}).Obj()
	}
	prefersApart := mk.Pod("prefers").Node("n2").Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1}},
	}}).Obj()
	needsApart := mk.Pod("needs").Node("n1").Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: "zone"}},
	}}).Obj()
	nodeOnly := mk.Pod("node-affinity").Node("n1").Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}).Obj()
	lists := func(moment string, affine, requiredAnti []string) {
		t.Helper()
		refreshed(t, c, s)
		same(t, moment+": with affinity", affine, nodeNames(s.HavePodsWithAffinityList()))
		same(t, moment+": with required anti-affinity", requiredAnti, nodeNames(s.HavePodsWithRequiredAntiAffinityList()))
	}
	mustAdd(t, c, nodeOnly)
	lists("node affinity is another matter", []string{}, []string{})
	mustAdd(t, c, attract("p3", "n3"))
	lists("an affinity without terms counts", []string{"n3"}, []string{})
	mustAdd(t, c, prefersApart)
	lists("a preference is not a requirement", []string{"n2", "n3"}, []string{})
	mustAdd(t, c, needsApart)
	lists("a requirement is", []string{"n1", "n2", "n3"}, []string{"n1"})
	mustAdd(t, c, attract("p4", "n3"))
	mustRemove(t, c, attract("p3", "n3"))
	lists("one of two is left", []string{"n1", "n2", "n3"}, []string{"n1"})
	mustRemove(t, c, attract("p4", "n3"), needsApart)
	lists("none is left", []string{"n2"}, []string{})
}

// Shows CACHE-13, CACHE-21 and CACHE-57.
func TestSnapshot_IsPVCUsedByPods(t *testing.T) {
	c, s := New(), NewSnapshot()
	c.AddNode(mk.Node("n1").Obj())
	c.AddNode(mk.Node("n2").Obj())
	uses := func(name, node, claim string) *v1.Pod { return mk.Pod(name).Namespace("d").Node(node).PVC(claim).Obj() }
	used := func(moment string, want ...string) {
		t.Helper()
		refreshed(t, c, s)
		got := []string{}
		for _, key := range []string{"d/a", "d/b", "a", "b"} {
			if s.StorageInfos().IsPVCUsedByPods(key) {
				got = append(got, key)
			}
		}
		same(t, moment, want, got)
	}
	mustAdd(t, c, uses("p1", "n1", "a"), uses("p2", "n1", "a"))
	used("a claim is known by namespace and name", "d/a")
	n1, _ := s.Get("n1")
	same(t, "pods per claim", map[string]int{"d/a": 2}, n1.GetPVCRefCounts())
	mustRemove(t, c, uses("p1", "n1", "a"))
	used("one of two pods left", "d/a")
	same(t, "pods per claim", map[string]int{"d/a": 1}, n1.GetPVCRefCounts())
	mustRemove(t, c, uses("p2", "n1", "a"))
	mustAdd(t, c, uses("p3", "n1", "b"))
	used("one claim in the place of another", "d/b")
	mustAdd(t, c, uses("p4", "n2", "b"))
	mustRemove(t, c, uses("p3", "n1", "b"))
	used("another node still uses it", "d/b")
	if err := c.RemoveNode(mk.Node("n2").Obj()); err != nil {
		t.Fatal(err)
	}
	used("what is on an imaginary node is not in use", []string{}...)
}

func TestSnapshot_ImageCountsAreOfCopy(t *testing.T) {
	c, s := New(), NewSnapshot()
	count := func(node string) int {
		info, err := refreshed(t, c, s).Get(node)
		if err != nil {
			t.Fatal(err)
		}
		return info.GetImageStates()["app"].NumNodes
	}
	c.AddNode(mk.Node("n1").Image(1, "app").Obj())
	same(t, "on n1 alone", 1, count("n1"))
	c.AddNode(mk.Node("n2").Image(1, "app").Obj())
	same(t, "n2 knows of both", 2, count("n2"))
	same(t, "n1 did not change and knows of one", 1, count("n1"))
	mustAdd(t, c, mk.Pod("p").Node("n1").Obj())
	same(t, "n1 changed and knows of both", 2, count("n1"))
}

func TestImages_UnchangedShareMap(t *testing.T) {
	c, s := New(), NewSnapshot()
	c.AddNode(mk.Node("n").Image(1, "app").Obj())
	pod := mk.Pod("p").Node("n").Obj()
	refreshed(t, c, s)
	at, _ := s.Get("n")
	before := at.GetImageStates()["app"]
	mustAdd(t, c, pod)
	refreshed(t, c, s)
	if at.GetImageStates()["app"] != before {
		t.Error("the image summary was made anew")
	}
}

// Shows CACHE-62.
func TestUpdateSnapshot_RebuildsAfterLoss(t *testing.T) {
	tests := []struct {
		name   string
		damage func(*Snapshot)
		err    string
	}{
		{
			"the list is too short", func(s *Snapshot) { s.list = s.list[:1] },
			"snapshot state is not consistent, length of NodeInfoList=1 not equal to length of nodes in tree=2 , length of NodeInfoMap=2, length of nodes in cache=2, trying to recover",
		},
		{
			"a node is missing in map and list", func(s *Snapshot) { delete(s.slots, "n1"); s.list = s.list[1:] },
			"snapshot state is not consistent, length of NodeInfoList=1 not equal to length of nodes in tree=2 , length of NodeInfoMap=1, length of nodes in cache=2, trying to recover",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			c.AddNode(mk.Node("n1").Obj())
			c.AddNode(mk.Node("n2").Obj())
			s := refreshed(t, c, NewSnapshot())
			tt.damage(s)
			same(t, "first", tt.err, errorText(c.UpdateSnapshot(s)))
			same(t, "next", "", errorText(c.UpdateSnapshot(s)))
			same(t, "nodes", []string{"n1", "n2"}, nodeNames(s.List()))
			if _, err := s.Get("n1"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every refresh is an error as long as the tree is wrong, and the snapshot has the nodes that the tree lists.
// Shows CACHE-61.
func TestUpdateSnapshot_NodeTreeIsWrong(t *testing.T) {
	const inconsistent = "snapshot state is not consistent, length of NodeInfoList=2 not equal to length of nodes in tree=3 , " +
		"length of NodeInfoMap=2, length of nodes in cache=2, trying to recover"
	for name, damage := range map[string]func(*nodeTree){
		"it counts a node that it does not list": func(tree *nodeTree) { tree.positions["phantom"] = treePosition{tree.zones[0], 99} },
		"it lists a node without an entry":       func(tree *nodeTree) { tree.put("phantom", "") },
	} {
		t.Run(name, func(t *testing.T) {
			c, s := New(), NewSnapshot()
			c.AddNode(mk.Node("n1").Obj())
			c.AddNode(mk.Node("n2").Obj())
			damage(c.nodeTree)
			for range 2 {
				same(t, "error", inconsistent, errorText(c.UpdateSnapshot(s)))
				same(t, "nodes", []string{"n1", "n2"}, nodeNames(s.List()))
			}
			delete(c.nodeTree.positions, "phantom")
			c.nodeTree.zones[0].nodes = c.nodeTree.zones[0].nodes[:2]
			same(t, "nodes of the mended tree", []string{"n1", "n2"}, nodeNames(refreshed(t, c, s).List()))
		})
	}
}

func TestSnapshotOf_PodsAndNodes(t *testing.T) {
	nodes := []*v1.Node{mk.Node("a1").Zone("a").Obj(), mk.Node("a2").Zone("a").Obj(), mk.Node("b1").Zone("b").Obj()}
	pods := []*v1.Pod{
		mk.Pod("p").CPU("1").PVC("v").Node("a2").Obj(),
		mk.Pod("without-uid").UID("").CPU("1").Node("a2").Obj(),
		mk.Pod("nowhere").Obj(),
		mk.Pod("elsewhere").Node("unknown").Obj(),
	}
	s := SnapshotOf(pods, nodes)
	same(t, "nodes", []string{"a1", "b1", "a2"}, nodeNames(s.List()))
	info, err := s.Get("a2")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "pods", []string{"p", "without-uid"}, podNames(info.GetPods()))
	same(t, "cpu", int64(2000), info.GetRequested().GetMilliCPU())
	same(t, "claim in use", true, s.IsPVCUsedByPods("default/v"))
}

func TestSnapshot_Deterministic(t *testing.T) {
	play := func() (all []string) {
		c, s := New(), NewSnapshot()
		for i := range 50 {
			c.AddNode(mk.Node(fmt.Sprint("n", i)).Zone(fmt.Sprint("z", i%7)).Image(1, "app").Obj())
			mustAdd(t, c, mk.Pod(fmt.Sprint("p", i)).Node(fmt.Sprint("n", i/2)).HostPort(int32(i+1)).Obj())
			if i%9 == 0 {
				refreshed(t, c, s)
				all = append(all, fmt.Sprint(s.Changed(), s.Generation()))
			}
		}
		for _, info := range refreshed(t, c, s).list {
			all = append(all, fmt.Sprint(info, info.GetGeneration()))
		}
		return all
	}
	same(t, "second time", play(), play())
}

var _ fwk.SharedLister = (*Snapshot)(nil)

// Every node has a number of its own and keeps it; the number of one that left goes to another, whose generation differs.
func TestSnapshot_PlacesFollowNodes(t *testing.T) {
	c, s := New(), NewSnapshot()
	places := func() map[string]reuse.Place {
		byName := map[string]reuse.Place{}
		list, _ := refreshed(t, c, s).List()
		for i, info := range list {
			byName[info.Node().Name] = s.Places()[i]
			same(t, "generation of "+info.Node().Name, info.GetGeneration(), s.Places()[i].Generation)
			same(t, "position of "+info.Node().Name, i, int(s.Places()[i].Position))
			same(t, "object of "+info.Node().Name, info.Node(), s.NodeObjects()[i])
			same(t, "name of "+info.Node().Name, info.Node().Name, s.NodeNames().At([]int32{int32(i)}).Name(0))
		}
		same(t, "as many places as nodes", len(list), len(s.Places()))
		return byName
	}
	for _, name := range []string{"a", "b", "c"} {
		c.AddNode(mk.Node(name).Zone(name).Obj())
	}
	before := places()
	mustAdd(t, c, mk.Pod("p").Node("b").Obj())
	after := places()
	same(t, "a node that changes keeps its number", before["b"].Number, after["b"].Number)
	if after["b"].Generation == before["b"].Generation {
		t.Error("a pod on a node does not show in its place")
	}
	same(t, "another node", before["c"], after["c"])

	if err := c.RemoveNode(mk.Node("a").Obj()); err != nil {
		t.Fatal(err)
	}
	places()
	c.AddNode(mk.Node("d").Zone("a").Obj())
	later := places()
	same(t, "the number is given to another", before["a"].Number, later["d"].Number)
	if later["d"].Generation == before["a"].Generation {
		t.Error("the new node is taken for the one that left")
	}
	same(t, "numbers", 3, len(s.Amounts()))
}

func TestSnapshot_ChangesSince(t *testing.T) {
	c, s := New(), NewSnapshot()
	for _, name := range []string{"a", "b", "c"} {
		c.AddNode(mk.Node(name).Obj())
	}
	_, first, known := refreshed(t, c, s).ChangesSince(0)
	same(t, "known at first", false, known)
	positions, now, known := s.ChangesSince(first)
	same(t, "nothing changed", true, known && len(positions) == 0 && now == first)

	mustAdd(t, c, mk.Pod("p").Node("b").Obj())
	refreshed(t, c, s)
	mustAdd(t, c, mk.Pod("q").Node("c").Obj())
	positions, later, known := refreshed(t, c, s).ChangesSince(first)
	same(t, "known", true, known)
	same(t, "positions", []int32{1, 2}, positions)
	positions, _, _ = s.ChangesSince(later)
	same(t, "since then", 0, len(positions))

	for i := range 20 {
		mustAdd(t, c, mk.Pod(fmt.Sprint("more", i)).Node("a").Obj())
		refreshed(t, c, s)
	}
	_, last, known := s.ChangesSince(first)
	same(t, "known after many changes", false, known)
	for _, name := range []string{"d", "e", "f"} {
		c.AddNode(mk.Node(name).Obj())
	}
	positions, now, known = refreshed(t, c, s).ChangesSince(last)
	same(t, "known after nodes came", true, known)
	same(t, "their positions", []int32{3, 4, 5}, positions)
	if err := c.RemoveNode(mk.Node("e").Obj()); err != nil {
		t.Fatal(err)
	}
	positions, now, known = refreshed(t, c, s).ChangesSince(now)
	same(t, "known after a node left", true, known)
	same(t, "its position and the last", []int32{4, 5}, positions)
	if err := c.RemoveNode(mk.Node("a").Obj()); err != nil {
		t.Fatal(err)
	}
	_, _, known = refreshed(t, c, s).ChangesSince(now)
	same(t, "known after all nodes moved", false, known)
}

// A reader that looks at the changed positions alone knows every node's place.
func TestSnapshot_ReadersFollowOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, m, s := New(), newModel(), NewSnapshot()
		var mark uint64
		var known []reuse.Place
		for range rapid.IntRange(1, 40).Draw(t, "refreshes") {
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				applyRandom(t, c, m)
			}
			if err := c.UpdateSnapshot(s); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "skipped") {
				continue
			}
			positions, now, all := s.ChangesSince(mark)
			mark, known = now, append(known, make([]reuse.Place, len(s.Places()))...)[:len(s.Places())]
			if !all {
				copy(known, s.Places())
			}
			for _, at := range positions {
				if int(at) < len(known) {
					known[at] = s.Places()[at]
				}
			}
			if !slices.Equal(s.Places(), known) {
				t.Fatalf("the places are %v, a reader of the changes knows %v", s.Places(), known)
			}
		}
	})
}
