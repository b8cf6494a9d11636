package shadow

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// writer is a held-bindings stage: a store, and what comes of an effect.
type writer struct {
	t    *testing.T
	held heldBindings
	*store.Store
}

var (
	heldPod    = mk.Pod("p").PVC("c").Obj()
	heldClaim  = mk.Claim("c").Size("1Gi").Class("fast").Obj()
	heldVolume = mk.Volume("v").Size("1Gi").Class("fast").Obj()
	heldSince  = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	otherClaim = mk.Claim("other").Obj()
)

func newWriter(t *testing.T) *writer {
	t.Helper()
	w := &writer{t, newHeldBindings(func(types.UID, string, string) {}), store.New()}
	for _, o := range []world.Object{heldPod, heldClaim, heldVolume, heldDevices().Obj()} {
		w.apply(world.Changed{Object: o})
	}
	return w
}

// apply takes an input in as Shadow.Apply does.
func (w *writer) apply(event world.Event) {
	w.t.Helper()
	in := world.Input{At: heldSince, Event: event}
	was := w.Pod(heldPod.Namespace, heldPod.Name)
	w.held.beforeInput(in)
	switch event := event.(type) {
	case world.Changed:
		if _, err := w.Apply(event); err != nil {
			w.t.Fatal(err)
		}
	case world.Listed:
		w.Replace(event)
	}
	w.held.afterInput(in, was, w.Store)
}

// outcome describes what came of the only effect.
func (w *writer) outcome() string {
	w.t.Helper()
	switch {
	case len(w.held.outcomes) > 1:
		w.t.Fatalf("%d outcomes: %+v", len(w.held.outcomes), w.held.outcomes)
	case len(w.held.outcomes) == 0:
		return "held"
	case w.held.outcomes[0].Effect != 7:
		w.t.Fatalf("the outcome is of effect %d", w.held.outcomes[0].Effect)
	}
	o := w.held.outcomes[0].Outcome
	if o.OK() {
		return "done"
	}
	if o.Code != fwk.Error {
		w.t.Fatalf("the outcome has code %v", o.Code)
	}
	return string(o.Reason) + ": " + o.Message
}

// heldDevices is a claim for devices.
func heldDevices() *mk.ResourceClaimBuilder { return mk.ResourceClaim("gpus") }

func podOn(node string) *v1.Pod {
	pod := *heldPod
	pod.Spec.NodeName = node
	return &pod
}

func selected(node string) *v1.PersistentVolumeClaim {
	return mk.Claim("c").Size("1Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", node).Obj()
}

