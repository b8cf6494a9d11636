package views

import "time"

// Queue is who waits, where and why.
type Queue struct {
	Counts QueueCounts
	// The heads of the parts, for the overview: those next in line, those back soonest, those stuck and held longest.
	Next, Soon, Stuck, Held []PodRow
	// Pods is the whole queue, in the order of its parts.
	Pods List[PodRow]
	// Moves are the latest moves, the newest first.
	Moves []Move
}

// QueueCounts is how many pods are where.
type QueueCounts struct {
	Active, Backoff, Unschedulable, Gated, InFlight int
}

// Waiting is how many pods have no node yet.
func (c QueueCounts) Waiting() int {
	return c.Active + c.Backoff + c.Unschedulable + c.Gated + c.InFlight
}

// PodRow is one waiting pod.
type PodRow struct {
	Name     string // "namespace/name"
	Key      string
	State    PodState
	Priority int32
	Attempts int
	Since    time.Time // in this state
	// From and Until are when the back-off began and ends.
	From, Until time.Time
	// Reason is the one reason that keeps it, Plugin who gave it, Awaits the events that would bring it back.
	Reason, Plugin, Awaits string
	// Nominated is the node on which room is being made for it.
	Nominated string
}

// Move is a pod's going from one state to another.
type Move struct {
	At       time.Time
	Pod      string
	From, To PodState
	Event    string
	Plugin   string
	// Node is where the pod has gone or is going, if that is a node.
	Node string
	// Trail is where the pod was before From, the oldest first.
	Trail []PodState
}

// Journey is a pod's whole way, and what is known of the pod.
type Journey struct {
	Pod      string
	State    PodState
	Facts    []Fact
	Created  time.Time
	Attempts int
	Steps    List[JourneyStep]
	// Awaits are the events that would move the pod, as its plugins registered them; empty for a pod that waits for none.
	Awaits []string
	// Waited is how long it has been in the queue in all, Tried how much of anybody's time its attempts took.
	Waited, Tried time.Duration
}

// Fact is a name and a value.
type Fact struct{ Name, Value string }

// JourneyStep is one move or one attempt.
type JourneyStep struct {
	At       time.Time
	From, To PodState
	Event    string
	Plugin   string
	Note     string
	// Stayed is how long the pod had been where it came from; Attempt numbers the attempt that the step ends, if any.
	Stayed  time.Duration
	Attempt int
	// Took, Examined and Feasible are what the attempt cost and found; zero if it is too long ago.
	Took               time.Duration
	Examined, Feasible int
}

// Evictions is the departure board.
type Evictions struct {
	Leaving, Forecast, Held int
	// Overdue were to be asked to leave half a minute ago and more, and were not; Outcomes is what came of all that was
	// foretold, by its name.
	Overdue  int
	Outcomes []Tally
	List     List[Departure]
}

// DeparturePhase is how far a departure has come.
type DeparturePhase uint8

// The phases.
const (
	Forecasted DeparturePhase = iota
	Counting
	HeldBack
	BeingDeleted
	Departed
	Stays
)

// Departure is one pod's leaving.
type Departure struct {
	Pod, Node, Cause, By, Why string
	Key, NodeKey              string
	Phase                     DeparturePhase
	// Predicted says that somebody else acts, or nobody: it is not this program that makes the pod leave.
	Predicted bool
	// Noticed is when it was first known, Deadline when the pod must go, Ended when it went or was let stay.
	Noticed, Deadline, Ended time.Time
	Budget                   string
	Allowed                  int32
	// Check says what was foretold and what came of it, Brief that in two words. Doubtful says that nobody acts, as far as
	// one can see, Amiss that it did not come as foretold.
	Check, Brief    string
	Doubtful, Amiss bool
}
