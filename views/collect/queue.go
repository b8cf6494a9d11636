package collect

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/filter"
)

// heads is how many pods of each part of the queue the overview shows at most.
const heads = 24

// queueParts are the parts in which the queue is shown one after the other, behind the pods that have their node and are
// on the way there.
var queueParts = [...]queue.State{queue.InFlight, queue.Active, queue.Backoff, queue.Unschedulable, queue.Gated}

// partCounts are how many pods each part has.
func partCounts(n queue.Counts) [len(queueParts)]int {
	return [...]int{n.InFlight, n.Active, n.Backoff + n.ErrorBackoff, n.Unschedulable, n.Gated}
}

// queueOf is the heads of the queue's parts for the overview, and the rows of the whole queue for its own pane. Either
// costs what is shown.
func (c *Collector) queueOf(e *engine.Engine, look Look) *views.Queue {
	counts := partCounts(e.Queue().Counts())
	v := &views.Queue{Counts: views.QueueCounts{
		Active: counts[1], Backoff: counts[2], Unschedulable: counts[3], Gated: counts[4], InFlight: counts[0] + e.BindingCount(),
	}}
	c.rows.of(e)
	if look.Open == views.QueuePane {
		v.Pods = c.podList(e, look, counts)
	} else {
		most := heads
		if look.Rows > 0 {
			most = min(heads, look.Rows)
		}
		v.Next = append(c.bindingRows(e, 0, most), c.podRows(e, queue.Active, 0, most)...)
		v.Next = v.Next[:min(len(v.Next), most)]
		v.Soon = c.podRows(e, queue.Backoff, 0, most)
		v.Stuck = c.podRows(e, queue.Unschedulable, 0, most)
		v.Held = c.podRows(e, queue.Gated, 0, most)
	}
	v.Moves = moves(e, look.Rows, v.Counts.Waiting())
	return v
}

// podList is the rows of the whole queue that are on the screen, its parts one after the other.
func (c *Collector) podList(e *engine.Engine, look Look, counts [len(queueParts)]int) views.List[views.PodRow] {
	if !look.plain() {
		return c.podsLeft(e, look)
	}
	total := e.BindingCount()
	for _, n := range counts {
		total += n
	}
	first, end := look.window(total)
	list := views.List[views.PodRow]{First: first, Total: total, Rows: make([]views.PodRow, 0, end-first)}
	list.Rows = append(list.Rows, c.bindingRows(e, first, end-first)...)
	at := e.BindingCount()
	for i, part := range queueParts {
		from, to := max(first-at, 0), min(end-at, counts[i])
		if to > from {
			list.Rows = append(list.Rows, c.podRows(e, part, from, to-from)...)
		}
		at += counts[i]
	}
	return list
}

// bindingRows are pods that have their node and are on the way there, the longest on the way first.
func (c *Collector) bindingRows(e *engine.Engine, first, n int) []views.PodRow {
	underway := e.BindingsFrom(first, n)
	rows := make([]views.PodRow, len(underway))
	for i := range underway {
		rows[i] = bindingRow(e, &underway[i])
	}
	return rows
}

