package leader

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Verb is the operation of a Call on the Lease.
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
	// Lease is the object to write; nil for Get. An Update must fail if the Lease no longer has its resource version.
	Lease *coordinationv1.Lease
	// Until is when the candidate stops waiting for the response, by its own clock; zero for never.
	Until time.Time
}

// Response is how a Call ended. Responses to any other call than the one in flight are ignored.
type Response struct {
	Call    uint64
	Outcome world.Outcome
	// Lease is the object after a call that succeeded. It is never changed.
	Lease *coordinationv1.Lease
}

// ResponseOf returns the response for the result of a client or a store.
func ResponseOf(call Call, lease *coordinationv1.Lease, err error) Response {
	if err == nil {
		return Response{Call: call.ID, Lease: lease}
	}
	return Response{Call: call.ID, Outcome: world.Outcome{
		Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error(),
	}}
}

// Notice is an event of a candidacy.
type Notice struct {
	At   time.Time
	Kind NoticeKind
	// Text is the new leader's identity of NewLeader, and the note of LeaseEvent.
	Text string
}

// NoticeKind is the kind of a Notice.
type NoticeKind uint8

const (
	// NewLeader: the lease has another holder, or none.
	NewLeader NoticeKind = iota
	// LeaseEvent is a Kubernetes event on the Lease, of type Normal and reason LeaderElection.
	LeaseEvent
	// StartedLeading: the leader's work may begin.
	StartedLeading
	// StoppedLeading: the leader's work must end immediately. It only follows StartedLeading.
	StoppedLeading
	// CandidacyEnded is the last notice of every candidate, of one that never led as well.
	CandidacyEnded
)

func (k NoticeKind) String() string {
	return [...]string{"new leader", "event", "started leading", "stopped leading", "candidacy ended"}[k]
}
