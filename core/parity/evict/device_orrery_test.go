package evict

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	ours "orrery/core/evict/device"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// orreryDevices carries out our controller's effects at once, and delivers the watch events after watchDelay.
type orreryDevices struct {
	*deviceCluster
	c       *ours.Controller
	pending []world.Input
}

func playOrreryDevices(h deviceHistory) []actionRecord {
	w := &orreryDevices{deviceCluster: newDeviceCluster(), c: ours.New(ours.Options{Act: true, FirstEffect: 1})}
	for _, s := range h.steps {
		w.advance(difftest.SynctestStart.Add(s.at))
		for _, in := range deviceInputs(difftest.SynctestStart.Add(s.at), w.step(s)) {
			w.apply(in)
		}
	}
	w.advance(difftest.SynctestStart.Add(h.until))
	return w.actions
}

func deviceInputs(at time.Time, changes []objectChange) []world.Input {
	var all []world.Input
	for _, c := range changes {
		op := world.Modified
		if c.dropped {
			op = world.Deleted
		}
		all = append(all, world.Input{At: at, Event: world.Changed{Op: op, Object: c.object}})
	}
	return all
}

// advance advances the time, delivering pending inputs.
func (w *orreryDevices) advance(to time.Time) {
	for in, ok := nextInput(w.c, &w.pending, to); ok; in, ok = nextInput(w.c, &w.pending, to) {
		w.apply(in)
	}
}

func (w *orreryDevices) apply(in world.Input) {
	w.c.Apply(in)
	for _, e := range w.c.Effects() {
		w.carryOut(in.At, e)
	}
}

func (w *orreryDevices) scheduleEvents(at time.Time, changes []objectChange) {
	w.pending = append(w.pending, deviceInputs(at.Add(watchDelay), changes)...)
}

func (w *orreryDevices) carryOut(at time.Time, e world.Effect) {
	var out world.Outcome
	switch act := e.Action.(type) {
	case world.EmitEvent:
		w.record(at, act.Regarding.String(), act.Note)
		return
	case world.SetRuleCondition:
		w.scheduleEvents(at, w.report(at, act.Rule.Name, act.Condition))
	case world.PatchStatus:
		if out = w.exists(act.Pod); out.OK() {
			w.scheduleEvents(at, w.mark(at, act.Pod.String(), *act.Condition))
		}
	case world.Delete:
		if out = w.exists(act.Pod); out.OK() {
			changes, done := w.delete(at, act.Pod.String())
			w.scheduleEvents(at, changes)
			if !done {
				out.Code = fwk.Error
			}
		}
	}
	w.apply(world.Input{At: at, Event: world.EffectDone{Effect: e.ID, Outcome: out}})
}

func (w *orreryDevices) exists(ref world.PodRef) world.Outcome {
	if pod := w.pod(ref.String()); pod != nil && pod.UID == ref.UID {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}
}
