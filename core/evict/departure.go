package evict

import (
	"time"

	"orrery/core/world"
)

// Cause is the way in which a pod is made to leave.
type Cause string

// The causes.
const (
	Preemption   Cause = "preemption"
	Taint        Cause = "taint"
	DeviceTaint  Cause = "device taint"
	NodePressure Cause = "node pressure"
	EvictionAPI  Cause = "eviction API"
	NodeShutdown Cause = "node shutdown"
	NodeGone     Cause = "node gone"
)

// Causes lists them all.
func Causes() []Cause {
	return []Cause{Preemption, Taint, DeviceTaint, NodePressure, EvictionAPI, NodeShutdown, NodeGone}
}

// Phase is how far a departure has come.
type Phase uint8

// The phases. A forecast may never come true; a counting departure has a timer running that something may still stop.
const (
	Forecast  Phase = iota // would leave, if something went on as it is
	Counting               // will leave at the deadline
	Held                   // was asked to leave, and a budget does not allow it
	Leaving                // is being deleted
	Left                   // is gone
	Cancelled              // stays after all
)

// MarshalText is the phase's word.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Phase) String() string {
	return [...]string{"forecast", "counting", "held", "leaving", "left", "cancelled"}[p]
}

// Departure is one pod's leaving, for one cause.
type Departure struct {
	Pod   world.Ref
	Node  string
	Cause Cause
	Phase Phase
	// Predicted says that the record's writer only watches, somebody else acts or nobody does, and that nothing was seen
	// yet that bears it out.
	Predicted bool
	// By is who wants the pod to leave: a controller, a kubelet, another pod, a person.
	By string
	// Why is for people: the taint, the signal and its threshold, the preemptor. Both are printable on a [Board].
	Why string
	// Noticed is when the departure first became known, Deadline when the pod is to be asked to leave or, once it is
	// leaving, must be gone; Ended when it left or was let stay. Zero times are not known.
	Noticed, Deadline, Ended time.Time
	// Budget names the disruption budget that counts the pod, and Allowed how many more pods it would let go.
	Budget  string
	Allowed int32
	// Foretold is what was predicted of it and what came of that.
	Foretold Foretelling
}
