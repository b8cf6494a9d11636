package volumerestrictions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

const (
	diskInUse  = "Unschedulable: node(s) had no available disk"
	claimInUse = "Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)

// on is the plugin in a cluster of node n with these pods, and these claims; and the node.
func on(t *testing.T, pods []*v1.Pod, claims ...world.Object) (*volumerestrictions.VolumeRestrictions, fwk.NodeInfo) {
	t.Helper()
	nodes := cache.SnapshotOf(pods, []*v1.Node{mk.Node("n").Obj(), mk.Node("other").Obj()})
	objects := plugintest.Store(t, claims...).Informers()
	p, err := volumerestrictions.New(t.Context(), nil, plugintest.Handle{Nodes: nodes, Objects: objects}, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	node, err := nodes.Get("n")
	if err != nil {
		t.Fatal(err)
	}
	return p.(*volumerestrictions.VolumeRestrictions), node
}

func gce(name string, readOnly bool) v1.VolumeSource {
	return v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}}
}

func ebs(id string, readOnly bool) v1.VolumeSource {
	return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id, ReadOnly: readOnly}}
}

func iscsi(iqn string, readOnly bool) v1.VolumeSource {
	return v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{IQN: iqn, ReadOnly: readOnly}}
}

func rbd(pool, image string, readOnly bool, monitors ...string) v1.VolumeSource {
	return v1.VolumeSource{RBD: &v1.RBDVolumeSource{RBDPool: pool, RBDImage: image, ReadOnly: readOnly, CephMonitors: monitors}}
}