func bindingRow(e *engine.Engine, u *engine.Underway) views.PodRow {
	r := views.PodRow{State: views.InFlight, Since: u.Since, Reason: printable.Text(u.Stage + " → " + u.Node)}
	r.Name, r.Key = podNames(u.Pod)
	if pod := e.Store().Pod(u.Pod.Namespace, u.Pod.Name); pod != nil && pod.Spec.Priority != nil {
		r.Priority = *pod.Spec.Priority
	}
	if len(u.Waiting) > 0 {
		r.Reason = printable.Text("waits for " + strings.Join(u.Waiting, ", "))
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

// rowMemory keeps what pods' rows say until the pods change.
type rowMemory struct {
	engine *engine.Engine
	said   map[*queue.Pod]saidOf
}

// saidOf is a row's texts, and what they were made of.
type saidOf struct {
	pod                               *v1.Pod
	state                             queue.State
	rejectors                         []string
	name, key                         string
	reason, plugin, awaits, nominated string
}

// rowsMost is how many rows' texts are kept: some screens full.
const rowsMost = 4096

func (m *rowMemory) of(e *engine.Engine) {
	if m.engine != e || len(m.said) > rowsMost {
		*m = rowMemory{engine: e, said: map[*queue.Pod]saidOf{}}
	}
}

func (m *rowMemory) row(e *engine.Engine, p *queue.Pod) views.PodRow {
	said, known := m.said[p]
	if !known || said.pod != p.Pod() || said.state != p.State() || !sameSlice(said.rejectors, p.Rejectors()) {
		said = say(e, p)
		m.said[p] = said
	}
	return views.PodRow{
		Name: said.name, Key: said.key, State: stateOf(p.State()), Priority: p.Priority(), Attempts: p.GetAttempts(),
		Since: p.Since(), From: p.Since(), Until: p.GetBackoffExpiration(),
		Reason: said.reason, Plugin: said.plugin, Awaits: said.awaits, Nominated: said.nominated,
	}
}

// sameSlice tells whether two slices that nobody changes are one.
func sameSlice(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func say(e *engine.Engine, p *queue.Pod) saidOf {
	pod := p.Pod()
	s := saidOf{
		pod: pod, state: p.State(), rejectors: p.Rejectors(),
		plugin: printable.Text(strings.Join(p.Rejectors(), ", ")), nominated: printable.Text(pod.Status.NominatedNodeName),
	}
	s.name, s.key = podNames(world.RefOf(pod))
	if s.reason = printable.Text(dominant(conditionMessage(pod))); s.reason == "" {
		s.reason = s.plugin
	}
	if p.State().Parked() {
		s.awaits = strings.Join(awaited(e.Queue(), p, 4), ", ")
	}
	return s
}

var states = [...]views.PodState{
	queue.Gone: views.Gone, queue.Active: views.Active, queue.Backoff: views.Backoff, queue.ErrorBackoff: views.Backoff,
	queue.Unschedulable: views.Unschedulable, queue.Gated: views.Gated, queue.InFlight: views.InFlight,
}

func stateOf(s queue.State) views.PodState { return states[s] }

// waiting is a pod of the queue, or a binding, while the list of them is narrowed.
type waiting struct {
	pod    *queue.Pod
	bound  *engine.Underway
	part   int8
	number int64 // what it is sorted by, if that is a number
}

func (w *waiting) ref() (namespace, name string) {
	if w.bound != nil {
		return w.bound.Pod.Namespace, w.bound.Pod.Name
	}
	return w.pod.Pod().Namespace, w.pod.Pod().Name
}

// podsLeft is the rows of the queue that a filter leaves, in the order that was asked for.
func (c *Collector) podsLeft(e *engine.Engine, look Look) views.List[views.PodRow] {
	q := e.Queue()
	pods, first, left := c.queueLeft.rows(look, list[waiting]{
		stamp:   q.Stamp(),
		all:     func(into []waiting) []waiting { return c.allWaiting(e, look.Sort, into) },
		subject: func(s *filter.Subject, w *waiting) { waitingSubject(e, s, w) },
		compare: func(a, b waiting) int {
			by := cmp.Compare(a.number, b.number)
			if by == 0 && look.Sort == "name" {
				by = compareNames(&a, &b)
			}
			if by = cmp.Or(by, int(a.part)-int(b.part)); by == 0 && a.pod != nil && b.pod != nil {
				by = q.Compare(a.pod, b.pod)
			}
			return cmp.Or(by, compareNames(&a, &b))
		},
	})
	c.narrowed = left
	rows := views.List[views.PodRow]{First: first, Total: left.Matches, Rows: make([]views.PodRow, len(pods))}
	for i := range pods {
		if pods[i].bound != nil {
			rows.Rows[i] = bindingRow(e, pods[i].bound)
		} else {
			rows.Rows[i] = c.rows.row(e, pods[i].pod)
		}
	}
	return rows
}

func compareNames(a, b *waiting) int {
	aSpace, aName := a.ref()
	bSpace, bName := b.ref()
	return cmp.Or(cmp.Compare(aSpace, bSpace), cmp.Compare(aName, bName))
}

// allWaiting is everybody in the queue and on the way to a node, with what the order goes by.
func (c *Collector) allWaiting(e *engine.Engine, by string, into []waiting) []waiting {
	underway := e.Bindings()
	into = slices.Grow(into, e.BindingCount()+e.Queue().Len())
	for i := range underway {
		into = append(into, waiting{bound: &underway[i]})
	}
	for i, part := range queueParts {
		c.pods = e.Queue().Pods(c.pods[:0], part)
		for _, p := range c.pods {
			w := waiting{pod: p, part: int8(i) + 1}
			switch by {
			case "priority":
				w.number = -int64(p.Priority())
			case "tries":
				w.number = -int64(p.GetAttempts())
			case "since":
				w.number = p.Since().UnixNano()
			case "":
				w.number = int64(w.part)
			}
			into = append(into, w)
		}
	}
	clear(c.pods)
	return into
}

func waitingSubject(e *engine.Engine, s *filter.Subject, w *waiting) {
	s.Namespace, s.Name = w.ref()
	if w.bound != nil {
		s.Words = [4]string{views.InFlight.Word(), w.bound.Node, w.bound.Stage}
		if pod := e.Store().Pod(s.Namespace, s.Name); pod != nil {
			s.Labels = pod.Labels
		}
		return
	}
	pod := w.pod.Pod()
	s.Labels = pod.Labels
	s.Words[0], s.Words[1] = stateOf(w.pod.State()).Word(), conditionMessage(pod)
	if rejectors := w.pod.Rejectors(); len(rejectors) > 0 {
		s.Words[2], s.Words[3] = rejectors[0], rejectors[len(rejectors)-1]
	}
}
