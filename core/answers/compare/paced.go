package compare

import (
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/world"
)

// paced is a scheduler whose decisions take time: it decides on the next pod when the last decision's time is over. What
// arrives in between is applied at its own time.
type paced struct {
	*drive.Scheduler
	simulation *simulation
	decision   time.Duration // of each decision

	now       time.Time
	idle      time.Time // when the last decision is over
	undecided bool      // there was an input since no pod was ready
}

// Apply applies an input, and counts the wakes of the engine's own timers.
func (p *paced) Apply(in world.Input) {
	if _, tick := in.Event.(world.Tick); tick {
		if at, due := p.Scheduler.NextWake(); due && !at.After(in.At) {
			p.simulation.wakes--
		}
	}
	p.now, p.undecided = in.At, true
	p.Scheduler.Apply(in)
}

// Effects decides on the next pod, unless the last decision still takes time.
func (p *paced) Effects() []world.Effect {
	effects := p.Emit()
	for p.undecided && !p.now.Before(p.idle) {
		d, more := p.Step()
		effects = append(effects, p.Emit()...)
		if p.undecided = more; d != nil {
			p.idle = p.now.Add(p.decision)
		}
	}
	return effects
}

// NextWake is the engine's next timer, or the next decision.
func (p *paced) NextWake() (time.Time, bool) {
	at, due := p.Scheduler.NextWake()
	if p.undecided && (!due || p.idle.Before(at)) {
		return p.idle, true
	}
	return at, due
}
