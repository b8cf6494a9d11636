package unreadable_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestUnreadableVolumes_HoldsPodsWithClaims(t *testing.T) {
	plugin, err := unreadable.New(t.Context(), nil, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	ephemeral, scratch := mk.Pod("p").Obj(), mk.Pod("p").Obj()
	ephemeral.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}}}
	scratch.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}}}
	for name, tt := range map[string]struct {
		pod  *v1.Pod
		held bool
	}{
		"no volumes":         {mk.Pod("p").Obj(), false},
		"an empty directory": {scratch, false},
		"a claim":            {mk.Pod("p").PVC("c").Obj(), true},
		"a claim of its own": {ephemeral, true},
	} {
		status := plugin.(fwk.PreEnqueuePlugin).PreEnqueue(t.Context(), tt.pod)
		if _, again := plugin.(fwk.PreFilterPlugin).PreFilter(t.Context(), nil, tt.pod, nil); again.IsSuccess() == tt.held {
			t.Errorf("%s: PreFilter says %v", name, again)
		}
		if held := !status.IsSuccess(); held != tt.held || held && status.Plugin() != unreadable.Name {
			t.Errorf("%s: status %v, want it held back: %v", name, status, tt.held)
		}
	}
}

func TestGuard(t *testing.T) {
	c := config.Default(config.DefaultFeatures())
	if unreadable.Guard(c, []world.Kind{world.Service, world.Lease}) != c || unreadable.Guards(&c.Profiles[0]) {
		t.Error("what has nothing to do with volumes changes the configuration")
	}
	for _, kind := range []world.Kind{world.PersistentVolume, world.PersistentVolumeClaim, world.StorageClass, world.CSINode, world.VolumeAttachment} {
		guarded := unreadable.Guard(c, []world.Kind{world.Service, kind})
		if !unreadable.Guards(&guarded.Profiles[0]) || unreadable.Guards(&c.Profiles[0]) {
			t.Errorf("%s: the profile has the plugin: %v, the original: %v", kind, unreadable.Guards(&guarded.Profiles[0]), unreadable.Guards(&c.Profiles[0]))
		}
	}
}

// A pod with a claim gets no attempt, and others are placed. A recording says so in its configuration.
func TestGuard_EngineDecidesOnOthersOnly(t *testing.T) {
	guarded := unreadable.Guard(config.Default(config.DefaultFeatures()), []world.Kind{world.PersistentVolumeClaim})
	text, err := guarded.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.LoadNamed("a recording's", text, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*config.Configuration{"guarded": guarded, "as recorded": again} {
		e, err := engine.New(engine.Options{Config: c})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []world.Object{mk.Node("n").CPU("4").Memory("8Gi").Pods("110").Obj(), mk.Pod("with").PVC("c").Obj(), mk.Pod("without").Obj()} {
			if err := e.Apply(world.Input{Event: world.Changed{Object: o}}); err != nil {
				t.Fatal(err)
			}
		}
		d, ok := e.Step()
		if !ok || d.Pod.Name != "without" || d.Node != "n" {
			t.Errorf("%s: the first decision is %+v", name, d)
		}
		if d, more := e.Step(); more {
			t.Errorf("%s: it also decides %+v", name, d)
		}
		x, err := e.Explain("default", "with")
		if err != nil || len(x.Statuses) == 0 || x.Statuses[0].Plugin != unreadable.Name {
			t.Errorf("%s: the explanation is %+v, %v", name, x, err)
		}
		if gated := e.Queue().Counts().Gated; gated != 1 {
			t.Errorf("%s: %d pods are gated, want one", name, gated)
		}
	}
}
