package evict

import (
	"time"

	"orrery/core/world"
)

// Cause is the way in which a pod is evicted.
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
	OutOfMemory  Cause = "out of memory"
)

// Causes lists them all.
func Causes() []Cause {
	return []Cause{Preemption, Taint, DeviceTaint, NodePressure, EvictionAPI, NodeShutdown, NodeGone, OutOfMemory}
}

// Phase is how far an eviction has come.
type Phase uint8

// The phases. An eviction that is counting down has a timer that may still be stopped.
const (
	AtRisk       Phase = iota // will be evicted if its node stays as it is
	CountingDown              // will be evicted at the deadline
	Blocked                   // a PodDisruptionBudget does not allow the eviction
	Terminating               // is being deleted
	Evicted                   // is deleted, or has failed
	Cancelled                 // stays
	Killed                    // a container was killed, and starts again if the pod lets it
)

// MarshalText returns the phase's name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Phase) String() string {
	return [...]string{"at risk", "counting down", "blocked", "terminating", "evicted", "cancelled", "killed"}[p]
}

// Eviction is the eviction of one pod for one cause.
type Eviction struct {
	Pod   world.PodRef
	Node  string
	Cause Cause
	Phase Phase
	// Predicted says that the writer does not evict the pod itself, and that nothing was seen yet that confirms it.
	Predicted bool
	// Initiator is what evicts the pod: a controller, a kubelet, another pod, a person.
	Initiator string
	// Preemptor is the pod that a preempted one makes room for; zero of other causes, and where it is not known.
	Preemptor world.PodRef
	// Reason is for people: the taint, the signal and its threshold, the preemptor.
	Reason string
	// FirstSeen is when the eviction first became known; Deadline is when its timer ends or, once the pod is terminating,
	// when its grace period ends; Ended is when it was evicted or cancelled. Zero times are not known.
	FirstSeen, Deadline, Ended time.Time
	// Budget names the PodDisruptionBudget that selects the pod, and DisruptionsAllowed how many more it allows.
	Budget             string
	DisruptionsAllowed int32
	// Prediction is what was predicted, and what came of it.
	Prediction Prediction
}
