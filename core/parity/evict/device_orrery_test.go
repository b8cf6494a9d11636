package evict

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	ours "orrery/core/evict/device"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// ourWorld carries out at once what our controller wants, and lets it see what comes of it a moment later.
type orreryDevices struct {
	*deviceCluster
	c    *ours.Controller
	soon []world.Input
}

func playOrreryDevices(h deviceHistory) []actionRecord {
	w := &orreryDevices{deviceCluster: newDeviceCluster(), c: ours.New(ours.Options{Act: true, FirstEffect: 1})}
	for _, s := range h.steps {
		w.pass(difftest.SynctestStart.Add(s.at))
		for _, in := range deviceInputs(difftest.SynctestStart.Add(s.at), w.step(s)) {
			w.apply(in)
		}
	}
	w.pass(difftest.SynctestStart.Add(h.until))
	return w.did
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

// pass lets time go by.
func (w *orreryDevices) pass(to time.Time) {
	for in, ok := nextInput(w.c, &w.soon, to); ok; in, ok = nextInput(w.c, &w.soon, to) {
		w.apply(in)
	}
}

func (w *orreryDevices) apply(in world.Input) {
	w.c.Apply(in)
	effects := w.c.Effects()
	for _, s := range w.c.Statuses() {
		w.seeSoon(in.At, w.report(s.At, s.Rule, s.Condition))
	}
	for _, e := range effects {
		w.carryOut(in.At, e)
	}
}

func (w *orreryDevices) seeSoon(at time.Time, changes []objectChange) {
	w.soon = append(w.soon, deviceInputs(at.Add(watchDelay), changes)...)
}

func (w *orreryDevices) carryOut(at time.Time, e world.Effect) {
	var out world.Outcome
	switch act := e.Action.(type) {
	case world.EmitEvent:
		w.note(at, act.Regarding.String(), act.Note)
		return
	case world.PatchStatus:
		if out = w.there(act.Pod); out.OK() {
			w.seeSoon(at, w.mark(at, act.Pod.String(), *act.Condition))
		}
	case world.Delete:
		if out = w.there(act.Pod); out.OK() {
			changes, done := w.delete(at, act.Pod.String())
			w.seeSoon(at, changes)
			if !done {
				out.Code = fwk.Error
			}
		}
	}
	w.apply(world.Input{At: at, Event: world.EffectDone{Effect: e.ID, Outcome: out}})
}

func (w *orreryDevices) there(ref world.PodRef) world.Outcome {
	if pod := w.pod(ref.String()); pod != nil && pod.UID == ref.UID {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}
}
