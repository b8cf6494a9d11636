package collect

import (
	"strings"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/world"
	"orrery/views"
)

// heads is how many pods of each part of the queue the overview shows at most.
const heads = 24

// queueMemory keeps the order of the waiting pods. The queue hands out its parts sorted, which costs what is in them, so
// they are asked for when the counts or the time have moved; and of a large queue only once a second, while the counts
// are always those of the moment.
type queueMemory struct {
	counts queue.Counts
	at     time.Time
	known  bool
	parts  [5][]*queue.Pod
}

const (
	largeQueue  = 4096
	largePeriod = time.Second
)

func (m *queueMemory) refresh(e *engine.Engine) {
	q, counts := e.Queue(), e.Queue().Counts()
	total := counts.Active + counts.Backoff + counts.ErrorBackoff + counts.Unschedulable + counts.Gated
	passed := e.Now().Sub(m.at)
	if m.known && ((counts == m.counts && passed == 0) || (total > largeQueue && passed < largePeriod)) {
		return
	}
	m.known, m.counts, m.at = true, counts, e.Now()
	m.parts = [5][]*queue.Pod{q.InFlight(), q.Active(), q.Backoff(), q.Unschedulable(), q.Gated()}
}

func (c *Collector) queueOf(e *engine.Engine, look Look) *views.Queue {
	c.queue.refresh(e)
	counts := e.Queue().Counts()
	v := &views.Queue{Counts: views.QueueCounts{
		Active: counts.Active, Backoff: counts.Backoff + counts.ErrorBackoff, Unschedulable: counts.Unschedulable,
		Gated: counts.Gated, InFlight: counts.InFlight + len(e.Bindings()),
	}}
	parts := &c.queue.parts
	if look.Open == views.QueuePane {
		v.Pods = c.podList(e, look)
	} else {
		v.Next = append(bindingRows(e), podRows(e, parts[1][:min(len(parts[1]), heads)])...)
		v.Soon = podRows(e, parts[2][:min(len(parts[2]), heads)])
		v.Stuck = podRows(e, parts[3][:min(len(parts[3]), heads)])
		v.Held = podRows(e, parts[4][:min(len(parts[4]), heads)])
	}
	v.Moves = moves(e)
	return v
}

// podList is the rows of the whole queue that are on the screen, its parts one after the other.
func (c *Collector) podList(e *engine.Engine, look Look) views.List[views.PodRow] {
	bound := bindingRows(e)
	total := len(bound)
	for _, part := range c.queue.parts {
		total += len(part)
	}
	first, end := look.window(total)
	list := views.List[views.PodRow]{First: first, Total: total}
	list.Rows = append(list.Rows, bound[min(first, len(bound)):min(end, len(bound))]...)
	at := len(bound)
	for _, part := range c.queue.parts {
		from, to := min(max(first-at, 0), len(part)), min(max(end-at, 0), len(part))
		list.Rows = append(list.Rows, podRows(e, part[from:to])...)
		at += len(part)
	}
	return list
}

// bindingRows are the pods that have their node and are on the way there.
func bindingRows(e *engine.Engine) []views.PodRow {
	var rows []views.PodRow
	for _, u := range e.Bindings() {
		r := views.PodRow{Name: podName(u.Pod), State: views.InFlight, Since: u.Since, Reason: printable.Text(u.Stage + " → " + u.Node)}
		if pod := e.Store().Pod(u.Pod.Namespace, u.Pod.Name); pod != nil && pod.Spec.Priority != nil {
			r.Priority = *pod.Spec.Priority
		}
		if len(u.Waiting) > 0 {
			r.Reason = printable.Text("waits for " + strings.Join(u.Waiting, ", "))
		}
		rows = append(rows, r)
	}
	return rows
}

func podRows(e *engine.Engine, pods []*queue.Pod) []views.PodRow {
	rows := make([]views.PodRow, len(pods))
	for i, p := range pods {
		pod := p.Pod()
		r := views.PodRow{
			Name: podName(world.RefOf(pod)), State: stateOf(p.State()), Priority: p.Priority(), Attempts: p.GetAttempts(),
			Since: p.Since(), From: p.Since(), Until: p.GetBackoffExpiration(), Plugin: strings.Join(p.Rejectors(), ", "),
		}
		r.Reason = printable.Text(dominant(conditionMessage(pod)))
		if r.Reason == "" {
			r.Reason = printable.Text(r.Plugin)
		}
		if p.State().Parked() {
			r.Awaits = awaited(e.Queue(), p)
		}
		rows[i] = r
	}
	return rows
}

// awaited are the events that would bring a pod back, as many as anybody reads.
func awaited(q *queue.Queue, p *queue.Pod) string {
	const most = 4
	var labels []string
	for _, event := range q.Awaits(p) {
		if len(labels) == most {
			labels = append(labels, "…")
			break
		}
		labels = append(labels, event.Label())
	}
	return printable.Text(strings.Join(labels, ", "))
}

var states = [...]views.PodState{
	queue.Gone: views.Gone, queue.Active: views.Active, queue.Backoff: views.Backoff, queue.ErrorBackoff: views.Backoff,
	queue.Unschedulable: views.Unschedulable, queue.Gated: views.Gated, queue.InFlight: views.InFlight,
}

func stateOf(s queue.State) views.PodState { return states[s] }

// trail is how many moves the overview shows at most.
const trail = 12

// moves are the latest moves of the pods that were decided about last, the newest first.
func moves(e *engine.Engine) []views.Move {
	var all []queue.Transition
	seen := 0
	for d := range e.Decisions() {
		if seen++; seen > trail {
			break
		}
		if journey := e.Journey(d.Pod.UID); len(journey) > 0 {
			all = append(all, journey[max(len(journey)-3, 0):]...)
		}
	}
	return newestMoves(all)
}
