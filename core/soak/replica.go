package soak

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/leader"
	"orrery/core/leader/sim"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// replica is a machine on which a process of the scheduler runs, one after the other. A process follows the cluster from its start,
// and decides while it holds the lease.
type replica struct {
	run     *run
	number  int
	elector *sim.Replica

	// Of the present process; engine is nil while none runs.
	process   *leader.Candidate
	started   int // processes so far
	options   engine.Options
	engine    *engine.Engine
	scheduler *drive.Scheduler
	observers *observers
	ledger    *ledger
	feed      *play.Feed

	held     []world.Event // that have not reached the process, which was paused or cut off
	cutUntil time.Time
	relists  bool                    // when it is connected again
	calls    map[world.EffectID]bool // of the API server, without an outcome yet
	timeouts []timeout               // of calls that were lost
	crashIn  int                     // effects until the process is killed; negative if it is not
}

// timeout is the outcome of a call that got no answer.
type timeout struct {
	at     time.Time
	effect world.EffectID
}

// callTimeout is how long a call waits for an answer.
const callTimeout = 10 * time.Second

// processShift is the bit position of the number of the process in the effects of a replica, so that no process gets the outcomes of
// an earlier one.
const processShift = 32

// follow starts and ends the scheduler with the process of the elector.
func (r *replica) follow(now time.Time) {
	process := r.elector.Candidate()
	if process == r.process {
		return
	}
	r.end()
	if r.process = process; process != nil {
		r.begin(now)
	}
}

func (r *replica) begin(now time.Time) {
	r.started++
	r.options = r.run.options(r, now)
	e, err := engine.New(r.options)
	if err != nil {
		panic("the configuration of a plan is valid: " + err.Error())
	}
	r.engine, r.ledger, r.feed = e, newLedger(r, e), play.NewFeed(e, r.options, nil)
	r.observers = &observers{all: drive.Observers{r.ledger, r.feed}}
	r.scheduler = drive.NewScheduler(e, r.observers)
	r.calls, r.crashIn = map[world.EffectID]bool{}, -1
	for _, list := range r.run.seen.lists(0) {
		r.scheduler.Apply(world.Input{At: now, Event: list})
	}
}

// end ends the process, as a crash does.
func (r *replica) end() {
	if r.engine != nil {
		r.run.result.Decisions += r.ledger.decisionsMade()
		r.run.result.Inputs += r.ledger.inputs
		r.observers.end()
	}
	r.engine, r.scheduler, r.ledger, r.feed, r.held, r.timeouts, r.calls = nil, nil, nil, nil, nil, nil, nil
}

// crashAfter kills the process with one of its next effects, or now if it does not lead.
func (r *replica) crashAfter(effects int) {
	if r.engine == nil {
		return
	}
	if r.crashIn = effects; !r.leads() {
		r.elector.Kill()
	}
}

// partition cuts the process off from the API server. Afterwards it gets what it has missed, as events or as lists.
func (r *replica) partition(d time.Duration, relists bool) {
	r.elector.Partition(d)
	until := r.run.cluster.Now().Add(d)
	if until.After(r.cutUntil) {
		r.cutUntil = until
	}
	r.relists = r.relists || relists
	r.run.at(r.cutUntil, func() {}) // wakes it
}

func (r *replica) cutOff(now time.Time) bool { return now.Before(r.cutUntil) }

// leads reports whether the process may schedule.
func (r *replica) leads() bool {
	return r.engine != nil && r.elector.Leading() && !r.elector.Paused()
}

// Apply implements drive.Controller.
func (r *replica) Apply(in world.Input) {
	r.follow(in.At)
	if r.engine == nil {
		return
	}
	event := in.Event
	if done, ok := event.(world.EffectDone); ok {
		if done.Effect>>processShift != world.EffectID(r.started) {
			return
		}
		done.Effect &= 1<<processShift - 1
		if r.calls[done.Effect] && r.cutOff(in.At) {
			r.timeouts = append(r.timeouts, timeout{in.At.Add(callTimeout), done.Effect})
			return
		}
		event = done
	}
	_, tick := event.(world.Tick)
	if r.elector.Paused() || r.cutOff(in.At) && reachesOverNetwork(event) {
		if !tick {
			r.held = append(r.held, event)
		}
		return
	}
	r.catchUp(in.At)
	if tick {
		if at, ok := r.scheduler.NextWake(); !ok || at.After(in.At) {
			return
		}
	}
	r.tell(in.At, event)
}

