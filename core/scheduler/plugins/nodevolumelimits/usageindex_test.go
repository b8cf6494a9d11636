package nodevolumelimits_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

// changing is a cluster that changes at random, few names over and over.
type changing struct {
	store    *store.Store
	cache    *cache.Cache
	snapshot *cache.Snapshot
	pods     []*v1.Pod
	made     int
}

func newChanging() *changing {
	return &changing{store: store.New(), cache: cache.New(), snapshot: cache.NewSnapshot()}
}

var (
	someNames   = []string{"a", "b", "c"}
	someNodes   = []string{"n1", "n2", "n3"}
	someDrivers = []string{csi, ebs, "pxd.portworx.com"}
)

func pick(t *rapid.T, from []string) string { return rapid.SampledFrom(from).Draw(t, "pick") }

func (c *changing) apply(t *rapid.T, object world.Object) {
	held := c.store.Object(world.KindOf(object), object.GetNamespace(), object.GetName())
	op := world.Modified
	switch {
	case held == nil:
		op = world.Added
	case rapid.Bool().Draw(t, "delete"):
		op = world.Deleted
	}
	plugintest.Apply(t, c.store, op, object)
}

// change changes, adds or deletes one object, or the pods or existence of a node.
func (c *changing) change(t *rapid.T) {
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		b := mk.Claim(pick(t, someNames)).Class(pick(t, someNames))
		if rapid.Bool().Draw(t, "bound") {
			b.Bound(pick(t, someNames))
		}
		c.apply(t, b.Obj())
	case 1:
		b := mk.Volume(pick(t, someNames)).CSI(pick(t, someDrivers), pick(t, someNames))
		if rapid.Bool().Draw(t, "in-tree") {
			b.Source(v1.PersistentVolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: pick(t, someNames)}})
		}
		c.apply(t, b.Obj())
	case 2:
		b := mk.CSINode(pick(t, someNodes))
		for _, driver := range someDrivers {
			b.Limit(driver, rapid.Int32Range(0, 3).Draw(t, "limit"))
		}
		if rapid.Bool().Draw(t, "migrated") {
			b.Migrated(portworx)
		}
		c.apply(t, b.Obj())
	case 3:
		c.apply(t, mk.Class(pick(t, someNames), pick(t, append(someDrivers, portworx))).Obj())
	case 4:
		c.apply(t, mk.Attachment(pick(t, someNames), pick(t, someNodes), pick(t, someDrivers), pick(t, someNames)))
	case 5:
		c.changeNode(t, pick(t, someNodes))
	default:
		c.changePods(t)
	}
}

func (c *changing) changeNode(t *rapid.T, name string) {
	if !slices.ContainsFunc(c.nodes(), func(n fwk.NodeInfo) bool { return n.Node().Name == name }) {
		c.cache.AddNode(mk.Node(name).Obj())
	} else if err := c.cache.RemoveNode(mk.Node(name).Obj()); err != nil {
		t.Fatal(err)
	}
}

func (c *changing) changePods(t *rapid.T) {
	if len(c.pods) > 0 && rapid.Bool().Draw(t, "delete") {
		i := rapid.IntRange(0, len(c.pods)-1).Draw(t, "pod")
		if err := c.cache.RemovePod(c.pods[i]); err != nil {
			t.Fatal(err)
		}
		c.pods = slices.Delete(c.pods, i, i+1)
		return
	}
	c.made++
	pod := somePod(t, fmt.Sprint("p", c.made))
	pod.Spec.NodeName = pick(t, someNodes)
	if err := c.cache.AddPod(pod); err != nil {
		t.Fatal(err)
	}
	c.pods = append(c.pods, pod)
}

func somePod(t *rapid.T, name string) *v1.Pod {
	b := mk.Pod(name)
	for range rapid.IntRange(1, 2).Draw(t, "volumes") {
		b.PVC(pick(t, someNames))
	}
	if rapid.Bool().Draw(t, "inline") {
		b.Volume("inline", onPortworx(pick(t, someNames)))
	}
	return b.Obj()
}

// handle is a handle with the snapshot.
func (c *changing) handle() handle {
	return handle{plugintest.Handle{Nodes: c.snapshot, Objects: c.store.Informers()}, c.store}
}

func (c *changing) nodes() []fwk.NodeInfo {
	if err := c.cache.UpdateSnapshot(c.snapshot); err != nil {
		panic(err)
	}
	list, _ := c.snapshot.List()
	return list
}

// verdicts are those of one cycle, on the nodes and on copies of them without their first pod.
func verdicts(p *nodevolumelimits.NodeVolumeLimits, pod *v1.Pod, nodes []fwk.NodeInfo) (all []string) {
	ctx, state := context.Background(), framework.NewCycleState()
	p.PreFilter(ctx, state, pod, nodes)
	for _, node := range nodes {
		all = append(all, node.Node().Name+": "+plugintest.StatusText(p.Filter(ctx, state, pod, node)))
		if pods := node.GetPods(); len(pods) > 0 {
			dryRun := node.Snapshot()
			_ = dryRun.RemovePod(klog.Logger{}, pods[0].GetPod())
			all = append(all, "without a pod: "+plugintest.StatusText(p.Filter(ctx, state, pod, dryRun)))
		}
	}
	return all
}

