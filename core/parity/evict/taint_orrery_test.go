package evict

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	ours "orrery/core/evict/taint"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// orreryTaints carries out our controller's effects at once, and delivers the watch events after watchDelay.
type orreryTaints struct {
	c       *ours.Controller
	pods    map[string]*v1.Pod
	fails   map[string]int
	nodes   map[string]*v1.Node
	pending []world.Input
	actions []actionRecord
}

func playOrreryTaints(h taintHistory) []actionRecord {
	w := &orreryTaints{
		c:    ours.New(ours.Options{Act: true, FirstEffect: 1}),
		pods: map[string]*v1.Pod{}, fails: map[string]int{}, nodes: map[string]*v1.Node{},
	}
	for _, s := range h.steps {
		w.advance(difftest.SynctestStart.Add(s.at))
		w.step(s)
	}
	w.advance(difftest.SynctestStart.Add(h.until))
	return w.actions
}

// advance advances the time, delivering pending inputs.
func (w *orreryTaints) advance(to time.Time) {
	for in, ok := nextInput(w.c, &w.pending, to); ok; in, ok = nextInput(w.c, &w.pending, to) {
		w.apply(in)
	}
}

func (w *orreryTaints) apply(in world.Input) {
	w.c.Apply(in)
	for _, e := range w.c.Effects() {
		w.carryOut(in.At, e)
	}
}

func (w *orreryTaints) step(s taintStep) {
	at := difftest.SynctestStart.Add(s.at)
	if w.deletions() > 0 {
		return
	}
	switch s.what {
	case "setNode":
		w.nodes[s.name] = s.nodeObject()
		w.apply(world.Input{At: at, Event: world.Changed{Op: world.Modified, Object: w.nodes[s.name]}})
	case "dropNode":
		if node := w.nodes[s.name]; node != nil {
			delete(w.nodes, s.name)
			w.apply(world.Input{At: at, Event: world.Changed{Op: world.Deleted, Object: node}})
		}
	case "setPod":
		uid := s.newUID
		if had := w.pods[s.name]; had != nil {
			uid = had.UID
		}
		w.pods[s.name], w.fails[s.name] = s.podObject(uid), s.fails
		w.apply(world.Input{At: at, Event: world.Changed{Op: world.Modified, Object: w.pods[s.name]}})
	case "dropPod":
		if pod := w.pods[s.name]; pod != nil {
			delete(w.pods, s.name)
			w.apply(world.Input{At: at, Event: world.Changed{Op: world.Deleted, Object: pod}})
		}
	}
}

var notFound = world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}

func (w *orreryTaints) has(ref world.PodRef) bool {
	pod := w.pods[ref.Name]
	return pod != nil && pod.UID == ref.UID
}

func (w *orreryTaints) carryOut(at time.Time, e world.Effect) {
	record := func(pod, actions string) { w.actions = append(w.actions, actionAt(at, pod, actions)) }
	var out world.Outcome
	later := func(op world.Op, pod *v1.Pod) {
		w.pending = append(w.pending, world.Input{At: at.Add(watchDelay), Event: world.Changed{Op: op, Object: pod}})
	}
	switch act := e.Action.(type) {
	case world.EmitEvent:
		record(act.Regarding.Name, strings.TrimSuffix(act.Note, " Pod "+act.Regarding.String()))
		return
	case world.PatchStatus:
		if !w.has(act.Pod) {
			out = notFound
			break
		}
		record(act.Pod.Name, "patched")
		pod := w.pods[act.Pod.Name].DeepCopy()
		pod.Status.Conditions = []v1.PodCondition{*act.Condition}
		w.pods[pod.Name] = pod
		later(world.Modified, pod)
	case world.Delete:
		if !w.has(act.Pod) {
			out = notFound
			break
		}
		if w.fails[act.Pod.Name] > 0 {
			w.fails[act.Pod.Name]--
			record(act.Pod.Name, "deletion fails")
			out.Code = fwk.Error
			break
		}
		record(act.Pod.Name, "deleted")
		pod := w.pods[act.Pod.Name]
		delete(w.pods, act.Pod.Name)
		// The deletion replaces the pod's pending update.
		w.pending = slices.DeleteFunc(w.pending, func(in world.Input) bool { return in.Event.(world.Changed).Object.GetUID() == pod.UID })
		later(world.Deleted, pod)
	}
	w.apply(world.Input{At: at, Event: world.EffectDone{Effect: e.ID, Outcome: out}})
}

// deletions returns the number of deletions not delivered yet.
func (w *orreryTaints) deletions() (unseen int) {
	for _, in := range w.pending {
		if in.Event.(world.Changed).Op == world.Deleted {
			unseen++
		}
	}
	return unseen
}