func TestHeldBindings_ResolveVolumeWrites(t *testing.T) {
	claiming := world.ClaimVolume{
		Pod: world.PodRefOf(heldPod), Node: "n", Volume: world.ObjectRefOf(heldVolume), Claim: world.ObjectRefOf(heldClaim),
	}
	selecting := world.SelectNode{Pod: world.PodRefOf(heldPod), Node: "n", Claim: world.ObjectRefOf(heldClaim)}
	reserving := world.ReserveResourceClaim{
		Pod: world.PodRefOf(heldPod), Node: "n", Claim: world.ObjectRefOf(heldDevices().Obj()),
		Allocation: heldDevices().Allocated("n", "gpu", "d", "p", "1").Obj().Status.Allocation,
	}
	failed := *heldPod
	failed.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable}}
	namesake, twin := *heldVolume, *heldClaim
	namesake.UID, twin.UID = "another", "another"
	preBound := *heldVolume
	preBound.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "c"}
	changed := func(o world.Object) world.Event { return world.Changed{Op: world.Modified, Object: o} }
	deleted := func(o world.Object) world.Event { return world.Changed{Op: world.Deleted, Object: o} }
	listed := func(kind world.Kind, objects ...world.Object) world.Event {
		return world.Listed{Kind: kind, Objects: objects}
	}
	for _, tt := range []struct {
		name   string
		action world.Action
		event  world.Event
		want   string
	}{
		{"nothing happens", claiming, world.Tick{}, "held"},
		{"the pod is bound to the node", claiming, changed(podOn("n")), "done"},
		{"the pod is bound elsewhere", claiming, changed(podOn("m")), "Conflict: the cluster's scheduler bound it to m"},
		{"the pod is declared unschedulable", claiming, changed(&failed), "Conflict: the cluster's scheduler declared it unschedulable: "},
		{"the pod is gone", claiming, deleted(heldPod), "NotFound: the pod is gone"},
		{"the volume gets the claim", claiming, changed(mk.Volume("v").For(heldClaim).Obj()), "done"},
		{"the volume gets another claim", claiming, changed(mk.Volume("v").For(otherClaim).Obj()), "Conflict: the volume was claimed by default/other"},
		{"the claim gets another volume", claiming, changed(mk.Claim("c").Bound("w").Obj()), "Conflict: the claim was bound to volume w"},
		{"a list has the volume with the claim", claiming, listed(world.PersistentVolume, mk.Volume("v").For(heldClaim).Obj()), "done"},
		{"the volume is bound by its user", claiming, changed(&preBound), "held"},
		{"another volume gets a claim", claiming, changed(mk.Volume("w").For(otherClaim).Obj()), "held"},
		{"the volume is gone", claiming, deleted(heldVolume), "NotFound: the volume is gone"},
		{"the volume is a namesake", claiming, changed(&namesake), "NotFound: the volume is gone"},

		{"the pod is bound to the node, which is selected", selecting, changed(podOn("n")), "done"},
		{"the pod is bound elsewhere than selected", selecting, changed(podOn("m")), "Conflict: the cluster's scheduler bound it to m"},
		{"the claim gets the node", selecting, changed(selected("n")), "done"},
		{"the claim gets another node", selecting, changed(selected("m")), "Conflict: the cluster's scheduler selected m for the claim"},
		{"the claim gets a volume", selecting, changed(mk.Claim("c").Bound("w").Obj()), "Conflict: the claim was bound to volume w"},
		{"a list has the claim with the node", selecting, listed(world.PersistentVolumeClaim, selected("n")), "done"},
		{"the claim is gone", selecting, deleted(heldClaim), "NotFound: the claim is gone"},
		{"the claim is a namesake", selecting, changed(&twin), "NotFound: the claim is gone"},

		{"the devices are allocated to the pod", reserving, changed(heldDevices().Allocated("n", "gpu", "d", "p", "1").ReservedFor("p").Obj()), "done"},
		{"a list has the devices with the pod", reserving, listed(world.ResourceClaim, heldDevices().Allocated("n", "gpu", "d", "p", "1").ReservedFor("p").Obj()), "done"},
		{"other devices are allocated", reserving, changed(heldDevices().Allocated("n", "gpu", "d", "p", "2").ReservedFor("p").Obj()), "Conflict: the cluster's scheduler did otherwise: claim default/gpus got allocated elsewhere in the meantime"},
		{"the devices' claim gets a finalizer", reserving, changed(&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "gpus", UID: heldDevices().Obj().UID, Finalizers: []string{resourcev1.Finalizer},
		}}), "held"},
		{"the devices' claim is gone", reserving, deleted(heldDevices().Obj()), "NotFound: the resource claim is gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWriter(t)
			w.held.accept(world.Effect{ID: 7, At: heldSince, Action: tt.action}, w.Store)
			w.apply(tt.event)
			if got := w.outcome(); got != tt.want && !(strings.HasSuffix(tt.want, ": ") && strings.HasPrefix(got, tt.want)) {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
			w.held.expire(heldSince.Add(PredictionTimeout))
			want := tt.want
			if want == "held" {
				want = "Timeout: the cluster's scheduler has not bound it within 30s"
			}
			if got := w.outcome(); !strings.HasPrefix(got, want) || len(w.held.held) > 0 {
				t.Errorf("after the timeout it is %q with %d held, want %q", got, len(w.held.held), want)
			}
		})
	}
}

// The other scheduler may have been quicker: what it wrote is there when the engine decides the same.
func TestHeldBindings_FindWritesThatWereMade(t *testing.T) {
	w := newWriter(t)
	w.apply(world.Changed{Op: world.Modified, Object: selected("n")})
	w.held.accept(world.Effect{ID: 7, At: heldSince, Action: world.SelectNode{
		Pod: world.PodRefOf(heldPod), Node: "n", Claim: world.ObjectRefOf(heldClaim),
	}}, w.Store)
	if got := w.outcome(); got != "done" {
		t.Errorf("it is %q", got)
	}
}
