package telemetry

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/preempt"
	"orrery/core/world"
)

// preemptionTimeout bounds how long a preemption's deletions are tracked. Some never end: a victim that was waiting for
// a permit is rejected instead of deleted.
//
//orrery:limit scheduler; how long a preemption's deletions are waited for; it is not measured
const preemptionTimeout = 10 * time.Minute

// preemptions tracks the deletion of victims: whether each preemption succeeded, and how long it took.
type preemptions struct {
	open    []*preemption // oldest first
	victims map[types.UID]*preemption
	calls   map[world.EffectID]*preemption
}

// preemption is one preemption's victims.
type preemption struct {
	began  time.Time
	left   int // victims whose deletion has not ended
	failed bool
	uids   []types.UID
}

func newPreemptions() preemptions {
	return preemptions{victims: map[types.UID]*preemption{}, calls: map[world.EffectID]*preemption{}}
}

func (d *preemptions) start(now time.Time, r *preempt.Record) {
	d.forget(now)
	g := &preemption{began: now, left: len(r.Victims)}
	for _, victim := range r.Victims {
		g.uids = append(g.uids, victim.UID)
		d.victims[victim.UID] = g
	}
	d.open = append(d.open, g)
}

// forget drops preemptions that have ended or are too old.
func (d *preemptions) forget(now time.Time) {
	for len(d.open) > 0 && (d.open[0].left == 0 || now.Sub(d.open[0].began) > preemptionTimeout) {
		g := d.open[0]
		d.open = d.open[1:]
		for _, uid := range g.uids {
			if d.victims[uid] == g {
				delete(d.victims, uid)
			}
		}
	}
	for id, g := range d.calls {
		if now.Sub(g.began) > preemptionTimeout {
			delete(d.calls, id)
		}
	}
}

func (d *preemptions) emitted(effect world.Effect) {
	if act, ok := effect.Action.(world.Delete); ok {
		if g := d.victims[act.Pod.UID]; g != nil {
			d.calls[effect.ID] = g
		}
	}
}

// deletionDone counts a deletion, and reports the preemption after the last one.
func (d *preemptions) deletionDone(now time.Time, ended world.EffectDone, report func(well bool, took time.Duration)) {
	g := d.calls[ended.Effect]
	if g == nil {
		return
	}
	delete(d.calls, ended.Effect)
	g.left--
	g.failed = g.failed || !ended.Outcome.OK()
	if g.left == 0 {
		report(!g.failed, now.Sub(g.began))
	}
}
