package queue

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// State is where a pod is.
type State uint8

// The places of a pod. Gated pods are parked with the unschedulable ones, and are still a state of their own: they have
// not been tried. Gone is everywhere else: not yet seen, bound, deleted.
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

// Parked tells whether pods of the state wait for an event.
func (s State) Parked() bool { return s == Unschedulable || s == Gated }

// Queue is the value of the label queue that the state has in scheduler_queue_incoming_pods_total. It is empty for
// states that the metric does not know.
func (s State) Queue() string {
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

// What says what a [Transition] is about.
type What uint8

// Moved is the record of a pod, and the one a journal keeps. The others exist for metrics and for the curious.
const (
	Moved  What = iota // a pod went From one state To another
	Asked              // a plugin was asked whether an event helps a pod, and gave a Verdict
	Noted              // an event was kept, for pods in flight to be judged by if they fail
	Pruned             // Count kept events of one label were let go: no pod in flight needs them
)

func (w What) String() string {
	return [...]string{"moved", "asked", "noted", "pruned"}[w]
}

// Verdict is a plugin's answer, spelled as in scheduler_queueing_hint_execution_duration_seconds{hint}.
type Verdict string

// The answers. Error counts as Queue in what happens to the pod.
const (
	VerdictQueue Verdict = "Queue"
	VerdictSkip  Verdict = "QueueSkip"
	VerdictError Verdict = "Error"
)

// Transition is one record of what the queue did. Nothing else feeds panes and metrics; see the package comment for how
// each metric is made of them. The slices are the reader's to keep, not to change.
type Transition struct {
	Seq  uint64 // counts the records of one queue from 1
	At   time.Time
	What What

	// The pod a record of Moved or Asked is about, and the profile that schedules it.
	Namespace, Name string
	UID             types.UID
	Profile         string

	From, To State
	// Entered says that the pod came into To anew, rather than being found changed where it was.
	Entered bool
	// Event is the label of what caused the record.
	Event string
	// Plugin is the plugin that decided: whose hint let the pod go, who gates it, who was asked.
	Plugin string
	// Note is what a gating plugin said.
	Note     string
	Verdict  Verdict
	Attempts int
	// Until is when the back-off runs out, for pods that have one.
	Until time.Time
	// Blamed are the plugins that now have this pod on their account, Cleared those that no longer do; sorted.
	Blamed, Cleared []string
	Count           int
}

// record tells the observer that p went to another state, and remembers it in p.
func (q *Queue) record(p *Pod, to State, entered bool, event, plugin, note string) {
	from := p.state
	p.state = to
	p.since, p.event = q.now, event
	if q.opts.Observe == nil {
		q.blamed = q.blamed[:0]
		return
	}
	t := q.about(p, Moved, event)
	t.From, t.To, t.Entered, t.Plugin, t.Note = from, to, entered, plugin, note
	if len(q.blamed) > 0 {
		t.Blamed = append([]string(nil), q.blamed...)
		q.blamed = q.blamed[:0]
	}
	if leaves := to == Gone || to == InFlight; leaves && from != InFlight && from != Gone {
		t.Cleared = p.rejectors
	}
	q.opts.Observe(t)
}

// answered tells the observer what a plugin said about p and an event.
func (q *Queue) answered(p *Pod, event, plugin string, v Verdict) {
	if q.opts.Observe == nil {
		return
	}
	t := q.about(p, Asked, event)
	t.From, t.To, t.Plugin, t.Verdict = p.state, p.state, plugin, v
	q.opts.Observe(t)
}

// counted tells the observer that n events of one label are kept for pods in flight, or let go.
func (q *Queue) counted(what What, event string, n int) {
	if q.opts.Observe == nil {
		return
	}
	q.seq++
	q.opts.Observe(Transition{Seq: q.seq, At: q.now, What: what, Event: event, Count: n})
}

func (q *Queue) about(p *Pod, what What, event string) Transition {
	q.seq++
	return Transition{
		Seq: q.seq, At: q.now, What: what, Event: event,
		Namespace: p.key.Namespace, Name: p.key.Name, UID: p.pod.UID, Profile: p.pod.Spec.SchedulerName,
		Attempts: p.attempts, Until: p.backoffExpiration,
	}
}
