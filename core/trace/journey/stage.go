package journey

import (
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
)

// State is what a pod does or waits for. A pod is in exactly one at any time.
type State uint8

// The states, in the order in which a pod usually passes them.
const (
	// Unrecorded is before the recording knows of the pod.
	Unrecorded State = iota
	// Gated is in unschedulablePods, held by a PreEnqueue plugin.
	Gated
	// Queued is in activeQ.
	Queued
	// Backoff is in backoffQ, after a rejection or an error.
	Backoff
	// Unschedulable is in unschedulablePods, after an attempt.
	Unschedulable
	// Attempt is a scheduling cycle. In a recording it only takes time where it waits for an extender.
	Attempt
	// Permit is the wait for a Permit plugin.
	Permit
	// Binding is from the permit to the binding's end: PreBind, and Bind.
	Binding
	// Elsewhere is a pod without a node that is not in this scheduler's queue: another one's.
	Elsewhere
	// Starting is on a node, before it runs.
	Starting
	// Running is on a node, started.
	Running
)

var states = [...]string{
	Unrecorded: "unrecorded", Gated: "gated", Queued: "queued", Backoff: "backoff", Unschedulable: "unschedulable", Attempt: "attempt",
	Permit: "permit", Binding: "binding", Elsewhere: "elsewhere", Starting: "starting", Running: "running",
}

// States are all states, in order.
const States = len(states)

func (s State) String() string { return states[s] }

// Placed reports whether a pod in the state has its node.
func (s State) Placed() bool { return s >= Starting }

// Stage is a time in one state.
type Stage struct {
	// Number counts a pod's stages from 1.
	Number int
	State  State
	Begin  time.Time
	// End is the end of the recording where Open says that the stage did not end.
	End  time.Time
	Open bool
	// Event is what began it, as the queue calls it, and Plugins are those that rejected the pod, gate it or requeued it.
	Event   string
	Plugins []string
	// Attempt counts the attempts up to and with this stage.
	Attempt int
	// Node is the node of a stage that has one.
	Node string
	// Decision is the one that ended an attempt; nil for other stages, and for an attempt without one.
	Decision *engine.Decision
	// Steps are the effects with an outcome that an attempt or a binding waited for, in the order in which they began.
	Steps []Step
}

// Duration is the length of the stage.
func (s *Stage) Duration() time.Duration { return s.End.Sub(s.Begin) }

// Step is one effect, such as the write of a claim, a plugin's call or the binding itself.
type Step struct {
	// Name is the kind of the effect, Detail what it is of.
	Name, Detail string
	Begin, End   time.Time
	// Failure is the message of an effect that failed; Open says that there was no outcome in the stage.
	Failure string
	Open    bool
}

// queueStates are the states of the queue.
var queueStates = map[queue.State]State{
	queue.Active: Queued, queue.Backoff: Backoff, queue.ErrorBackoff: Backoff, queue.Unschedulable: Unschedulable, queue.Gated: Gated, queue.InFlight: Attempt,
}

// podStates are the states of the engine.
var podStates = map[engine.PodState]State{
	engine.StateActive: Queued, engine.StateScheduling: Attempt, engine.StateBackoff: Backoff, engine.StateUnschedulable: Unschedulable,
	engine.StateGated: Gated, engine.StateWaiting: Permit, engine.StateBinding: Binding, engine.StateBound: Binding, engine.StateGone: Elsewhere,
}