// reachesOverNetwork reports whether an event comes from the API server. Outcomes are dealt with before.
func reachesOverNetwork(event world.Event) bool {
	switch event.(type) {
	case world.Changed, world.Listed:
		return true
	}
	return false
}

func (r *replica) tell(now time.Time, event world.Event) {
	if done, ok := event.(world.EffectDone); ok {
		delete(r.calls, done.Effect)
	}
	r.scheduler.Apply(world.Input{At: now, Event: event})
}

// catchUp gives the process what it has missed, and the timeouts of its calls.
func (r *replica) catchUp(now time.Time) {
	held := r.held
	if !r.cutOff(now) {
		r.held = nil
		if r.relists {
			r.relists = false
			for _, list := range r.run.seen.lists(r.started + len(held)) {
				r.tell(now, list)
			}
			held = outcomesOf(held)
		}
	} else {
		held = nil
	}
	for _, event := range held {
		r.tell(now, event)
	}
	for len(r.timeouts) > 0 && !r.timeouts[0].at.After(now) {
		lost := r.timeouts[0]
		r.timeouts = r.timeouts[1:]
		r.tell(now, world.EffectDone{Effect: lost.effect, Outcome: timedOut})
	}
}

var timedOut = world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonTimeout, Message: "the call timed out"}

// outcomesOf leaves out what a list replaces.
func outcomesOf(events []world.Event) (kept []world.Event) {
	for _, event := range events {
		if !reachesOverNetwork(event) {
			kept = append(kept, event)
		}
	}
	return kept
}

// NextWake implements drive.Controller.
func (r *replica) NextWake() (time.Time, bool) {
	if r.engine == nil || r.elector.Paused() {
		return time.Time{}, false
	}
	timers := []func() (time.Time, bool){func() (time.Time, bool) {
		if len(r.timeouts) == 0 {
			return time.Time{}, false
		}
		return r.timeouts[0].at, true
	}}
	if r.leads() {
		timers = append(timers, r.scheduler.NextWake)
	}
	return drive.Earliest(timers...)
}

// maxDecisions is how many decisions the work of one moment may take.
const maxDecisions = 20_000

// Effects implements drive.Controller: it decides while there is something to decide, and the process may.
func (r *replica) Effects() (effects []world.Effect) {
	r.follow(r.run.cluster.Now())
	if !r.leads() {
		return nil
	}
	effects = r.send(effects, r.scheduler.Emit())
	for n := 0; r.leads() && r.run.violation == nil; n++ {
		before := r.ledger.beforeStep()
		d, more := r.scheduler.Step()
		r.ledger.afterStep(before, d)
		effects = r.send(effects, r.scheduler.Emit())
		if !more {
			break
		}
		if n > maxDecisions {
			r.run.fail("progress", "%d decisions at one moment, the last on %s: %s", n, d.Pod, d.Message)
		}
	}
	return effects
}

// send passes effects on, up to the one with which the process is killed. Calls of a process that is cut off are lost.
func (r *replica) send(sent, effects []world.Effect) []world.Effect {
	now := r.run.cluster.Now()
	for _, effect := range effects {
		if r.engine == nil || r.elector.Candidate() != r.process {
			return sent
		}
		if r.crashIn >= 0 {
			if r.crashIn--; r.crashIn < 0 {
				r.elector.Kill()
				return sent
			}
		}
		if overNetwork(effect.Action) {
			outcome := world.HasOutcome(effect.Action)
			if r.cutOff(now) {
				if outcome {
					r.timeouts = append(r.timeouts, timeout{now.Add(callTimeout), effect.ID})
				}
				continue
			}
			if outcome {
				r.calls[effect.ID] = true
			}
		}
		effect.ID += world.EffectID(r.started) << processShift
		sent = append(sent, effect)
	}
	return sent
}

// overNetwork reports whether an effect is a call of the API server.
func overNetwork(a world.Action) bool {
	switch a.(type) {
	case world.RunPlugin, world.CallExtender, world.CancelExtenderCalls:
		return false
	}
	return true
}

func replicaName(i int) string { return fmt.Sprintf("scheduler-%d", i+1) }
