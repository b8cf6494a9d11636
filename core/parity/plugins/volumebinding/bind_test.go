package volumebinding

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/assumed"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestBinding_SameWritesAndErrors(t *testing.T) {
	seen := difftest.Coverage{}
	n := difftest.CheckInSynctest(t, comparisons.Bindings.Cases, func(source *difftest.Source) { bindOne(source, seen) })
	seen.Require(t, n, "bound", "conflict", "timed out", "node is gone", "pod is gone", "volume is gone", "claim is gone",
		"ClaimRef got reset", "provisioning failed", "annotation reset", "out of reach", "not translatable", "volume written", "claim written")
}

// outcomes are the ends of bindings, by a part of their text.
var outcomes = []struct{ text, name string }{
	{"modified", "conflict"},
	{"deadline", "timed out"},
	{"failed to get node", "node is gone"},
	{"pod does not exist", "pod is gone"},
	{`persistentvolumes "`, "volume is gone"},
	{`persistentvolumeclaims "`, "claim is gone"},
	{"ClaimRef got reset", "ClaimRef got reset"},
	{"provisioning failed", "provisioning failed"},
	{"annotation reset", "annotation reset"},
	{"node affinity doesn't match", "out of reach"},
	{"could not translate", "not translatable"},
}

// bindOne binds the claims of one pod on both sides. kube-scheduler looks at them every second; changes come half-way between,
// one at a time, so that it misses none.
func bindOne(t *difftest.Source, seen difftest.Coverage) {
	server := &apiServer{}
	r := &comparison{Source: t, c: newCluster(t, server), seen: difftest.Coverage{}}
	server.cluster = r.c
	r.c.fill(t)
	for _, name := range classNames {
		if !t.OneIn(6) {
			r.c.set(mk.Class(name, drivers[0]).WaitForFirstConsumer().Obj())
		}
	}
	if t.Bool() {
		for _, name := range nodeNames {
			r.c.set(mk.CSINode(name).Migrated(migrated[0]).Obj())
		}
	}
	pod := r.c.set(bindable(r)).(*v1.Pod)
	if r.c.ambiguous(pod) {
		return
	}
	h := r.reserve(pod)
	if h == nil {
		return
	}
	if _, status := r.c.upstream.PreBindPreFlight(context.Background(), h.theirs, pod, h.node); !status.IsSuccess() {
		return
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeName = h.node
	if t.OneIn(6) {
		r.changeChosen() // the writes may conflict
	}
	server.assumed = assumed.InState(r.c.state, r.c.store).Volumes
	ended := make(chan *fwk.Status, 1)
	ctx, end := context.WithCancel(context.Background())
	defer synctest.Wait()
	defer end()
	go func() { ended <- r.c.upstream.PreBind(ctx, h.theirs, pod, h.node) }()
	synctest.Wait()
	if server.refusedUnneeded {
		seen.Count("a conflict about a volume that needs no change")
		return
	}
	b := &orreryBinding{c: r.c, h: h, pod: pod}
	b.step(nil)
	if diff := cmp.Diff(server.needed(), b.writes); diff != "" {
		r.fail("writes in order (-kube-scheduler +Orrery):\n" + diff)
	}
	countWrites(seen, b.writes)
	b.carryOn(r, server, ended)
	want, got := statusText(b.theirs), statusText(b.status)
	if want != got {
		r.fail(fmt.Sprintf("the binding ends with: kube-scheduler %s, Orrery %s", want, got))
	}
	seen.Count("%s", outcomeOf(b.theirs))
}

func outcomeOf(s *fwk.Status) string {
	for _, o := range outcomes {
		if strings.Contains(s.Message(), o.text) {
			return o.name
		}
	}
	if !s.IsSuccess() {
		return s.Message()
	}
	return "bound"
}

func countWrites(seen difftest.Coverage, writes []world.Object) {
	for _, w := range writes {
		if _, ok := w.(*v1.PersistentVolume); ok {
			seen.Count("volume written")
		} else {
			seen.Count("claim written")
		}
	}
}

// bindable is a pod with one claim to three that are likely to be bound with it.
func bindable(r *comparison) *v1.Pod {
	pod := somePod(r.Source)
	pod.Namespace = namespaces[0]
	pod.Spec.Volumes = nil
	for _, name := range claimNames[:r.Range(1, 3)] {
		claim := someClaim(r.Source, r.c.scored)
		claim.Namespace, claim.Name, claim.DeletionTimestamp, claim.Status = namespaces[0], name, nil, v1.PersistentVolumeClaimStatus{}
		if !r.OneIn(6) {
			claim.Spec.VolumeName, claim.Spec.Selector, claim.Spec.VolumeMode, claim.Spec.VolumeAttributesClassName = "", nil, nil, nil
			delete(claim.Annotations, volume.AnnBindCompleted)
			delete(claim.Annotations, volume.AnnSelectedNode)
		}
		r.c.set(claim)
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: name, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	}
	return pod
}

// orreryBinding is the binding of Orrery's plugin, as its engine drives it.
type orreryBinding struct {
	c      *cluster
	h      *reservation
	pod    *v1.Pod
	writes []world.Object
	until  time.Time
	done   bool
	status *fwk.Status
	theirs *fwk.Status
}

// step takes steps until the plugin waits or has ended. A write has the same effect as that of kube-scheduler, which the
// API server has carried out already.
func (b *orreryBinding) step(outcome *world.Outcome) {
	for !b.done {
		s := b.c.orrery.PreBindStep(b.h.ours, b.pod, b.h.node, time.Now(), outcome)
		switch {
		case s.Action != nil:
			outcome = b.write(s.Action)
		case s.Wait != nil:
			b.until = s.Wait.Until
			return
		default:
			b.done, b.status = true, s.Status
		}
	}
}

// write applies a patch to the state that the API server has.
func (b *orreryBinding) write(action world.Action) *world.Outcome {
	var object world.Object
	var ref world.ObjectRef
	switch act := action.(type) {
	case world.ClaimVolume:
		ref = act.Volume
		if pv, ok := b.c.store.Object(world.PersistentVolume, "", ref.Name).(*v1.PersistentVolume); ok && pv != nil {
			pv = pv.DeepCopy()
			claim := world.ClaimReference(act.Claim)
			pv.Spec.ClaimRef = &claim
			if act.ByController {
				metav1.SetMetaDataAnnotation(&pv.ObjectMeta, volume.AnnBoundByController, "yes")
			}
			object = pv
		}
	case world.SelectNode:
		ref = act.Claim
		if claim, ok := b.c.store.Object(world.PersistentVolumeClaim, ref.Namespace, ref.Name).(*v1.PersistentVolumeClaim); ok && claim != nil {
			claim = claim.DeepCopy()
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnSelectedNode, act.Node)
			object = claim
		}
	}
	if err := refusal(action, object, ref.Name, ref.ResourceVersion); err != nil {
		return &world.Outcome{Code: fwk.Error, Message: err.Error()}
	}
	b.writes = append(b.writes, object)
	return &world.Outcome{}
}

// carryOn lets the cluster change until both bindings have ended.
func (b *orreryBinding) carryOn(r *comparison, server *apiServer, ended chan *fwk.Status) {
	time.Sleep(time.Second / 2)
	for second := int64(0); ; second++ {
		select {
		case b.theirs = <-ended:
			if !b.done && time.Now().After(b.until) {
				b.step(nil)
			}
			if !b.done {
				r.fail("kube-scheduler's binding has ended with " + statusText(b.theirs) + ", Orrery's has not")
			}
			return
		default:
		}
		if b.done && second > 0 { // with the change half a second ago, at the latest
			r.fail("Orrery's binding has ended with " + statusText(b.status) + ", kube-scheduler's has not")
		}
		if !b.done && second < bindTimeout-1 && !r.OneIn(5) { // the last look and the timeout come at one time
			server.progress(r)
			b.step(nil)
		}
		time.Sleep(time.Second)
	}
}