// A plugin that keeps usages answers as one that measures every node anew, whatever changes in between.
func TestUsageIndex_AnswersAsMeasuredAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChanging()
		keeping := tracking(t, c.store, nil)
		anew := plugin(t, plugintest.Handle{Objects: c.store.Informers()}, nil)
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				c.change(t)
			}
			pod, nodes := somePod(t, "waiting"), c.nodes()
			if got, want := verdicts(keeping, pod, nodes), verdicts(anew, pod, nodes); !slices.Equal(got, want) {
				t.Fatalf("got %q, measured anew %q", got, want)
			}
		}
	})
}

// Classes of nodes are evaluated as their nodes are, whatever changes in between, unless a volume is in use already.
func TestFilterClasses_AnswersAsFilter(t *testing.T) {
	evaluated := 0
	rapid.Check(t, func(t *rapid.T) {
		c := newChanging()
		p := plugin(t, c.handle(), map[string]bool{string(config.VolumeLimitScaling): rapid.Bool().Draw(t, "scaling")})
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				c.change(t)
			}
			state, pod, nodes := framework.NewCycleState(), somePod(t, "waiting"), c.nodes()
			p.PreFilter(t.Context(), state, pod, nodes)
			if plugintest.CompareVerdicts(t, p, state, pod, nodes) {
				evaluated++
			}
		}
	})
	if evaluated == 0 {
		t.Error("no class was evaluated")
	}
}

// An unchanged node is not read again, and neither is one where another node's claim changed.
func TestUsageIndex_ReadsOnlyWhatChanged(t *testing.T) {
	s := plugintest.Store(t, mk.Claim("a").Bound("pv-a").Obj(), mk.Claim("b").Bound("pv-b").Obj(), csiVolume("pv-a", "a"), csiVolume("pv-b", "b"),
		mk.CSINode("n1").Limit(csi, 1).Obj(), mk.CSINode("n2").Limit(csi, 1).Obj())
	c := cache.New()
	for i, claim := range []string{"a", "b"} {
		node := fmt.Sprint("n", i+1)
		c.AddNode(mk.Node(node).Obj())
		if err := c.AddPod(mk.Pod(claim).Node(node).PVC(claim).Obj()); err != nil {
			t.Fatal(err)
		}
	}
	counting := &countingNodes{CSINodeLister: framework.CSINodes(s.Informers()).CSINodes()}
	p := plugin(t, countingHandle{handle{plugintest.Handle{Objects: s.Informers()}, s}, counting}, nil)
	snapshot := cache.NewSnapshot()
	cycle := func() []string {
		t.Helper()
		if err := c.UpdateSnapshot(snapshot); err != nil {
			t.Fatal(err)
		}
		nodes, _ := snapshot.List()
		counting.read = nil
		pod, state := mk.Pod("p").PVC("a").Obj(), framework.NewCycleState()
		p.PreFilter(t.Context(), state, pod, nodes)
		for _, node := range nodes {
			p.Filter(t.Context(), state, pod, node)
		}
		return counting.read
	}
	for _, step := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"the first cycle", func() {}, []string{"n1", "n2"}},
		{"nothing", func() {}, []string{}},
		{"a claim of n2", func() { plugintest.Apply(t, s, world.Modified, mk.Claim("b").Obj()) }, []string{"n2"}},
		{"a claim that no node uses", func() { plugintest.Apply(t, s, world.Added, mk.Claim("c").Obj()) }, []string{}},
		{"the volume of n1", func() { plugintest.Apply(t, s, world.Deleted, csiVolume("pv-a", "a")) }, []string{"n1"}},
		{"the volume that n2 no longer uses", func() { plugintest.Apply(t, s, world.Deleted, csiVolume("pv-b", "b")) }, []string{}},
		{"the limits of n1", func() { plugintest.Apply(t, s, world.Modified, mk.CSINode("n1").Limit(csi, 2).Obj()) }, []string{"n1"}},
		{"an attachment to n2", func() { plugintest.Apply(t, s, world.Added, mk.Attachment("x", "n2", csi, "pv-b")) }, []string{"n2"}},
		{"the attachment moves", func() { plugintest.Apply(t, s, world.Modified, mk.Attachment("x", "n1", csi, "pv-b")) }, []string{"n1", "n2"}},
		{"a class", func() { plugintest.Apply(t, s, world.Added, mk.Class("c", csi).Obj()) }, []string{"n1", "n2"}},
		{"the node n2", func() { c.UpdateNode(mk.Node("n2").Zone("z").Obj()) }, []string{"n2"}},
	} {
		step.change()
		if got := cycle(); !slices.Equal(got, step.want) {
			t.Errorf("after a change of %s: measured %q, want %q", step.name, got, step.want)
		}
	}
}

// countingNodes notes which CSINodes are read, one for each measured node.
type countingNodes struct {
	fwk.CSINodeLister
	read []string
}

func (c *countingNodes) Get(name string) (*storagev1.CSINode, error) {
	c.read = append(c.read, name)
	return c.CSINodeLister.Get(name)
}

type countingHandle struct {
	handle
	nodes *countingNodes
}

func (h countingHandle) SharedCSIManager() fwk.CSIManager { return h }
func (h countingHandle) CSINodes() fwk.CSINodeLister      { return h.nodes }
