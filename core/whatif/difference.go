package whatif

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/world"
)

// answer compares two runs at rest.
func answer(e *engine.Engine, changes []Change, plain, changed *run) *Answer {
	plain.follow.conclude()
	changed.follow.conclude()
	a := &Answer{
		Changes: changes, At: plain.began, Before: plain.measure(), After: changed.measure(),
		Notes: changed.notes, Rest: changed.changed, Truncated: plain.truncated || changed.truncated,
	}
	for _, d := range changed.drains {
		a.Held = append(a.Held, d.held(changed)...)
	}
	c := comparison{plain: plain, changed: changed, answer: a, seen: map[types.UID]bool{}}
	c.touched()
	c.unscheduled(e)
	c.newcomers()
	slices.SortFunc(a.Pods, byPod)
	slices.SortFunc(a.Waiting, byPod)
	return a
}

func byPod(x, y PodChange) int {
	return cmp.Or(cmp.Compare(x.Pod.Namespace, y.Pod.Namespace), cmp.Compare(x.Pod.Name, y.Pod.Name), cmp.Compare(x.Pod.UID, y.Pod.UID))
}

// comparison is two runs being compared, pod by pod.
type comparison struct {
	plain, changed *run
	answer         *Answer
	seen           map[types.UID]bool
}

// touched compares the pods that were there when the question was asked and that something has happened to since.
func (c *comparison) touched() {
	for _, r := range []*run{c.plain, c.changed} {
		for _, s := range r.follow.slots {
			if s.origin != (world.Ref{}) {
				c.compare(s.origin)
			}
		}
	}
}

// unscheduled compares the pods that had no node when the question was asked; perhaps nothing has happened to them.
func (c *comparison) unscheduled(e *engine.Engine) {
	for pod := range objects[*v1.Pod](e.Store(), world.Pod) {
		if pod.Spec.NodeName == "" {
			c.compare(world.RefOf(pod))
		}
	}
}

func (c *comparison) compare(pod world.Ref) {
	if !c.seen[pod.UID] {
		c.seen[pod.UID] = true
		c.add(pod, c.plain.fareOf(pod), c.changed.fareOf(pod))
	}
}

// newcomers compares those who came later and took nobody's place: the first of an owner with the first, and so on.
func (c *comparison) newcomers() {
	before, after := c.plain.arrivals(), c.changed.arrivals()
	owners := map[string]bool{}
	for _, all := range []map[string][]Fare{before, after} {
		for owner := range all {
			owners[owner] = true
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		was, is := before[owner], after[owner]
		for i := range max(len(was), len(is)) {
			var from, to Fare
			if i < len(was) {
				from = was[i]
			}
			if i < len(is) {
				to = is[i]
			}
			pod := to.Pod
			if pod == (world.Ref{}) {
				pod = from.Pod
			}
			c.add(pod, from, to)
		}
	}
}

// arrivals are the fares of those who came and took nobody's place, by owner.
func (r *run) arrivals() map[string][]Fare {
	all := map[string][]Fare{}
	for _, s := range r.follow.slots {
		if s.origin == (world.Ref{}) && !s.leaving {
			all[s.owner] = append(all[s.owner], r.fare(s))
		}
	}
	return all
}

// add notes a pod, if it fares differently or waits either way.
func (c *comparison) add(pod world.Ref, before, after Fare) {
	change := PodChange{Pod: pod, Before: before, After: after}
	var differs bool
	if change.Fate, differs = fateOf(before, after); differs {
		c.answer.Pods = append(c.answer.Pods, change)
	}
	if waits(before) && waits(after) {
		change.Fate = Waits
		c.answer.Waiting = append(c.answer.Waiting, change)
	}
}

func waits(f Fare) bool { return f.Pod != (world.Ref{}) && f.Node == "" }

// fateOf says in what two fares of a pod differ, if they do. Who stands in for a pod matters only if that is elsewhere.
func fateOf(before, after Fare) (Fate, bool) {
	there, still := before.Pod != (world.Ref{}), after.Pod != (world.Ref{})
	left := after.Left != "" && before.Left == "" // on account of the changes
	switch {
	case !there && !still:
		return 0, false
	case !there && before.Place == "":
		return Arrives, true
	case !there:
		return Spared, true
	case !still && before.Node == "":
		return Vanishes, true
	case !still:
		return Evicted, true
	case before.Node == after.Node && before.Node != "":
		return 0, false
	case before.Node == "" && after.Node == "":
		return Waits, false // why it waits may be another reason, but it waits
	case before.Node == "":
		return Placed, true
	case after.Node == "" && left:
		return Evicted, true
	case after.Node == "":
		return Unplaced, true
	case left:
		return Moved, true
	}
	return Elsewhere, true
}

// fareOf is how a pod of the time of the question is doing.
func (r *run) fareOf(pod world.Ref) Fare {
	if s := r.follow.of[pod.UID]; s != nil {
		return r.fare(s)
	}
	return r.fare(&slot{origin: pod, now: pod})
}

// fare is how the pod in a slot is doing.
func (r *run) fare(s *slot) Fare {
	left := ""
	if s.origin != (world.Ref{}) && (s.leaving || s.now != s.origin) {
		left = s.cause
	}
	pod := r.engine.Store().Pod(s.now.Namespace, s.now.Name)
	if pod == nil || pod.UID != s.now.UID || (s.leaving && !s.doomed) {
		return Fare{Place: engine.PlaceGone, Why: left, Left: left}
	}
	f := Fare{Pod: s.now, Place: r.engine.Where(pod.Namespace, pod.Name), Node: nodeIn(r.engine, pod), Left: left}
	if f.Node == "" {
		r.explain(pod, &f)
	}
	return f
}

// explain says why a pod has no node: what most nodes said at its last attempt.
func (r *run) explain(pod *v1.Pod, f *Fare) {
	if gates := pod.Spec.SchedulingGates; len(gates) > 0 {
		names := make([]string, len(gates))
		for i, g := range gates {
			names[i] = g.Name
		}
		f.Why = "held by its scheduling gates: " + strings.Join(names, ", ")
		return
	}
	if d := r.latest()[pod.UID]; d != nil {
		f.Why = d.Message
		if len(d.Rejections) > 0 {
			f.Why, f.On, f.Of = d.Rejections[0].Reason, d.Rejections[0].Nodes, d.Nodes
		}
		return
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			f.Why = c.Message
		}
	}
}

// latest is the last decision about each pod, as far back as the engine remembers.
func (r *run) latest() map[types.UID]*engine.Decision {
	if r.last == nil {
		r.last = map[types.UID]*engine.Decision{}
		for d := range r.engine.Decisions() {
			if r.last[d.Pod.UID] == nil {
				r.last[d.Pod.UID] = d
			}
		}
	}
	return r.last
}
