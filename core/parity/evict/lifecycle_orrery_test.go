package evict

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	ours "orrery/core/evict/lifecycle"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// nodesAppear is when the nodes are added, right after the first pass.
const nodesAppear = 10 * time.Microsecond

// orreryLifecycle carries out our controller's changes and delivers the watch events at once.
type orreryLifecycle struct {
	*zoneCluster
	m *ours.Controller
}

func playOrreryLifecycle(h zoneHistory) []string {
	w := &orreryLifecycle{newZoneCluster(h), ours.New(ours.Options{Start: difftest.SynctestStart, Settings: h.settings, Heartbeats: h.heartbeats})}
	w.apply(difftest.SynctestStart, world.Tick{})
	for _, name := range w.names() {
		w.apply(difftest.SynctestStart.Add(nodesAppear), world.Changed{Op: world.Added, Object: w.nodes[name]})
	}
	for _, s := range h.steps {
		w.advance(difftest.SynctestStart.Add(s.at))
		for _, o := range w.step(s) {
			w.apply(difftest.SynctestStart.Add(s.at), world.Changed{Op: world.Modified, Object: o})
		}
	}
	w.advance(difftest.SynctestStart.Add(h.until))
	return w.changes
}

// advance advances the time.
func (w *orreryLifecycle) advance(to time.Time) {
	for {
		at, ok := w.m.NextWake()
		if !ok || at.After(to) {
			return
		}
		w.apply(at, world.Tick{})
	}
}

func (w *orreryLifecycle) apply(at time.Time, event world.Event) {
	w.m.Apply(world.Input{At: at, Event: event})
	for _, c := range w.m.Changes() {
		n := w.nodes[c.Node].DeepCopy()
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t v1.Taint) bool {
			return slices.ContainsFunc(c.Remove, func(gone v1.Taint) bool { return gone.MatchTaint(&t) })
		})
		n.Spec.Taints = append(n.Spec.Taints, c.Add...)
		if c.Unknown {
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].Status = v1.ConditionUnknown
			}
		}
		w.write(at, n)
		w.apply(at, world.Changed{Op: world.Modified, Object: n})
	}
}
