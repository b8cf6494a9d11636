package soak

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
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
	flight    *play.FlightRecorder // nil where nothing is recorded
	rolling   *rolling             // the same

	connection connection
	behind     time.Duration           // how old at most the lists are that the next process begins with
	calls      map[world.EffectID]bool // of the API server, without an outcome yet
	timeouts   []timeout               // of calls that were lost
	crashIn    int                     // effects until the process is killed; negative if it is not
	leadsFrom  time.Time               // when the leader has waited for what the one before wrote
	cut        world.EffectID          // calls up to this one are cut off, unless they are in stray
	last       world.EffectID          // the last call that was sent
	strays     int                     // how many of the next bindings the network holds, for strayFor
	strayFor   time.Duration
	stray      map[world.EffectID]bool
	strayPods  map[types.UID]bool // that such a call binds

	moment  time.Time // of the last decision
	decided int       // at that moment
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
	r.options = r.run.options(r, r.elector.Now())
	e, err := engine.New(r.options)
	if err != nil {
		panic("the configuration of a plan is valid: " + err.Error())
	}
	r.engine, r.ledger, r.observers = e, newLedger(r, e), &observers{}
	r.observers.all = drive.Observers{r.ledger}
	if r.rolling != nil {
		if r.flight, err = play.NewFlightRecorder(e, r.options, flightBytes); err != nil {
			panic("a new engine can be forked: " + err.Error())
		}
		r.observers.all = append(r.observers.all, r.flight)
		r.rolling.begin()
	}
	r.feed = play.NewFeed(e, r.options, r.flight)
	r.observers.all = append(r.observers.all, r.feed)
	if r.run.plan.Hashes {
		r.observers.recordFromStart(r)
	}
	r.scheduler = drive.NewScheduler(e, r.observers)
	r.calls, r.crashIn = map[world.EffectID]bool{}, -1
	r.connection = connection{cutUntil: r.connection.cutUntil}
	r.list(now, r.behind)
	r.behind = 0
}

// flightBytes bounds a flight recorder, so that it forgets within a run.
const flightBytes = 1 << 20

// list gives the process lists that are up to so old, each kind's by another time, and holds what has come since for as long.
func (r *replica) list(now time.Time, behind time.Duration) {
	draw := drawing(uint64(r.started)<<32 + uint64(now.UnixMilli()))
	lists, since := r.run.seen.lists(draw.IntN(len(world.Kinds())), func(world.Kind) time.Time {
		return later(now.Add(-time.Duration(draw.Float64()*float64(behind))), r.run.start.Add(time.Second))
	})
	r.connection.held = outcomesOf(r.connection.held)
	for _, list := range lists {
		r.deliver(list)
	}
	if len(since) > 0 {
		r.connection.lateUntil = later(r.connection.lateUntil, now.Add(time.Duration(draw.Float64()*float64(behind))))
		r.run.at(r.connection.lateUntil, func() {})
	}
	for _, event := range since {
		r.connection.hold(event)
	}
}

// end ends the process, as a crash does.
func (r *replica) end() {
	if r.engine != nil {
		r.run.result.Decisions += r.ledger.decisionsMade()
		r.run.result.Inputs += r.ledger.inputs
		r.observers.end()
		if r.rolling != nil {
			r.rolling.end()
		}
	}
	r.engine, r.scheduler, r.ledger, r.feed, r.flight, r.timeouts, r.calls = nil, nil, nil, nil, nil, nil, nil
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

// leads reports whether the process may schedule.
func (r *replica) leads() bool {
	return r.engine != nil && r.elector.Leading() && !r.elector.Paused() && !r.run.cluster.Now().Before(r.leadsFrom)
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
		if r.calls[done.Effect] && r.connection.cutOff(in.At) {
			r.timeouts = append(r.timeouts, timeout{in.At.Add(callTimeout), done.Effect})
			return
		}
		event = done
	}
	_, tick := event.(world.Tick)
	if r.elector.Paused() {
		if !tick {
			r.connection.hold(event)
		}
		return
	}
	if tick {
		event = nil
	}
	r.receive(in.At, event)
	if tick {
		if at, ok := r.scheduler.NextWake(); ok && !at.After(r.elector.Now()) {
			r.deliver(world.Tick{})
		}
	}
}

