package world

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// Object is any Kubernetes object: typed, and never changed once it has been handed over.
type Object interface {
	metav1.Object
	runtime.Object
}

// Input is one thing that happened, and when. Inputs reach the engine in the order of their times; two inputs of the
// same time are taken in the order in which they are given.
type Input struct {
	At    time.Time
	Event Event
}

// Event is what an Input says: [Changed], [Listed], [Ended], [Asked] or [Passed].
type Event interface{ event() }

// Op is how an object changed.
type Op uint8

// The three ways an object changes, as a watch reports them.
const (
	Added Op = iota
	Modified
	Deleted
)

func (o Op) String() string {
	return [...]string{"added", "modified", "deleted"}[o]
}

// Changed says that one object was added, modified or deleted. A deletion carries the last known state. The event may
// be late, repeated or out of date: the store compares it with what it holds and decides what it means.
type Changed struct {
	Op     Op
	Object Object
}

// Listed says that these are all objects of one kind there are: a first list, or one made after a watch was lost.
// Whatever the store holds beyond it is gone.
type Listed struct {
	Kind    Kind
	Objects []Object
}

// Ended is the outcome of an earlier effect.
type Ended struct {
	Effect  EffectID
	Outcome Outcome
}

// Asked carries a person's wish that no object expresses: to try these pods at once, whatever their back-off.
type Asked struct {
	Activate []types.NamespacedName
}

// Passed says only that time has passed, up to Input.At: timers that are due go off.
type Passed struct{}

func (Changed) event() {}
func (Listed) event()  {}
func (Ended) event()   {}
func (Asked) event()   {}
func (Passed) event()  {}

// Outcome is how an effect ended. The zero value is success. It is plain data, so that a recording can hold it.
type Outcome struct {
	// Code is Success, or how the call failed: a call to the API server fails with Error, a plugin with any code.
	Code fwk.Code
	// Reason is the API server's machine-readable reason, where there is one: Conflict, NotFound, Timeout.
	Reason metav1.StatusReason
	// Message is for people.
	Message string
}

// OK tells whether the effect did what it was meant to do.
func (o Outcome) OK() bool { return o.Code == fwk.Success }
