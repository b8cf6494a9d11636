package diagnose_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/volumes"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// bindingEngine has placed the pod "web" and selected its node for its claim, which no provisioner has served yet.
func bindingEngine(t *testing.T) *engine.Engine {
	t.Helper()
	claim := mk.Claim("data").Size("10Gi").Class("fast").Obj()
	e := engineWith(t, node("n1", "4").Obj(), mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(), claim, mk.Pod("web").CPU("1").PVC("data").Obj())
	selected := false
	for _, effect := range e.Effects() {
		choice, is := effect.Action.(world.SelectNode)
		if !is {
			continue
		}
		selected = true
		written := claim.DeepCopy()
		written.ResourceVersion = "2"
		written.Annotations = map[string]string{"volume.kubernetes.io/selected-node": choice.Node}
		for _, event := range []world.Event{world.Changed{Op: world.Modified, Object: written}, world.EffectDone{Effect: effect.ID}} {
			apply(t, e, start, event)
		}
	}
	if !selected {
		t.Fatal("no node was selected for the claim")
	}
	return e
}

func apply(t *testing.T, e *engine.Engine, at time.Time, event world.Event) {
	t.Helper()
	if err := e.Apply(world.Input{At: at, Event: event}); err != nil {
		t.Fatal(err)
	}
	for _, more := e.Step(); more; _, more = e.Step() {
	}
}

func TestBinding_SaysWhatThePodWaitsFor(t *testing.T) {
	e := bindingEngine(t)
	apply(t, e, start.Add(12*time.Second), world.Tick{})
	d, err := diagnose.Pod(e, world.PodRefOf(mk.Pod("web").Obj()))
	if err != nil {
		t.Fatal(err)
	}
	if want := "placed on n1, waiting for claim data (provisioner csi.example.com, which has no CSIDriver) for 12s; gives up at 10m0s"; d.Waiting != want {
		t.Errorf("got  %s\nwant %s", d.Waiting, want)
	}
	if want := d.Waiting + "; if that fails, it would be placed on n1"; d.Summary != want {
		t.Errorf("got  %s\nwant %s", d.Summary, want)
	}
	bound := mk.Claim("data").Size("10Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", "n1").Bound("pv-1").Obj()
	bound.ResourceVersion = "3"
	apply(t, e, start.Add(13*time.Second), world.Changed{Op: world.Added, Object: mk.Volume("pv-1").Size("10Gi").Class("fast").For(bound).Obj()})
	apply(t, e, start.Add(13*time.Second), world.Changed{Op: world.Modified, Object: bound})
	if d, err = diagnose.Pod(e, world.PodRefOf(mk.Pod("web").Obj())); err != nil || d.Waiting != "" {
		t.Errorf("with its claim bound the pod waits for %q: %v", d.Waiting, err)
	}
}

// The chain is a document: scripts read its fields.
func TestStorage_JSON(t *testing.T) {
	claim := mk.Claim("data").Size("10Gi").Class("fast").Bound("pv-1").Obj()
	attachment := mk.Attachment("a", "n1", "csi.example.com", "pv-1")
	attachment.CreationTimestamp.Time = start
	e := engineWith(t, node("n1", "1").Zone("zone-a").Obj(), node("n2", "4").Zone("zone-b").Obj(), mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(),
		claim, mk.Volume("pv-1").Size("20Gi").Class("fast").On(v1.LabelTopologyZone, "zone-a").For(claim).Obj(), attachment, mk.Pod("web").CPU("2").PVC("data").Obj())
	d, err := diagnose.Pod(e, world.PodRefOf(mk.Pod("web").Obj()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(d.Storage, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(`
{
  "claims": [
    {
      "volume": "data",
      "claim": "data",
      "state": "bound",
      "requested": "10Gi",
      "accessModes": [
        "ReadWriteOnce"
      ],
      "message": "is bound to pv-1, which is in zone-a",
      "class": {
        "name": "fast",
        "provisioner": "csi.example.com",
        "bindingMode": "WaitForFirstConsumer",
        "message": "makes volumes with provisioner csi.example.com"
      },
      "persistentVolume": {
        "name": "pv-1",
        "capacity": "20Gi",
        "place": "in zone-a",
        "reaches": 1,
        "attachments": [
          {
            "node": "n1",
            "attacher": "csi.example.com",
            "attached": false,
            "since": "2026-03-01T06:00:00Z",
            "message": "waits for attacher csi.example.com to attach it to n1 since 2026-03-01T06:00:00Z"
          }
        ],
        "message": "is in zone-a, reaches 1 of 2 nodes, waits for attacher csi.example.com to attach it to n1 since 2026-03-01T06:00:00Z"
      }
    }
  ],
  "nodes": 2,
  "allowed": 1
}`)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClaimsOfAList_AgreeWithTheChain(t *testing.T) {
	now := metav1.NewTime(start)
	terminating := mk.Claim("leaving").Bound("pv").Obj()
	terminating.DeletionTimestamp, terminating.Finalizers = &now, []string{"kubernetes.io/pvc-protection"}
	lost := mk.Claim("lost").Bound("gone").Obj()
	lost.Status.Phase = v1.ClaimLost
	claims := []*v1.PersistentVolumeClaim{
		terminating, lost, mk.Claim("bound").Bound("pv").Obj(), mk.Claim("volumeless").Bound("gone").Obj(), mk.Claim("immediate").Class("now").Obj(),
		mk.Claim("classless").Class("absent").Obj(), mk.Claim("delayed").Class("later").Obj(),
		mk.Claim("selected").Class("later").Annotation("volume.kubernetes.io/selected-node", "n1").Obj(), mk.Claim("manual").Class("manual").Obj(),
	}
	pod := mk.Pod("web")
	objects := []world.Object{
		node("n1", "4").Obj(), mk.Volume("pv").Obj(), mk.Class("now", "csi.example.com").Obj(), mk.Class("later", "csi.example.com").WaitForFirstConsumer().Obj(),
		mk.Class("manual", "kubernetes.io/no-provisioner").Obj(),
	}
	for _, claim := range claims {
		pod.PVC(claim.Name)
		objects = append(objects, claim)
	}
	e := engineWith(t, append(objects, pod.Obj())...)
	provisioner := map[string]bool{"immediate": true, "selected": true}
	list := volumes.ClaimReader{State: e.Volumes()}
	for i, l := range diagnose.Chain(e, pod.Obj()).Claims {
		claim := e.Volumes().Claim("default", l.Claim)
		got := list.Of(claim)
		if got.State != l.State || got.Requested != l.Requested || !strings.HasPrefix(l.Says, got.Says) || !strings.HasPrefix(l.WaitsFor, got.WaitsFor) {
			t.Errorf("claim %s is %s, %s, %s; in the chain %s, %s, %s", claims[i].Name, got.State, got.Says, got.WaitsFor, l.State, l.Says, l.WaitsFor)
		}
		if s, waits := e.Volumes().StateOf(claim); s != l.State || waits != provisioner[l.Claim] {
			t.Errorf("claim %s is %s, waiting for a provisioner: %v; in the chain %s", l.Claim, s, waits, l.State)
		}
	}
}