// receive gives the process an event, which may be nil, and before it what it has missed and the timeouts of its calls.
func (r *replica) receive(now time.Time, event world.Event) {
	c := &r.connection
	if c.relists && !c.cutOff(now) {
		c.relists = false
		if _, watched := kindOf(event); watched {
			event = nil // the lists have it
		}
		r.list(now, 0)
	}
	for _, free := range c.passes(event, now) {
		r.deliver(free)
	}
	for len(r.timeouts) > 0 && !r.timeouts[0].at.After(now) {
		lost := r.timeouts[0]
		r.timeouts = r.timeouts[1:]
		r.deliver(world.EffectDone{Effect: lost.effect, Outcome: timedOut})
	}
}

// deliver gives the process an event, at the time of its clock.
func (r *replica) deliver(event world.Event) {
	if done, ok := event.(world.EffectDone); ok {
		delete(r.calls, done.Effect)
	}
	r.scheduler.Apply(world.Input{At: r.elector.Now(), Event: event})
}

var timedOut = world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonTimeout, Message: "the call timed out"}

// outcomesOf leaves out what a list replaces.
func outcomesOf(events []world.Event) (kept []world.Event) {
	for _, event := range events {
		if _, watched := kindOf(event); !watched {
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
		timers = append(timers, func() (time.Time, bool) {
			at, ok := r.scheduler.NextWake()
			return r.elector.When(at), ok
		})
	}
	return drive.Earliest(timers...)
}

// maxDecisions is how many decisions the work of one moment may take.
const maxDecisions = 20_000

// Effects implements drive.Controller: it decides while there is something to decide, and the process may.
func (r *replica) Effects() (effects []world.Effect) {
	now := r.run.cluster.Now()
	r.follow(now)
	if !r.leads() {
		return nil
	}
	if now.After(r.moment) {
		r.moment, r.decided = now, 0
	}
	effects = r.send(effects, r.scheduler.Emit())
	for r.leads() && r.run.violation == nil {
		before := r.ledger.beforeStep()
		d, more := r.scheduler.Step()
		r.ledger.afterStep(before, d)
		effects = r.send(effects, r.scheduler.Emit())
		if !more {
			break
		}
		if r.decided++; r.decided > maxDecisions {
			r.run.fail("progress", "%d decisions at one moment, the last on %s: %s", r.decided, d.Pod, d.Message)
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
			if r.connection.cutOff(now) {
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
		effect.At = now
		if bind, ok := effect.Action.(world.Bind); ok && r.strays > 0 {
			r.strays--
			r.stray[effect.ID], r.strayPods[bind.Pod.UID], effect.At = true, true, now.Add(r.strayFor)
		}
		r.last = effect.ID
		sent = append(sent, effect)
	}
	return sent
}

// notice follows the election. A new leader first waits for what the one before wrote, which comes over watches of their own, and one
// that stops leading cuts off its calls before the lease is released.
func (r *replica) notice(n leader.Notice) {
	switch n.Kind {
	case leader.StartedLeading:
		r.leadsFrom = r.wakeAfter(catchUp)
	case leader.StoppedLeading:
		r.cut = r.last
	}
}

// catchUp is how long a new leader waits. Watches of kinds that nothing happens to say nothing, so that it is all of a second.
const catchUp = time.Second

// overNetwork reports whether an effect is a call of the API server.
func overNetwork(a world.Action) bool {
	switch a.(type) {
	case world.RunPlugin, world.CallExtender, world.CancelExtenderCalls:
		return false
	}
	return true
}

func replicaName(i int) string { return fmt.Sprintf("scheduler-%d", i+1) }
