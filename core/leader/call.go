package leader

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Verb is what a Call does to the Lease.
type Verb uint8

// The calls a candidate makes.
const (
	Get Verb = iota
	Create
	Update
)

func (v Verb) String() string { return [...]string{"get", "create", "update"}[v] }

// Call is one request to the API server.
type Call struct {
	// ID numbers a candidate's calls from 1.
	ID   uint64
	Verb Verb
	// Namespace and Name are those of the Lease.
	Namespace, Name string
	// Lease is what to write; it is nil for Get. Its resource version is the one an Update is made to: if the Lease has
	// another by then, the call must fail.
	Lease *coordinationv1.Lease
	// Until is when the candidate stops waiting for the answer, by its own clock; zero is never.
	Until time.Time
}

// Answer is how a Call ended. An answer to any call but the one under way is ignored: its caller has given it up.
type Answer struct {
	Call    uint64
	Outcome world.Outcome
	// Lease is the Lease as it is after a call that succeeded. It is never changed.
	Lease *coordinationv1.Lease
}

// Answered is the answer to a call from what a client or a store returned.
func Answered(call Call, lease *coordinationv1.Lease, err error) Answer {
	if err == nil {
		return Answer{Call: call.ID, Lease: lease}
	}
	return Answer{Call: call.ID, Outcome: world.Outcome{
		Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error(),
	}}
}

// Notice is something that others should know of.
type Notice struct {
	At   time.Time
	Kind NoticeKind
	// Text is the new leader's identity of NewLeader, and the note of Announced.
	Text string
}

// NoticeKind is what a Notice is about.
type NoticeKind uint8

const (
	// NewLeader says that the lease is seen to have another holder, or none.
	NewLeader NoticeKind = iota
	// Announced is a Kubernetes event on the Lease, of type Normal and reason LeaderElection.
	Announced
	// StartedLeading says that the leader's work may begin.
	StartedLeading
	// EndedLeading says that the leader's work must end at once. It comes only after StartedLeading.
	EndedLeading
	// Stopped is the last notice of every candidate, of one that never led as well.
	Stopped
)

func (k NoticeKind) String() string {
	return [...]string{"new leader", "announced", "started leading", "ended leading", "stopped"}[k]
}
