package device

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	ours "orrery/core/evict/device"
	"orrery/core/parity/evict/deeds"
	"orrery/core/parity/virtual"
	"orrery/core/world"
)

// ourWorld carries out at once what our controller wants, and lets it see what comes of it a moment later.
type ourWorld struct {
	*cluster
	c    *ours.Controller
	soon []world.Input
}

func playOurs(h history) []deeds.Deed {
	w := &ourWorld{cluster: newCluster(), c: ours.New(ours.Options{Act: true, First: 1})}
	for _, s := range h.steps {
		w.pass(virtual.Began.Add(s.at))
		for _, in := range inputs(virtual.Began.Add(s.at), w.step(s)) {
			w.apply(in)
		}
	}
	w.pass(virtual.Began.Add(h.until))
	return w.did
}

func inputs(at time.Time, changes []change) []world.Input {
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
func (w *ourWorld) pass(to time.Time) {
	for in, ok := deeds.Next(w.c, &w.soon, to); ok; in, ok = deeds.Next(w.c, &w.soon, to) {
		w.apply(in)
	}
}

func (w *ourWorld) apply(in world.Input) {
	w.c.Apply(in)
	effects := w.c.Effects()
	for _, s := range w.c.Statuses() {
		w.seeSoon(in.At, w.report(s.At, s.Rule, s.Condition))
	}
	for _, e := range effects {
		w.carryOut(in.At, e)
	}
}

func (w *ourWorld) seeSoon(at time.Time, changes []change) {
	w.soon = append(w.soon, inputs(at.Add(deeds.SeenAfter), changes)...)
}

func (w *ourWorld) carryOut(at time.Time, e world.Effect) {
	var out world.Outcome
	switch act := e.Act.(type) {
	case world.Announce:
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
	w.apply(world.Input{At: at, Event: world.Ended{Effect: e.ID, Outcome: out}})
}

func (w *ourWorld) there(ref world.Ref) world.Outcome {
	if pod := w.pod(ref.String()); pod != nil && pod.UID == ref.UID {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}
}
