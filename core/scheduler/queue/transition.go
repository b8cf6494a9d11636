package queue

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// State is the state of a pod in the queue.
type State uint8

// The states of a pod. Gated pods are in unschedulablePods too, but have a state of their own: they were never tried.
// Gone covers everything else: unknown, bound, deleted.
const (
	Gone State = iota
	Active
	Backoff
	ErrorBackoff
	Unschedulable
	Gated
	InFlight
)

func (s State) String() string {
	return [...]string{"gone", "active", "backoff", "error-backoff", "unschedulable", "gated", "in-flight"}[s]
}

// InUnschedulablePods reports whether pods of the state are in unschedulablePods.
func (s State) InUnschedulablePods() bool { return s == Unschedulable || s == Gated }

// QueueLabel is the state's value of the label queue in scheduler_queue_incoming_pods_total; empty for states that the
// metric does not count.
func (s State) QueueLabel() string {
	switch s {
	case Active:
		return "active"
	case Backoff, ErrorBackoff:
		return "backoff"
	case Unschedulable, Gated:
		return "unschedulable"
	}
	return ""
}

// RecordKind is the kind of a [Transition].
type RecordKind uint8

// Moved is the record of a state change, and the only one that a journal keeps. The others are for metrics.
const (
	Moved                  RecordKind = iota // a pod went From one state To another
	HintRun                                  // a plugin's hint ran for an event and a pod, with a HintResult
	InFlightEventAdded                       // an event was kept for the pods in flight
	InFlightEventsReleased                   // Count kept events of one label were released: no pod in flight needs them
	GroupHeld                                // the Count pods of a group are held back by their gate again, and none has moved
)

func (w RecordKind) String() string {
	return [...]string{"moved", "asked", "noted", "pruned", "held"}[w]
}

// HintResult is a hint's result, spelled as in scheduler_queueing_hint_execution_duration_seconds{hint}.
type HintResult string

// The results. Error has the effect of Queue.
const (
	HintResultQueue HintResult = "Queue"
	HintResultSkip  HintResult = "QueueSkip"
	HintResultError HintResult = "Error"
)

// Transition is one record of the queue, the only source for views and metrics; the package comment derives each
// metric. The slices may be kept but not changed.
type Transition struct {
	Seq  uint64 // counts the records of one queue from 1
	At   time.Time
	Kind RecordKind

	// The pod of a Moved or HintRun record, and its profile.
	Namespace, Name string
	UID             types.UID
	Profile         string

	From, To State
	// Entered reports whether the pod entered To, rather than changing in place.
	Entered bool
	// Event is the label of the cause.
	Event string
	// Plugin is the plugin that decided: its hint moved the pod, it gates the pod, or its hint ran.
	Plugin string
	// Note is the gating plugin's message.
	Note       string
	HintResult HintResult
	Attempts   int
	// Until is when the back-off ends, if there is one.
	Until time.Time
	// NewRejectors are the plugins that newly reject this pod, ClearedRejectors those that no longer do; sorted.
	NewRejectors, ClearedRejectors []string
	Count                          int
}

// recordMove sets p's state and reports the transition to the observer.
func (q *Queue) recordMove(p *Pod, to State, entered bool, event, plugin, note string) {
	from := p.state
	p.state = to
	p.since, p.event = q.now, event
	if q.opts.Observe == nil {
		q.newRejectors = q.newRejectors[:0]
		return
	}
	t := q.newRecord(p, Moved, event)
	t.From, t.To, t.Entered, t.Plugin, t.Note = from, to, entered, plugin, note
	if len(q.newRejectors) > 0 {
		t.NewRejectors = append([]string(nil), q.newRejectors...)
		q.newRejectors = q.newRejectors[:0]
	}
	if leaves := to == Gone || to == InFlight; leaves && from != InFlight && from != Gone {
		t.ClearedRejectors = p.rejectors
	}
	q.opts.Observe(t)
}

// recordHintRun reports a hint's result to the observer.
func (q *Queue) recordHintRun(p *Pod, event, plugin string, v HintResult) {
	if q.opts.Observe == nil {
		return
	}
	t := q.newRecord(p, HintRun, event)
	t.From, t.To, t.Plugin, t.HintResult = p.state, p.state, plugin, v
	q.opts.Observe(t)
}

// recordCount reports n of something to the observer: events that were kept or released, or pods that stay.
func (q *Queue) recordCount(what RecordKind, event string, n int) {
	if q.opts.Observe == nil {
		return
	}
	q.seq++
	q.opts.Observe(Transition{Seq: q.seq, At: q.now, Kind: what, Event: event, Count: n})
}

func (q *Queue) newRecord(p *Pod, what RecordKind, event string) Transition {
	q.seq++
	return Transition{
		Seq: q.seq, At: q.now, Kind: what, Event: event,
		Namespace: p.key.Namespace, Name: p.key.Name, UID: p.pod.UID, Profile: p.pod.Spec.SchedulerName,
		Attempts: p.attempts, Until: p.backoffExpiration,
	}
}
