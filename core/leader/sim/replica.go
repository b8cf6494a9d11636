package sim

import (
	"strconv"
	"time"

	"orrery/core/leader"
)

// Replica is one process of the election after the other, on a machine with a clock of its own.
type Replica struct {
	sim      *Simulation
	settings leader.Settings
	clock    clock

	// candidate is nil while no process runs. life numbers the processes, so that nothing meant for one reaches the next.
	candidate *leader.Candidate
	life      uint64
	timer     int64 // when the agenda wakes it next, 0 for not at all

	stopped   bool
	stoppedTo int64
	cutOffTo  int64
	held      []leader.Answer
}

// Name is the identity from the settings, which the identities of the processes begin with.
func (r *Replica) Name() string { return r.settings.Identity }

// Candidate is that of the process that runs now, nil if none does.
func (r *Replica) Candidate() *leader.Candidate { return r.candidate }

// Stopped tells whether the process is stopped, as by SIGSTOP.
func (r *Replica) Stopped() bool { return r.stopped }

// Leading tells whether the process believes that it leads.
func (r *Replica) Leading() bool { return r.candidate != nil && r.candidate.Leading() }

// Now is what the replica's clock shows.
func (r *Replica) Now() time.Time { return r.sim.at(r.clock.read(r.sim.now)) }

// SetRate makes the replica's clock go at that many times the true rate from now on.
func (r *Replica) SetRate(rate float64) {
	r.clock.setRate(r.sim.now, partsPerMillion(rate))
	r.timer = 0
	r.settle()
}

// CutOff loses everything on the way between the replica and the API server for some time.
func (r *Replica) CutOff(d time.Duration) { r.cutOffTo = max(r.cutOffTo, r.sim.now+int64(d)) }

// Stop stops the process for some time: its clock goes on, but it does and notices nothing.
func (r *Replica) Stop(d time.Duration) {
	r.stopped, r.stoppedTo = true, max(r.stoppedTo, r.sim.now+int64(d))
	r.sim.after(d, r.resume)
}

func (r *Replica) resume() {
	if r.sim.now < r.stoppedTo {
		return
	}
	r.stopped = false
	if r.candidate == nil {
		return
	}
	r.candidate.Wake(r.Now())
	for _, a := range r.held {
		r.candidate.Answer(r.Now(), a)
	}
	r.held = nil
	r.settle()
}

// Kill ends the process without a word.
func (r *Replica) Kill() {
	if r.candidate != nil {
		r.exit()
	}
}

// Terminate asks the process to end, as SIGTERM does: it releases the lease if it should. A stopped process is not
// reached.
func (r *Replica) Terminate() {
	if r.candidate != nil && !r.stopped {
		r.candidate.Cancel(r.Now())
		r.settle()
	}
}

// exit is the end of a process; another follows.
func (r *Replica) exit() {
	r.candidate, r.held, r.timer = nil, nil, 0
	r.life++
	r.sim.after(r.sim.options.RestartAfter, r.begin)
}

// begin starts a process.
func (r *Replica) begin() {
	s := r.settings
	s.Seed += r.life
	if r.life > 0 {
		s.Identity += "_" + strconv.FormatUint(r.life, 10)
	}
	candidate, err := leader.New(s, r.Now())
	if err != nil {
		panic("the settings were checked when the replica was added: " + err.Error())
	}
	r.candidate = candidate
	r.settle()
}

// settle does what the candidate wants done: its call, its notices, its next timer.
func (r *Replica) settle() {
	for r.candidate != nil && !r.stopped {
		for _, n := range r.candidate.Notices() {
			r.sim.noticed(r, n)
		}
		if _, ended := r.candidate.ExitCode(); ended {
			r.exit()
			return
		}
		if call, ok := r.candidate.Call(); ok {
			r.sim.send(r, call)
			continue
		}
		wake, ok := r.candidate.NextWake()
		if !ok {
			return
		}
		if at := r.clock.when(r.sim.since(wake)); at > r.sim.now {
			r.wakeAt(at)
			return
		}
		r.candidate.Wake(r.Now())
	}
}

// wakeAt sees to it that the agenda has a timer no later than that. One that comes too early does no harm.
func (r *Replica) wakeAt(at int64) {
	if r.timer != 0 && r.timer <= at {
		return
	}
	r.timer = at
	e := r.sim.agenda.put(at, wakes)
	e.replica, e.life = r, r.life
}

func (r *Replica) woken(at int64) {
	if r.timer != at {
		return
	}
	r.timer = 0
	r.settle()
}
