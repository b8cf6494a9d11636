package world

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// EffectID numbers the effects of one engine, from 1, in the order in which they were asked for.
type EffectID uint64

// Effect is one thing the engine wants done. Effects are handed over in order; a world may carry them out side by
// side, except that effects on the same pod keep their order.
type Effect struct {
	ID  EffectID
	At  time.Time
	Act Act
}

// Act is what an Effect asks for: [Bind], [PatchStatus], [Delete], [Announce] or [Run].
type Act interface{ act() }

// Ref names one pod; the UID tells it from a namesake that came before or after it.
type Ref struct {
	Namespace string
	Name      string
	UID       types.UID
}

// RefOf is the Ref of a pod.
func RefOf(pod *v1.Pod) Ref {
	return Ref{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
}

func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// Bind assigns a pod to a node through the binding subresource.
type Bind struct {
	Pod  Ref
	Node string
}

// PatchStatus changes what a pod's status says of its scheduling. A nil field is left as it is.
type PatchStatus struct {
	Pod Ref
	// Condition replaces the condition of the same type. Its LastTransitionTime is the world's to set: kept where
	// the status stays as it was, and now where it changes.
	Condition *v1.PodCondition
	// NominatedNode is the new status.nominatedNodeName; the empty string clears it.
	NominatedNode *string
}

// Delete deletes a pod with its own grace period.
type Delete struct {
	Pod Ref
}

// Announce is a Kubernetes event: on a pod, with an optional second pod it is about.
type Announce struct {
	Regarding  Ref
	Related    *Ref
	Type       string
	Reason     string
	Action     string
	Note       string
	Controller string
}

// Run calls a plugin that may block. The live world calls it in a worker of its own, the others at once. Call is never
// recorded: a recording holds its outcome. A simulated cluster takes one without Call as made, and well.
type Run struct {
	Pod    Ref
	Node   string
	Plugin string
	Point  string
	Call   func(context.Context) *fwk.Status
}

func (Bind) act()        {}
func (PatchStatus) act() {}
func (Delete) act()      {}
func (Announce) act()    {}
func (Run) act()         {}

// Answered tells whether an act's outcome comes back as an [Ended] input. An announcement is sent and forgotten.
func Answered(a Act) bool {
	_, announce := a.(Announce)
	return !announce
}
