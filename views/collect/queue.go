package collect

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// overviewRows is how many pods of each part of the queue the overview shows at most.
const overviewRows = 24

// queueParts are the parts of the queue in the order of the screen. Pods with a binding in flight come before them: also those
// that the queue has in flight, since they wait for a permit.
var queueParts = [...]queue.State{queue.Active, queue.Backoff, queue.Unschedulable, queue.Gated}

// partCounts are how many pods each part has.
func partCounts(n queue.Counts) [len(queueParts)]int {
	return [...]int{n.Active, n.Backoff + n.ErrorBackoff, n.Unschedulable, n.Gated}
}

// queueOf returns the heads of the queue's parts for the overview, or the rows of the whole queue for its own pane. It
// costs only the rows shown.
func (c *Collector) queueOf(e *engine.Engine, query Query) *views.Queue {
	c.rows.of(e)
	most := overviewRows
	if query.Rows > 0 {
		most = min(overviewRows, query.Rows)
	}
	v := &views.Queue{}
	switch whole := query.Open != views.Overview; {
	case query.Namespace != "" && whole:
		v.Counts = c.queueIn(e, query.Namespace, 0).Counts
	case query.Namespace != "":
		return c.queueIn(e, query.Namespace, most)
	default:
		v.Counts = c.queueCounts(e)
		v.Depth = e.QueueDepths(make([]float64, 0, curveSeconds))
		trimStart(&v.Depth)
	}
	if query.Open == views.Overview {
		v.Next = append(c.bindingRows(e, 0, most), c.podRows(e, queue.Active, 0, most)...)
		v.Next = v.Next[:min(len(v.Next), most)]
		v.Soon = c.podRows(e, queue.Backoff, 0, most)
		v.Stuck = c.podRows(e, queue.Unschedulable, 0, most)
		v.Held = c.podRows(e, queue.Gated, 0, most)
		return v
	}
	v.Transitions = recentTransitions(e, query.Namespace, query.Rows, v.Counts.Waiting())
	if c.options.Shadows {
		decidedTransitions(v.Transitions)
	}
	return v
}

// decidedTransitions gives pods that got a node the state in which they wait for another scheduler to bind them.
func decidedTransitions(list []views.Transition) {
	for i := range list {
		switch t := &list[i]; {
		case t.Node == "":
		case t.To == views.InFlight:
			t.To = views.Decided
		case t.From == views.InFlight:
			t.From = views.Decided
		}
	}
}

// queueCounts are the counts of the queue's parts.
func (c *Collector) queueCounts(e *engine.Engine) views.QueueCounts {
	counts := partCounts(e.Queue().Counts())
	v := views.QueueCounts{
		Active: counts[0], Backoff: counts[1], Unschedulable: counts[2], Gated: counts[3], InFlight: e.BindingCount(),
	}
	if c.options.Shadows {
		v.InFlight = e.WaitingCount()
		v.Decided = e.BindingCount() - v.InFlight
	}
	return v
}

// placedState is the state of a pod that has a place: a scheduler that only decides has nothing in flight.
func (c *Collector) placedState(waitsForPermit bool) views.PodState {
	if c.options.Shadows && !waitsForPermit {
		return views.Decided
	}
	return views.InFlight
}

// podState is a pod's state now.
func (c *Collector) podState(e *engine.Engine, namespace, name string) views.PodState {
	state := e.PodState(namespace, name)
	if state == engine.StateBinding {
		return c.placedState(false)
	}
	return podStateAt(state)
}

// podList is a window of the whole queue, its parts one after the other.
func (c *Collector) podList(e *engine.Engine, first, end int) []views.PodRow {
	rows := append(make([]views.PodRow, 0, end-first), c.bindingRows(e, first, end-first)...)
	at := e.BindingCount()
	for i, n := range partCounts(e.Queue().Counts()) {
		from, to := max(first-at, 0), min(end-at, n)
		if to > from {
			rows = append(rows, c.podRows(e, queueParts[i], from, to-from)...)
		}
		at += n
	}
	return rows
}

// bindingRows returns the pods whose bindings are in flight, the longest first.
func (c *Collector) bindingRows(e *engine.Engine, first, n int) []views.PodRow {
	bindings := e.BindingsFrom(first, n)
	rows := make([]views.PodRow, len(bindings))
	for i := range bindings {
		rows[i] = c.bindingRow(e, &bindings[i])
	}
	return rows
}

