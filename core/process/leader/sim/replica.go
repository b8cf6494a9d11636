package sim

import (
	"strconv"
	"time"

	"orrery/core/process/leader"
)

// Replica is a machine with its own clock, on which one process runs after the other.
type Replica struct {
	sim      *Simulation
	settings leader.Settings
	clock    clock
	// wall is how far the wall clock is ahead of clock, and set what it was when the process started, which goes on by that.
	wall, set int64

	// candidate is nil while no process runs. incarnation numbers the processes, so that events for one do not reach the
	// next.
	candidate   *leader.Candidate
	incarnation uint64
	timer       int64 // when the next wake-up is queued, 0 for none

	paused        bool
	pausedTo      int64
	partitionedTo int64
	heldResponses []leader.Response
}

// Name is the identity of the settings; the identities of the processes start with it.
func (r *Replica) Name() string { return r.settings.Identity }

// Candidate returns the running process's candidate, nil if none runs.
func (r *Replica) Candidate() *leader.Candidate { return r.candidate }

// Paused reports whether the process is paused, as by SIGSTOP.
func (r *Replica) Paused() bool { return r.paused }

// Leading reports whether the process believes that it leads.
func (r *Replica) Leading() bool { return r.candidate != nil && r.candidate.Leading() }

// Now is the time by the replica's clock, as its process has it.
func (r *Replica) Now() time.Time { return r.sim.at(r.clock.read(r.sim.now) + r.set) }

// When is the first virtual time, now or later, at which the replica's process has a time.
func (r *Replica) When(local time.Time) time.Time { return r.sim.at(max(r.sim.now, r.when(local))) }

func (r *Replica) when(local time.Time) int64 { return r.clock.when(r.sim.since(local) - r.set) }

// SetWallClock sets the replica's wall clock ahead or back. A process measures time by the monotonic clock, and takes the wall clock over
// when it starts. The present one only notices how far they are apart.
func (r *Replica) SetWallClock(by time.Duration) {
	r.wall += int64(by)
	if r.candidate != nil && !r.paused {
		r.noteWallClock()
		r.candidate.Wake(r.Now())
		r.runToRest()
	}
}

// noteWallClock has the process compare its clocks, as it does whenever it acts.
func (r *Replica) noteWallClock() { r.candidate.SetWallLead(time.Duration(r.wall - r.set)) }

// Suspend stops the machine for some time, its monotonic clock with it. Its wall clock goes on.
func (r *Replica) Suspend(d time.Duration) {
	r.wall += r.clock.stop(r.sim.now, r.sim.now+int64(d))
	r.Pause(d)
}

// SetRate runs the replica's clock at a multiple of the true rate from now on.
func (r *Replica) SetRate(rate float64) {
	r.clock.setRate(r.sim.now, partsPerMillion(rate))
	r.timer = 0
	r.runToRest()
}

// Partition drops everything between the replica and the API server for some time.
func (r *Replica) Partition(d time.Duration) {
	r.partitionedTo = max(r.partitionedTo, r.sim.now+int64(d))
}

// Pause stops the process for some time. Its clock goes on.
func (r *Replica) Pause(d time.Duration) {
	r.paused, r.pausedTo = true, max(r.pausedTo, r.sim.now+int64(d))
	r.sim.after(d, r.resume)
}

func (r *Replica) resume() {
	if r.sim.now < r.pausedTo {
		return
	}
	r.paused = false
	if r.candidate == nil {
		return
	}
	r.noteWallClock()
	r.candidate.Wake(r.Now())
	for _, a := range r.heldResponses {
		r.candidate.HandleResponse(r.Now(), a)
	}
	r.heldResponses = nil
	r.runToRest()
}

// Kill ends the process without a release.
func (r *Replica) Kill() {
	if r.candidate != nil {
		r.exit()
	}
}

// Terminate ends the process like SIGTERM: it releases the lease if the settings say so. A paused process does not notice.
func (r *Replica) Terminate() {
	if r.candidate != nil && !r.paused {
		r.candidate.Cancel(r.Now())
		r.runToRest()
	}
}

// exit ends the process and schedules the next.
func (r *Replica) exit() {
	r.candidate, r.heldResponses, r.timer = nil, nil, 0
	r.incarnation++
	r.sim.after(r.sim.options.RestartAfter, r.start)
}

// start starts a process.
func (r *Replica) start() {
	r.set = r.wall
	s := r.settings
	s.Seed += r.incarnation
	if r.incarnation > 0 {
		s.Identity += "_" + strconv.FormatUint(r.incarnation, 10)
	}
	candidate, err := leader.New(s, r.Now())
	if err != nil {
		panic("the settings were checked when the replica was added: " + err.Error())
	}
	r.candidate = candidate
	r.runToRest()
}

// runToRest executes the candidate's calls, notices and timers until it waits.
func (r *Replica) runToRest() {
	for r.candidate != nil && !r.paused {
		for _, n := range r.candidate.Notices() {
			r.sim.notify(r, n)
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
		if at := r.when(wake); at > r.sim.now {
			r.wakeAt(at)
			return
		}
		r.candidate.Wake(r.Now())
	}
}

// wakeAt queues a wake-up no later than that. Early ones are harmless.
func (r *Replica) wakeAt(at int64) {
	if r.timer != 0 && r.timer <= at {
		return
	}
	r.timer = at
	e := r.sim.events.push(at, wakeEvent)
	e.replica, e.incarnation = r, r.incarnation
}

func (r *Replica) wake(at int64) {
	if r.timer != at {
		return
	}
	r.timer = 0
	r.runToRest()
}
