package telemetry

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/preempt"
	"orrery/core/world"
)

// deathsLongest is for how long a preemption's deletions are waited for. A victim that was not bound yet is turned back
// and not deleted, so not every wait has an end.
const deathsLongest = 10 * time.Minute

// deaths follows the deletions of preemptions' victims, to tell how each preemption went and how long it took.
type deaths struct {
	groups  []*group // oldest first
	victims map[types.UID]*group
	calls   map[world.EffectID]*group
}

// group is the victims of one preemption.
type group struct {
	began  time.Time
	left   int // victims whose deletion has not ended
	failed bool
	uids   []types.UID
}

func newDeaths() deaths {
	return deaths{victims: map[types.UID]*group{}, calls: map[world.EffectID]*group{}}
}

func (d *deaths) begin(now time.Time, r *preempt.Record) {
	d.forget(now)
	g := &group{began: now, left: len(r.Victims)}
	for _, victim := range r.Victims {
		g.uids = append(g.uids, victim.UID)
		d.victims[victim.UID] = g
	}
	d.groups = append(d.groups, g)
}

// forget drops preemptions of long ago.
func (d *deaths) forget(now time.Time) {
	for len(d.groups) > 0 && (d.groups[0].left == 0 || now.Sub(d.groups[0].began) > deathsLongest) {
		g := d.groups[0]
		d.groups = d.groups[1:]
		for _, uid := range g.uids {
			if d.victims[uid] == g {
				delete(d.victims, uid)
			}
		}
	}
	for id, g := range d.calls {
		if now.Sub(g.began) > deathsLongest {
			delete(d.calls, id)
		}
	}
}

func (d *deaths) wanted(effect world.Effect) {
	if act, ok := effect.Act.(world.Delete); ok {
		if g := d.victims[act.Pod.UID]; g != nil {
			d.calls[effect.ID] = g
		}
	}
}

// ended takes note of a deletion, and tells how the preemption went if this was the last one.
func (d *deaths) ended(now time.Time, ended world.Ended, tell func(well bool, took time.Duration)) {
	g := d.calls[ended.Effect]
	if g == nil {
		return
	}
	delete(d.calls, ended.Effect)
	g.left--
	g.failed = g.failed || !ended.Outcome.OK()
	if g.left == 0 {
		tell(!g.failed, now.Sub(g.began))
	}
}