func (c *Collector) bindingRow(e *engine.Engine, u *engine.BindingInFlight) views.PodRow {
	r := views.PodRow{State: c.placedState(len(u.Waiting) > 0), Attempts: u.Attempt, Since: u.Since, Reason: printable.Text(u.Stage + " → " + u.Node)}
	if r.State == views.Decided {
		r.Reason = printable.Text("→ " + u.Node + " (ours; not bound)")
	}
	r.Name, r.Key = podNames(u.Pod)
	pod := e.Store().Pod(u.Pod.Namespace, u.Pod.Name)
	if pod != nil {
		r.Priority, r.Pending = priorityOf(pod), pendingSince(pod, e.Now())
	}
	gang, until := permitOfGang(e, pod, u.Waiting)
	switch {
	case gang != "":
		r.Reason = printable.Text("needs " + gang)
		r.From, r.Until = u.Since, until
	case len(u.Waiting) > 0:
		r.Reason = printable.Text("waits for " + strings.Join(u.Waiting, ", "))
	case len(u.Objects) > 0 && pod != nil:
		r.Reason = printable.Text("waits for " + diagnose.Awaited(e, pod, u.Objects))
		r.From, r.Until = u.Since, u.Deadline
	}
	return r
}

func (c *Collector) podRows(e *engine.Engine, part queue.State, first, n int) []views.PodRow {
	c.pods = e.Queue().Window(c.pods[:0], part, first, n)
	rows := make([]views.PodRow, len(c.pods))
	for i, p := range c.pods {
		rows[i] = c.rows.row(e, p)
	}
	return rows
}

// rowCache keeps the texts of pods' rows until the pods change.
type rowCache struct {
	engine *engine.Engine
	texts  map[*queue.Pod]rowText
}

// rowText holds a row's texts, and the values they were made from.
type rowText struct {
	pod                                   *v1.Pod
	state                                 queue.State
	rejectors                             []string
	name, key                             string
	reason, plugin, requeuesOn, nominated string
}

// maxRows bounds the rows whose texts are kept: several screens of them.
//
//orrery:limit screen; rows of a list whose texts are kept; all are made anew
const maxRows = 4096

func (m *rowCache) of(e *engine.Engine) {
	if m.engine != e || len(m.texts) > maxRows {
		*m = rowCache{engine: e, texts: map[*queue.Pod]rowText{}}
	}
}

func (m *rowCache) row(e *engine.Engine, p *queue.Pod) views.PodRow {
	text, known := m.texts[p]
	if !known || text.pod != p.Pod() || text.state != p.State() || !sameSlice(text.rejectors, p.Rejectors()) {
		text = newRowText(e, p)
		m.texts[p] = text
	}
	return views.PodRow{
		Name: text.name, Key: text.key, State: stateOf(p.State()), Priority: p.Priority(), Attempts: p.GetAttempts(),
		Since: p.Since(), Pending: queuedPending(p, e.Now()), From: p.Since(), Until: p.GetBackoffExpiration(),
		Reason: text.reason, Plugin: text.plugin, RequeuesOn: text.requeuesOn, Nominated: text.nominated,
	}
}

// sameSlice reports whether two immutable slices are the same.
func sameSlice(a, b []string) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func newRowText(e *engine.Engine, p *queue.Pod) rowText {
	pod := p.Pod()
	s := rowText{
		pod: pod, state: p.State(), rejectors: p.Rejectors(),
		plugin: printable.Text(strings.Join(p.Rejectors(), ", ")), nominated: printable.Text(pod.Status.NominatedNodeName),
	}
	s.name, s.key = podNames(world.PodRefOf(pod))
	if s.reason = printable.Text(framework.MainOf(world.PendingMessage(pod)).String()); s.reason == "" {
		s.reason = s.plugin
	}
	if p.State().InUnschedulablePods() {
		s.requeuesOn = plural.Listed(requeueEvents(e.Queue(), p, maxRequeueEvents))
	}
	return s
}

var states = [...]views.PodState{
	queue.Gone: views.Deleted, queue.Active: views.Active, queue.Backoff: views.Backoff, queue.ErrorBackoff: views.Backoff,
	queue.Unschedulable: views.Unschedulable, queue.Gated: views.Gated, queue.InFlight: views.InFlight,
}

func stateOf(s queue.State) views.PodState { return states[s] }