func TestFilter_Disks(t *testing.T) {
	for name, tc := range map[string]struct {
		pod, other v1.VolumeSource
		want       string
	}{
		"an empty directory":                      {v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}, gce("a", false), "Skip"},
		"a disk of another kind":                  {gce("a", false), ebs("a", false), "Success"},
		"GCE: another disk":                       {gce("a", false), gce("b", false), "Success"},
		"GCE: the same disk":                      {gce("a", false), gce("a", true), diskInUse},
		"GCE: the same disk, both only read":      {gce("a", true), gce("a", true), "Success"},
		"EBS: another volume":                     {ebs("a", false), ebs("b", false), "Success"},
		"EBS: the same volume":                    {ebs("a", false), ebs("a", false), diskInUse},
		"EBS: the same volume, both only read":    {ebs("a", true), ebs("a", true), diskInUse},
		"iSCSI: another target":                   {iscsi("a", false), iscsi("b", false), "Success"},
		"iSCSI: the same target":                  {iscsi("a", true), iscsi("a", false), diskInUse},
		"iSCSI: the same target, both only read":  {iscsi("a", true), iscsi("a", true), "Success"},
		"RBD: the same image by a common monitor": {rbd("p", "i", false, "x", "y"), rbd("p", "i", true, "y", "z"), diskInUse},
		"RBD: the same image, both only read":     {rbd("p", "i", true, "x"), rbd("p", "i", true, "x"), "Success"},
		"RBD: another cluster":                    {rbd("p", "i", false, "x"), rbd("p", "i", false, "y"), "Success"},
		"RBD: another pool":                       {rbd("p", "i", false, "x"), rbd("q", "i", false, "x"), "Success"},
		"RBD: another image":                      {rbd("p", "i", false, "x"), rbd("p", "j", false, "x"), "Success"},
		"RBD: no monitors":                        {rbd("p", "i", false), rbd("p", "i", false), "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			other := mk.Pod("other").Namespace("elsewhere").Node("n").Volume("first", v1.VolumeSource{}).Volume("disk", tc.other).Obj()
			p, node := on(t, []*v1.Pod{other})
			if got := plugintest.Filter(p, mk.Pod("p").Volume("disk", tc.pod).Obj(), node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFilter_Claims(t *testing.T) {
	exclusive := mk.Claim("data").Mode(v1.ReadWriteOncePod).Obj()
	user := mk.Pod("user").Node("other").PVC("data").Obj()
	for name, tc := range map[string]struct {
		pod    *v1.Pod
		users  []*v1.Pod
		claims []world.Object
		want   string
	}{
		"no volumes":                             {mk.Pod("p").Obj(), []*v1.Pod{user}, []world.Object{exclusive}, "Skip"},
		"a claim that pods may share":            {mk.Pod("p").PVC("data").Obj(), []*v1.Pod{user}, []world.Object{mk.Claim("data").Obj()}, "Skip"},
		"an exclusive claim that no pod uses":    {mk.Pod("p").PVC("data").Obj(), nil, []world.Object{exclusive}, "Skip"},
		"an exclusive claim that a pod uses":     {mk.Pod("p").PVC("data").Obj(), []*v1.Pod{user}, []world.Object{exclusive}, claimInUse},
		"a claim of that name elsewhere":         {mk.Pod("p").PVC("data").Obj(), []*v1.Pod{mk.Pod("user").Namespace("shop").Node("n").PVC("data").Obj()}, []world.Object{exclusive}, "Skip"},
		"one exclusive claim of several":         {mk.Pod("p").PVC("logs").PVC("data").Obj(), []*v1.Pod{user}, []world.Object{mk.Claim("logs").Obj(), exclusive}, claimInUse},
		"a free exclusive claim beside a disk":   {mk.Pod("p").PVC("data").Volume("disk", gce("a", false)).Obj(), nil, []world.Object{exclusive}, "Success"},
		"a claim that does not exist":            {mk.Pod("p").PVC("data").Obj(), nil, nil, `UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found`},
		"a claim of another namespace":           {mk.Pod("p").PVC("data").Obj(), nil, []world.Object{mk.Claim("data").Namespace("shop").Obj()}, `UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found`},
		"the claim of an ephemeral volume":       {mk.Pod("p").Volume("data", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj(), nil, nil, "Skip"},
		"a claim that the pod itself uses twice": {mk.Pod("p").PVC("data").PVC("data").Obj(), []*v1.Pod{user}, []world.Object{exclusive}, claimInUse},
	} {
		t.Run(name, func(t *testing.T) {
			p, node := on(t, tc.users, tc.claims...)
			if got := plugintest.Filter(p, tc.pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A dry run takes the users of an exclusive claim off the count, and puts nominated ones on it, in a copy of the state.
func TestExtensions_CountUsers(t *testing.T) {
	ctx, pod := t.Context(), mk.Pod("p").PVC("data").Obj()
	p, node := on(t, []*v1.Pod{mk.Pod("user").Node("n").PVC("data").Obj()}, mk.Claim("data").Mode(v1.ReadWriteOncePod).Obj())
	state := framework.NewCycleState()
	if _, status := p.PreFilter(ctx, state, pod, nil); !status.IsSuccess() {
		t.Fatalf("PreFilter returned %s", plugintest.StatusText(status))
	}
	filter := func(state fwk.CycleState) string { return plugintest.StatusText(p.Filter(ctx, state, pod, node)) }
	info := func(pod *v1.Pod) fwk.PodInfo { info, _ := cache.NewPodInfo(pod); return info }

	dryRun := state.Clone()
	p.RemovePod(ctx, dryRun, pod, info(mk.Pod("bystander").PVC("logs").Obj()), node)
	if got := filter(dryRun); got != claimInUse {
		t.Errorf("without a pod of another claim: got %q", got)
	}
	p.RemovePod(ctx, dryRun, pod, info(mk.Pod("user").Namespace("any").PVC("data").Obj()), node)
	if got := filter(dryRun); got != "Success" {
		t.Errorf("without the user: got %q", got)
	}
	p.AddPod(ctx, dryRun, pod, info(mk.Pod("nominated").PVC("data").Obj()), node)
	if got := filter(dryRun); got != claimInUse {
		t.Errorf("with a nominated user: got %q", got)
	}
	if got := filter(state); got != claimInUse {
		t.Errorf("the dry run changed the state that it copied: got %q", got)
	}
}

func TestFilter_WithoutPreFilter(t *testing.T) {
	p, node := on(t, []*v1.Pod{mk.Pod("other").Node("n").Volume("disk", gce("a", false)).Obj()})
	const noState = `Error: reading "PreFilterVolumeRestrictions" from cycleState: not found`
	for disk, want := range map[string]string{"a": diskInUse, "b": noState} {
		status := p.Filter(t.Context(), framework.NewCycleState(), mk.Pod("p").Volume("disk", gce(disk, false)).Obj(), node)
		if got := plugintest.StatusText(status); got != want {
			t.Errorf("disk %s: got %q, want %q", disk, got, want)
		}
	}
	status := p.AddPod(t.Context(), framework.NewCycleState(), mk.Pod("p").Obj(), nil, node)
	if got := plugintest.StatusText(status); got != noState {
		t.Errorf("AddPod: got %q, want %q", got, noState)
	}
}

func TestQueueingHints(t *testing.T) {
	pod := mk.Pod("p").PVC("data").Volume("disk", gce("a", false)).Obj()
	p, _ := on(t, nil)
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a pod with the disk is deleted":               {fwk.Pod, fwk.Delete, mk.Pod("q").Volume("v", gce("a", false)).Obj(), nil, "Queue"},
		"a pod with another disk is deleted":           {fwk.Pod, fwk.Delete, mk.Pod("q").Volume("v", gce("b", false)).Obj(), nil, "QueueSkip"},
		"a pod elsewhere with the disk is deleted":     {fwk.Pod, fwk.Delete, mk.Pod("q").Namespace("shop").Volume("v", gce("a", false)).Obj(), nil, "QueueSkip"},
		"a pod with the claim is deleted":              {fwk.Pod, fwk.Delete, mk.Pod("q").PVC("logs").PVC("data").Obj(), nil, "Queue"},
		"a pod elsewhere with such a claim is deleted": {fwk.Pod, fwk.Delete, mk.Pod("q").Namespace("shop").PVC("data").Obj(), nil, "QueueSkip"},
		"a pod without volumes is deleted":             {fwk.Pod, fwk.Delete, mk.Pod("q").Obj(), nil, "QueueSkip"},
		"an object that is no pod":                     {fwk.Pod, fwk.Delete, mk.Node("n").Obj(), nil, "Queue: reading the old object of an event: it is a *v1.Node where a *v1.Pod was expected"},
		"the claim is added":                           {fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("data").Obj(), "Queue"},
		"another claim is added":                       {fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("logs").Obj(), "QueueSkip"},
		"an object that is no claim":                   {fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Node("n").Obj(), "Queue: reading the new object of an event: it is a *v1.Node where a *v1.PersistentVolumeClaim was expected"},
		"the claim is updated":                         {fwk.PersistentVolumeClaim, fwk.Update, mk.Claim("data").Obj(), mk.Claim("data").Obj(), "not registered"},
		"a node is added":                              {fwk.Node, fwk.Add, nil, mk.Node("n").Obj(), "Queue"},
		"a node is labelled":                           {fwk.Node, fwk.UpdateNodeLabel, mk.Node("n").Obj(), mk.Node("n").Obj(), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, p, tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	p, _ := on(t, nil)
	want := map[string]string{"v1.Pod.Spec.Volumes.NonSyntheticSources()": `["{\"persistentVolumeClaim\":{\"claimName\":\"data\"}}"]`}
	if diff := cmp.Diff(want, plugintest.Signature(t, p, mk.Pod("p").PVC("data").Obj())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
