package play_test

import (
	"bytes"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// withClaims is a trace of two zones with a node each, and the events that follow.
func withClaims(t *testing.T, origin trace.Origin, objects []world.Object, events ...world.Event) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start, Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	write := func(n int, event world.Event) {
		if err := w.Write(trace.Record{At: start.Add(seconds(n)), Body: trace.Input{Event: event}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, zone := range []string{"east", "west"} {
		objects = append(objects, mk.Node(zone+"-node").CPU("4").Memory("8Gi").Pods("110").Zone(zone).Obj())
	}
	for _, o := range objects {
		write(0, world.Changed{Object: o})
	}
	for i, event := range events {
		write(1+i, event)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func volumeAndClaim(e *engine.Engine, volume, claim string) (*v1.PersistentVolume, *v1.PersistentVolumeClaim) {
	pv, _ := e.Store().Object(world.PersistentVolume, "", volume).(*v1.PersistentVolume)
	c, _ := e.Store().Object(world.PersistentVolumeClaim, "default", claim).(*v1.PersistentVolumeClaim)
	return pv, c
}

// In a trace without a scheduler, the claim of a placed pod gets a volume: where its class provisions, one in the pod's
// zone, which keeps the next pod there.
func TestReplay_BindsVolumesOfImportedTrace(t *testing.T) {
	first, second := mk.Pod("first").CPU("3").PVC("data").Obj(), mk.Pod("second").CPU("3").PVC("data").Obj()
	for name, c := range map[string]struct {
		volume  string
		objects []world.Object
	}{
		"provisioned": {"pvc-claim-default-data", []world.Object{mk.Class("fast", "example.com/disks").WaitForFirstConsumer().Obj()}},
		"made before": {"disk", []world.Object{
			mk.Class("fast", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(), mk.Volume("disk").Size("2Gi").Class("fast").On(v1.LabelTopologyZone, "west").Obj(),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(c.objects, mk.Claim("data").Size("1Gi").Class("fast").Obj())
			e, _ := replay(t, withClaims(t, trace.FromImport, objects, world.Changed{Object: first}, world.Changed{Object: second}, world.Tick{}), play.Options{})
			placed := e.Store().Pod("default", "first")
			if placed == nil || placed.Spec.NodeName == "" {
				t.Fatalf("the first pod is %s: %+v", e.PodState("default", "first"), e.Bindings())
			}
			pv, claim := volumeAndClaim(e, c.volume, "data")
			if claim.Spec.VolumeName != c.volume || pv == nil || pv.Spec.ClaimRef.UID != claim.UID || pv.Status.Phase != v1.VolumeBound {
				t.Errorf("the claim is %+v, and the volume %+v", claim, pv)
			}
			zone := e.Store().Node(placed.Spec.NodeName).Labels[v1.LabelTopologyZone]
			if got := pv.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values; len(got) != 1 || got[0] != zone {
				t.Errorf("the volume is in %q, and the pod in %q", got, zone)
			}
			if state := e.PodState("default", "second"); state != engine.StateUnschedulable {
				t.Errorf("the second pod is %s, though the volume's zone is full", state)
			}
		})
	}
}

// A trace that begins with a snapshot lacks outcomes. What a pod was waiting for ends when the pod is on a node or gone.
func TestReplay_EndsVolumeWritesWithoutOutcome(t *testing.T) {
	pod := mk.Pod("db").CPU("1").PVC("data").Obj()
	bound := *pod
	bound.Spec.NodeName = "east-node"
	for name, last := range map[string]world.Changed{
		"bound": {Op: world.Modified, Object: &bound}, "deleted": {Op: world.Deleted, Object: pod},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []world.Object{
				mk.Class("fast", "example.com/disks").WaitForFirstConsumer().Obj(), mk.Claim("data").Size("1Gi").Class("fast").Obj(),
			}
			e, _ := replay(t, withClaims(t, trace.FromSnapshot, objects, world.Changed{Object: pod}), play.Options{})
			if got := len(e.PendingEffects()); got != 1 || e.PodState("default", "db") != engine.StateBinding {
				t.Fatalf("the pod is %s, and %d effects are pending", e.PodState("default", "db"), got)
			}
			e, _ = replay(t, withClaims(t, trace.FromSnapshot, objects, world.Changed{Object: pod}, last), play.Options{})
			for _, b := range e.Bindings() {
				t.Errorf("the binding of %s never ends", b.Pod)
			}
			if volumes, claims := e.Volumes().Assumed(); volumes+claims > 0 {
				t.Errorf("%d volumes and %d claims are assumed", volumes, claims)
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
