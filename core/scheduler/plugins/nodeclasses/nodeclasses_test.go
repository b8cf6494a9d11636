package nodeclasses_test

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/plugins/nodeclasses"
	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// described are the nodes of a cluster with a label, and with what is said of each elsewhere.
type described struct {
	cache     *cache.Cache
	snapshot  *cache.Snapshot
	nodes     map[string]string
	elsewhere map[string]string
}

func newDescribed() *described {
	return &described{cache.New(), cache.NewSnapshot(), map[string]string{}, map[string]string{}}
}

func (d *described) handle() fwk.Handle { return plugintest.Handle{Nodes: d.snapshot} }

func (d *described) describe(node fwk.NodeInfo, to reuse.Signature) (string, reuse.Signature) {
	what := node.Node().Labels["color"] + d.elsewhere[node.Node().Name]
	return what, to.Text(what)
}

// change adds, changes or removes a node, or changes what is said of it elsewhere.
func (d *described) change(t *rapid.T, c *nodeclasses.Classes[string]) {
	name := fmt.Sprint("n", rapid.IntRange(0, 80).Draw(t, "node"))
	color := rapid.SampledFrom([]string{"red", "green", "blue"}).Draw(t, "color")
	node := func(color string) *v1.Node { return mk.Node(name).Label("color", color).Obj() }
	before, there := d.nodes[name]
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
		d.elsewhere[name] = color
		c.Forget(name)
	case 1:
		if there {
			_ = d.cache.RemoveNode(node(before))
			delete(d.nodes, name)
		}
	default:
		if there {
			d.cache.UpdateNode(node(color))
		} else {
			d.cache.AddNode(node(color))
		}
		d.nodes[name] = color
	}
}

// Whatever changes, each node is in the class that it is described by, and a class has what is common to its nodes.
func TestClasses_FollowTheSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDescribed()
		c := nodeclasses.New(d.handle(), d.describe)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			for range rapid.IntRange(0, 30).Draw(t, "changes") {
				d.change(t, c)
			}
			if rapid.IntRange(0, 20).Draw(t, "forget all") == 0 {
				c.ForgetAll()
			}
			if err := d.cache.UpdateSnapshot(d.snapshot); err != nil {
				t.Fatal(err)
			}
			checkClasses(t, d, c)
		}
	})
}

// checkClasses has every class rejected for what its nodes have in common.
func checkClasses(t *rapid.T, d *described, c *nodeclasses.Classes[string]) {
	if !c.Follow() {
		t.Fatal("the snapshot has no list")
	}
	rejections := map[string]*fwk.Status{}
	v, ok := c.Evaluate(func(what string) (*fwk.Status, bool) {
		rejections[what] = fwk.NewStatus(fwk.Unschedulable, what)
		return rejections[what], true
	})
	if !ok {
		t.Fatal("the classes are not evaluated")
	}
	list, _ := d.snapshot.List()
	for i, node := range list {
		want, _ := d.describe(node, nil)
		if got := v.Rejections[v.Verdicts[v.Classes.Of(i)]-1]; got != rejections[want] {
			t.Fatalf("%s is %q, and its class %q", node.Node().Name, want, got.Message())
		}
	}
}

// No reader may ever follow, as where nothing is reused, and the same node may be forgotten over and over.
func TestForget_RemembersNoMoreThanThereAreNodes(t *testing.T) {
	d := newDescribed()
	const nodes = 3
	for i := range nodes {
		d.cache.AddNode(mk.Node(fmt.Sprint("n", i)).Obj())
	}
	if err := d.cache.UpdateSnapshot(d.snapshot); err != nil {
		t.Fatal(err)
	}
	c := nodeclasses.New(d.handle(), d.describe)
	for _, most := range []int{0, nodes} {
		for range 100 {
			if c.Forget("n1"); c.Forgotten() > most {
				t.Fatalf("%d nodes are remembered, want %d at most", c.Forgotten(), most)
			}
		}
		c.Follow()
	}
}

func TestClasses_Evaluate(t *testing.T) {
	d := newDescribed()
	for i := range 300 {
		d.cache.AddNode(mk.Node(fmt.Sprint("n", i)).Label("color", fmt.Sprint(i%260)).Obj())
	}
	if err := d.cache.UpdateSnapshot(d.snapshot); err != nil {
		t.Fatal(err)
	}
	no := fwk.NewStatus(fwk.Unschedulable, "no")
	for name, tc := range map[string]struct {
		evaluate func(string) (*fwk.Status, bool)
		ok       bool
		kinds    int
	}{
		"all pass":                         {func(string) (*fwk.Status, bool) { return nil, true }, true, 0},
		"a success that says something":    {func(string) (*fwk.Status, bool) { return fwk.NewStatus(fwk.Success, "yes"), true }, true, 0},
		"one rejection of many classes":    {func(string) (*fwk.Status, bool) { return no, true }, true, 1},
		"a class that cannot be evaluated": {func(what string) (*fwk.Status, bool) { return nil, what != "7" }, false, 0},
		"an error":                         {func(string) (*fwk.Status, bool) { return fwk.NewStatus(fwk.Error, "broken"), true }, false, 0},
		"more rejections than numbers":     {func(what string) (*fwk.Status, bool) { return fwk.NewStatus(fwk.Unschedulable, what), true }, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := nodeclasses.New(d.handle(), d.describe)
			c.Follow()
			v, ok := c.Evaluate(tc.evaluate)
			if ok != tc.ok || len(v.Rejections) != tc.kinds {
				t.Errorf("%v with %d rejections, want %v with %d", ok, len(v.Rejections), tc.ok, tc.kinds)
			}
			if rejected := slices.ContainsFunc(v.Verdicts, func(n uint8) bool { return n > 0 }); rejected != (tc.kinds > 0) {
				t.Errorf("nodes are rejected: %v", rejected)
			}
		})
	}
}

// A snapshot that does not say what changes, as kube-scheduler's, has no classes.
func TestNew_NeedsChanges(t *testing.T) {
	d := newDescribed()
	for name, h := range map[string]fwk.Handle{"no snapshot": plugintest.Handle{}, "a list": plugintest.Handle{Nodes: listOnly{d.snapshot}}} {
		if nodeclasses.New(h, d.describe) != nil {
			t.Errorf("with %s there are classes", name)
		}
	}
}

// listOnly is a snapshot without changes.
type listOnly struct{ fwk.SharedLister }

func (l listOnly) NodeInfos() fwk.NodeInfoLister { return onlyNodes{l.SharedLister.NodeInfos()} }

type onlyNodes struct{ fwk.NodeInfoLister }
