package volumezone_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/volumezone"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

const (
	otherZone = "UnschedulableAndUnresolvable: node(s) had no available volume zone"
	betaZone  = v1.LabelFailureDomainBetaZone
)

func with(t *testing.T, objects ...world.Object) *volumezone.VolumeZone {
	t.Helper()
	p, err := volumezone.New(t.Context(), nil, plugintest.Handle{Objects: plugintest.Store(t, objects...).Informers()}, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*volumezone.VolumeZone)
}

func onNode(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}

// labelled is a volume pv with one label.
func labelled(key, value string) *v1.PersistentVolume { return mk.Volume("pv").Label(key, value).Obj() }

func TestFilter_Labels(t *testing.T) {
	bare := mk.Node("n").Obj()
	bare.Labels = nil
	for name, tc := range map[string]struct {
		volume *v1.PersistentVolume
		node   *v1.Node
		want   string
	}{
		"a volume without labels":                              {mk.Volume("pv").Obj(), mk.Node("n").Zone("a").Obj(), "Skip"},
		"a volume with other labels":                           {labelled("disk", "ssd"), mk.Node("n").Zone("a").Obj(), "Skip"},
		"the same zone":                                        {labelled(v1.LabelTopologyZone, "a"), mk.Node("n").Zone("a").Obj(), "Success"},
		"another zone":                                         {labelled(v1.LabelTopologyZone, "a"), mk.Node("n").Zone("b").Obj(), otherZone},
		"one of several zones":                                 {labelled(v1.LabelTopologyZone, "a__ b "), mk.Node("n").Zone("b").Obj(), "Success"},
		"none of several zones":                                {labelled(v1.LabelTopologyZone, "a__b"), mk.Node("n").Zone("a__b").Obj(), otherZone},
		"zones with an empty one mean nothing":                 {labelled(v1.LabelTopologyZone, "a__"), mk.Node("n").Zone("b").Obj(), "Skip"},
		"a node with a region, without a zone":                 {labelled(v1.LabelTopologyZone, "a"), mk.Node("n").Region("r").Obj(), otherZone},
		"a node without any place":                             {labelled(v1.LabelTopologyZone, "a"), mk.Node("n").Obj(), "Success"},
		"a node without labels":                                {labelled(v1.LabelTopologyZone, "a"), bare, "Success"},
		"the same region":                                      {labelled(v1.LabelTopologyRegion, "r"), mk.Node("n").Region("r").Obj(), "Success"},
		"the same zone of another region":                      {mk.Volume("pv").Label(v1.LabelTopologyZone, "a").Label(v1.LabelTopologyRegion, "r").Obj(), mk.Node("n").Zone("a").Region("s").Obj(), otherZone},
		"a beta label of both":                                 {labelled(betaZone, "a"), mk.Node("n").Label(betaZone, "a").Obj(), "Success"},
		"a beta label of the volume, today's of the node":      {labelled(betaZone, "a"), mk.Node("n").Zone("a").Obj(), "Success"},
		"a beta label of the volume, another of the node":      {labelled(betaZone, "a"), mk.Node("n").Zone("b").Obj(), otherZone},
		"a beta label of the node goes before today's":         {labelled(betaZone, "a"), mk.Node("n").Label(betaZone, "b").Zone("a").Obj(), otherZone},
		"today's label of the volume, a beta one of the node":  {labelled(v1.LabelTopologyZone, "a"), mk.Node("n").Label(betaZone, "a").Obj(), otherZone},
		"a beta region of the volume, today's region of nodes": {labelled(v1.LabelFailureDomainBetaRegion, "r"), mk.Node("n").Region("r").Obj(), "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			p := with(t, mk.Claim("data").Bound("pv").Obj(), tc.volume)
			if got := plugintest.Filter(p, mk.Pod("p").PVC("data").Obj(), onNode(tc.node)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPreFilter_Claims(t *testing.T) {
	noMode := mk.Class("none", "ebs").Obj()
	noMode.VolumeBindingMode = nil
	zoneA, zoneB := labelled(v1.LabelTopologyZone, "a"), mk.Volume("pv-b").Label(v1.LabelTopologyZone, "b").Obj()
	pod := mk.Pod("p").PVC("data").Obj()
	for name, tc := range map[string]struct {
		pod     *v1.Pod
		objects []world.Object
		want    string
	}{
		"no volumes":                       {mk.Pod("p").Obj(), nil, "Skip"},
		"a generic ephemeral volume":       {mk.Pod("p").Volume("v", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj(), nil, "Skip"},
		"a claim without a name":           {mk.Pod("p").PVC("").Obj(), nil, "UnschedulableAndUnresolvable: PersistentVolumeClaim had no name"},
		"a claim that does not exist":      {pod, nil, `UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found`},
		"a volume that does not exist":     {pod, []world.Object{mk.Claim("data").Bound("pv").Obj()}, `UnschedulableAndUnresolvable: persistentvolume "pv" not found`},
		"an unbound claim without a class": {pod, []world.Object{mk.Claim("data").Obj()}, "UnschedulableAndUnresolvable: PersistentVolumeClaim had no pv name and storageClass name"},
		"an unbound claim of a lost class": {pod, []world.Object{mk.Claim("data").Class("fast").Obj()}, `UnschedulableAndUnresolvable: storageclass.storage.k8s.io "fast" not found`},
		"an unbound claim, bound at once":  {pod, []world.Object{mk.Claim("data").Class("fast").Obj(), mk.Class("fast", "ebs").Obj()}, "UnschedulableAndUnresolvable: PersistentVolume had no name"},
		"an unbound claim that waits":      {pod, []world.Object{mk.Claim("data").Class("fast").Obj(), mk.Class("fast", "ebs").WaitForFirstConsumer().Obj()}, "Skip"},
		"a class without a mode":           {pod, []world.Object{mk.Claim("data").Class("none").Obj(), noMode}, `UnschedulableAndUnresolvable: VolumeBindingMode not set for StorageClass "none"`},
		"a bound claim":                    {pod, []world.Object{mk.Claim("data").Bound("pv").Obj(), zoneA}, "Success"},
		"a waiting claim beside a bound one": {
			mk.Pod("p").PVC("logs").PVC("data").Obj(),
			[]world.Object{mk.Claim("logs").Class("fast").Obj(), mk.Class("fast", "ebs").WaitForFirstConsumer().Obj(), mk.Claim("data").Bound("pv").Obj(), zoneA},
			"Success",
		},
		"volumes of two zones": {
			mk.Pod("p").PVC("data").PVC("logs").Obj(),
			[]world.Object{mk.Claim("data").Bound("pv").Obj(), mk.Claim("logs").Bound("pv-b").Obj(), zoneA, zoneB},
			otherZone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(with(t, tc.objects...), tc.pod, onNode(mk.Node("n").Zone("a").Obj())); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Without PreFilter's state, Filter reads the claims itself.
func TestFilter_WithoutPreFilter(t *testing.T) {
	p := with(t, mk.Claim("data").Bound("pv").Obj(), labelled(v1.LabelTopologyZone, "a"))
	for claim, want := range map[string]string{
		"data": otherZone, "logs": `UnschedulableAndUnresolvable: persistentvolumeclaim "logs" not found`,
	} {
		status := p.Filter(t.Context(), framework.NewCycleState(), mk.Pod("p").PVC(claim).Obj(), onNode(mk.Node("n").Zone("b").Obj()))
		if got := plugintest.StatusText(status); got != want {
			t.Errorf("claim %s: got %q, want %q", claim, got, want)
		}
	}
}

func TestFilter_DoesNotAllocate(t *testing.T) {
	p, pod, state := with(t, mk.Claim("data").Bound("pv").Obj(), labelled(v1.LabelTopologyZone, "a__b")), mk.Pod("p").PVC("data").Obj(), framework.NewCycleState()
	p.PreFilter(t.Context(), state, pod, nil)
	for _, zone := range []string{"b", "c"} {
		ctx, node := t.Context(), onNode(mk.Node("n").Zone(zone).Obj())
		if n := testing.AllocsPerRun(100, func() { p.Filter(ctx, state, pod, node) }); n != 0 {
			t.Errorf("a node of zone %s: %v allocations", zone, n)
		}
	}
}

func TestQueueingHints(t *testing.T) {
	p, pod := with(t), mk.Pod("p").PVC("data").Obj()
	noMode := mk.Class("none", "ebs").Obj()
	noMode.VolumeBindingMode = nil
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a class that waits is added":           {fwk.StorageClass, fwk.Add, nil, mk.Class("c", "ebs").WaitForFirstConsumer().Obj(), "Queue"},
		"a class that binds at once is added":   {fwk.StorageClass, fwk.Add, nil, mk.Class("c", "ebs").Obj(), "QueueSkip"},
		"a class without a mode is added":       {fwk.StorageClass, fwk.Add, nil, noMode, "QueueSkip"},
		"a class is updated":                    {fwk.StorageClass, fwk.Update, noMode, noMode, "not registered"},
		"an object that is no class":            {fwk.StorageClass, fwk.Add, nil, pod, "Queue: reading the new object of an event: it is a *v1.Pod where a *v1.StorageClass was expected"},
		"the claim is added":                    {fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("data").Obj(), "Queue"},
		"the claim is updated":                  {fwk.PersistentVolumeClaim, fwk.Update, mk.Claim("data").Obj(), mk.Claim("data").Bound("pv").Obj(), "Queue"},
		"another claim is updated":              {fwk.PersistentVolumeClaim, fwk.Update, mk.Claim("logs").Obj(), mk.Claim("logs").Bound("pv").Obj(), "QueueSkip"},
		"an object that is no claim":            {fwk.PersistentVolumeClaim, fwk.Add, nil, pod, "Queue: reading the new object of an event: it is a *v1.Pod where a *v1.PersistentVolumeClaim was expected"},
		"a volume is added":                     {fwk.PersistentVolume, fwk.Add, nil, mk.Volume("pv").Obj(), "Queue"},
		"a volume moves":                        {fwk.PersistentVolume, fwk.Update, labelled(v1.LabelTopologyZone, "a"), labelled(v1.LabelTopologyZone, "b"), "Queue"},
		"a volume gets a place":                 {fwk.PersistentVolume, fwk.Update, mk.Volume("pv").Obj(), labelled(betaZone, "a"), "Queue"},
		"a volume's label is spelled otherwise": {fwk.PersistentVolume, fwk.Update, labelled(v1.LabelTopologyZone, "a__b"), labelled(v1.LabelTopologyZone, "b__ a"), "QueueSkip"},
		"a volume changes otherwise":            {fwk.PersistentVolume, fwk.Update, mk.Volume("pv").Obj(), labelled("disk", "ssd"), "QueueSkip"},
		"an object that is no volume":           {fwk.PersistentVolume, fwk.Add, nil, pod, "Queue: reading the new object of an event: it is a *v1.Pod where a *v1.PersistentVolume was expected"},
		"a node is labelled":                    {fwk.Node, fwk.UpdateNodeLabel, mk.Node("n").Obj(), mk.Node("n").Obj(), "Queue"},
		"a node is tainted":                     {fwk.Node, fwk.UpdateNodeTaint, mk.Node("n").Obj(), mk.Node("n").Obj(), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, p, tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	want := map[string]string{"v1.Pod.Spec.Volumes.NonSyntheticSources()": "[]"}
	if diff := cmp.Diff(want, plugintest.Signature(t, with(t), mk.Pod("p").Obj())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExplain_NamesTheVolume(t *testing.T) {
	claim := mk.Claim("data").Bound("pv").Obj()
	p := with(t, claim, labelled(v1.LabelTopologyZone, "a"))
	got := plugintest.Explain(p, mk.Pod("p").PVC("data").Obj(), onNode(mk.Node("n").Zone("a").Obj()), onNode(mk.Node("m").Zone("b").Obj()))
	want := "volume-zone on m: cannot reach volume pv of claim data, which is in zone a | wants: volume pv of claim data in zone a" +
		" | hint: 1 node would fit but for the volume; a volume does not move: its data would have to be restored there"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
