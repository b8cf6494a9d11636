package views

import (
	"time"

	"orrery/core/answers/answer"
)

// Queue holds the pods of the scheduling queue.
type Queue struct {
	Counts QueueCounts
	// The heads of the parts, for the overview: next in activeQ, next out of back-off, longest unschedulable, longest
	// gated.
	Next, Soon, Stuck, Held []PodRow
	// Pods is the whole queue, part after part.
	Pods List[PodRow]
	// Depth is how many pods were pending in each of the last seconds, the oldest first.
	Depth []float64
	// Transitions are the latest state transitions, the newest first.
	Transitions []Transition
}

// QueueCounts is how many pods each part of the queue holds.
type QueueCounts struct {
	Active, Backoff, Unschedulable, Gated, InFlight int
	// Decided have a node in this scheduler, and another is to bind them.
	Decided int
}

// Waiting returns how many pods have no node yet.
func (c QueueCounts) Waiting() int {
	return c.Active + c.Backoff + c.Unschedulable + c.Gated + c.InFlight + c.Decided
}

// PodRow is one pod in the queue.
type PodRow struct {
	Name     string // "namespace/name"
	Key      string
	State    PodState
	Priority int32
	Attempts int
	Since    time.Time // in this state
	Pending  time.Time // since when the pod has no node
	// From and Until are when the back-off began and ends.
	From, Until time.Time
	// Reason is the main reason the pod is unschedulable, Plugin the plugin that gave it, RequeuesOn the events that
	// requeue the pod.
	Reason, Plugin, RequeuesOn string
	// Nominated is the nominated node.
	Nominated string
	// The remaining fields are for filters and orders; they are not printable, and only brief rows have them.
	Namespace, PodName, Node, Message, Gang string
	Labels                                  map[string]string
	Rejectors                               []string
}

// Transition is a pod's change of state.
type Transition struct {
	At       time.Time
	Pod      string
	From, To PodState
	Event    string
	Plugin   string
	// Node is the node that the pod goes to, if it goes to one; By is the scheduler that bound it there, if another
	// one did.
	Node, By string
	// Ours is the node that this scheduler had placed the pod on instead, Comparison how the two nodes compare.
	Ours, Comparison string
	UID              string
	// Earlier are the states before From, the oldest first.
	Earlier []PodState
}

// Journey is a pod's history and facts.
type Journey struct {
	Pod   string
	State PodState
	Facts []Fact
	// Storage is the chain from the pod's claims to its volumes.
	Storage []answer.Link
	// Devices is the chain from the pod's claims for devices to the devices.
	Devices  []answer.Link
	Created  time.Time
	Attempts int
	// Steps are the transitions, the newest first.
	Steps List[JourneyStep]
	// RequeuesOn are the events that would requeue the pod, as its plugins registered them; empty for a pod that waits
	// for none.
	RequeuesOn []string
	// QueuedFor is the pod's total time in the queue, AttemptTime the total duration of its attempts.
	QueuedFor, AttemptTime time.Duration
}

// Fact is a name and a value.
type Fact struct{ Name, Value string }

// JourneyStep is one transition or one attempt.
type JourneyStep struct {
	At       time.Time
	From, To PodState
	Event    string
	Plugin   string
	Note     string
	// PreviousStateTime is how long the pod was in From; Attempt is the number of the attempt that the step ends, if
	// any.
	PreviousStateTime time.Duration
	Attempt           int
	// AttemptDuration, Examined and Feasible are the attempt's duration and counts; zero if the attempt is no longer
	// recorded.
	AttemptDuration    time.Duration
	Examined, Feasible int
}

// Evictions holds the evictions that are predicted, under way or recent.
type Evictions struct {
	// Counts are of the whole list; Outcomes counts the predictions by outcome.
	Counts   EvictionCounts
	Outcomes []NamedCount
	List     List[Eviction]
}

// EvictionPhase is how far an eviction has come.
type EvictionPhase uint8

// The phases.
const (
	EvictionPredicted EvictionPhase = iota
	EvictionCountingDown
	EvictionBlocked
	EvictionTerminating
	EvictionDone
	EvictionCancelled
	EvictionKilled
)

// Eviction is the eviction of one pod.
type Eviction struct {
	Pod, Node, Cause, Initiator, Reason string
	// Preemptor is the pod that a preempted one makes room for.
	Preemptor    string
	Key, NodeKey string
	Phase        EvictionPhase
	// ByOther means that another controller evicts the pod, or perhaps none does: this program does not.
	ByOther bool
	// Since is when it was first known, Deadline when the pod must be gone, Ended when it was gone or the eviction was
	// cancelled.
	Since, Deadline, Ended time.Time
	Budget                 string
	Allowed                int32
	// Outcome is the prediction and its outcome, ShortOutcome the same in two words. Overdue means that probably no
	// controller evicts the pod, Mispredicted that the prediction was wrong.
	Outcome, ShortOutcome string
	Overdue, Mispredicted bool
	Labels                map[string]string
}
