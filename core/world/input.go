package world

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// Object is any Kubernetes object: typed, and immutable once shared.
type Object interface {
	metav1.Object
	runtime.Object
}

// Unversioned returns an object without its resource version, which says nothing in another cluster and cannot be older than another.
func Unversioned(o Object) Object {
	switch o := o.(type) { // what changes most is not copied in depth
	case *v1.Pod:
		c := *o
		c.ResourceVersion = ""
		return &c
	case *v1.Node:
		c := *o
		c.ResourceVersion = ""
		return &c
	}
	c := o.DeepCopyObject().(Object)
	c.SetResourceVersion("")
	return c
}

// IsTerminated reports whether an object is a pod that succeeded or failed. It uses no resources, and no store holds
// it.
func IsTerminated(o Object) bool {
	pod, ok := o.(*v1.Pod)
	return ok && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
}

// Input is one event with its time. Inputs reach the engine in the order of their times; inputs of the same time are
// applied in the order given.
type Input struct {
	At    time.Time
	Event Event
}

// Event is the content of an Input: [Changed], [Listed], [EffectDone], [ActivateRequest] or [Tick].
type Event interface{ event() }

// Op is how an object changed.
type Op uint8

// The changes of an object, as a watch reports them.
const (
	Added Op = iota
	Modified
	Deleted
)

func (o Op) String() string { return [...]string{"added", "modified", "deleted"}[o] }

// Changed reports that one object was added, modified or deleted. A deletion has the last known state. The event may be
// late, repeated or out of date: the store compares it with its own object.
type Changed struct {
	Op     Op
	Object Object
}

// Listed has all objects of one kind: an initial list, or a relist after a watch was lost. Other objects of the kind in
// the store are deleted.
type Listed struct {
	Kind    Kind
	Objects []Object
}

// EffectDone is the outcome of an earlier effect.
type EffectDone struct {
	Effect  EffectID
	Outcome Outcome
}

// ActivateRequest is a user's request, which no object expresses, to try these pods at once, whatever their back-off.
type ActivateRequest struct {
	Activate []types.NamespacedName
}

// Tick reports that time has passed, up to Input.At: due timers fire.
type Tick struct{}

func (Changed) event()         {}
func (Listed) event()          {}
func (EffectDone) event()      {}
func (ActivateRequest) event() {}
func (Tick) event()            {}

// Outcome is the result of an effect. The zero value is success. It is plain data, so that a recording can hold it.
type Outcome struct {
	// Code is Success, Error for a failed call to the API server, or any code for a plugin.
	Code fwk.Code
	// Reason is the API server's machine-readable reason, if there is one: Conflict, NotFound, Timeout.
	Reason metav1.StatusReason
	// Message is for users.
	Message string
	// Version is the version of the claim that a [ReserveResourceClaim] or an [UnreserveResourceClaim] left, if the world
	// knows it.
	Version string
	// Answer is that of a [CallExtender]. It is never changed. Without one, a call that succeeded leaves the extender's verdict
	// unknown.
	Answer *ExtenderAnswer
}

// OK reports whether the effect succeeded.
func (o Outcome) OK() bool { return o.Code == fwk.Success }

// Uncertain reports whether a call failed without a refusal, so that it may have been carried out.
func (o Outcome) Uncertain() bool {
	switch o.Reason {
	case "", metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout, metav1.StatusReasonInternalError, metav1.StatusReasonServiceUnavailable:
		return !o.OK()
	}
	return false
}
