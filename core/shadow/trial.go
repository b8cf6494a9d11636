package shadow

import (
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
)

// The bounds of a search for what explains a difference.
const (
	// mostTrials is how many rankings are made.
	mostTrials = 96
	// mostFlips is how many events are supposed to have been seen at another time, beside those that the order of the queue
	// tells of.
	mostFlips = 8
	// impossible is the distance of a node that would not do.
	impossible = math.MaxInt64
)

// question is about a real decision.
type question struct {
	pod  types.NamespacedName
	uid  types.UID
	node string // empty: the pod was declared unschedulable
}

// distance is how far a ranking is from the real decision: zero is agreement. It is by how much all better nodes together
// are ahead; for a pod that was declared unschedulable, how many nodes would do.
func (q *question) distance(r *engine.Ranking) int64 {
	if q.node == "" {
		return int64(len(r.Scores))
	}
	real := r.Of(q.node)
	if real == nil {
		return impossible
	}
	var ahead int64
	for i := range r.Scores {
		ahead += max(r.Scores[i].TotalScore-real.TotalScore, 0)
	}
	return ahead
}

// trial is a fork of the judge's engine on which events are seen at other times.
type trial struct {
	question
	engine  *engine.Engine
	toggles []toggle
	flipped []int // which of them, in the order of being flipped
	left    int   // rankings that may still be made
	at      int64 // the distance as it is
	// rivals are the nodes that are ahead, and would do.
	rivals map[string]bool
}

// causes looks for events that explain a real decision; nil if there are none.
func (j *Judge) causes(at time.Time, q question) []Cause {
	toggles := j.toggles(at, q.pod)
	if len(toggles) == 0 {
		return nil
	}
	fork, err := j.engine.Fork()
	if err != nil {
		return nil
	}
	t := &trial{question: q, engine: fork, toggles: toggles, left: mostTrials}
	t.measure()
	queued := t.all(func(g *toggle) bool { return j.queuedOtherwise(g, &q) })
	possible := func(g *toggle) bool { return j.possible(g, &q) }
	found := t.with(queued, nil) || t.with(queued, possible)
	if !found {
		t.reset()
		found = t.with(nil, possible) || t.with(t.all(func(g *toggle) bool { return possible(g) && g.touches(t.of) }), possible)
	}
	if !found {
		return nil
	}
	t.prune()
	list := make([]Cause, len(t.flipped))
	for i, n := range t.flipped {
		list[i] = t.toggles[n].cause()
	}
	slices.SortStableFunc(list, func(a, b Cause) int { return int(a.Off - b.Off) })
	return list
}

// of tells whether a node is the real one or one that is ahead of it.
func (t *trial) of(node string) bool { return node == t.node || t.rivals[node] }

func (t *trial) all(fit func(*toggle) bool) []int {
	var list []int
	for i := range t.toggles {
		if fit(&t.toggles[i]) {
			list = append(list, i)
		}
	}
	return list
}

// with flips events all together, and then single ones that may be as long as each brings agreement nearer.
func (t *trial) with(together []int, may func(*toggle) bool) bool {
	for _, i := range together {
		if !slices.Contains(t.flipped, i) {
			t.flip(i)
		}
	}
	if len(together) > 0 {
		t.measure()
	}
	for flips := 0; may != nil && t.at > 0 && flips < mostFlips; flips++ {
		if !t.nearer(may) {
			break
		}
	}
	return t.at == 0
}

// nearer flips the one event that brings agreement nearest, and tells whether there is one.
func (t *trial) nearer(may func(*toggle) bool) bool {
	best, at := -1, t.at
	before, rivals := t.at, t.rivals
	for _, relevant := range []bool{true, false} {
		for i := range t.toggles {
			g := &t.toggles[i]
			if slices.Contains(t.flipped, i) || !may(g) || g.touches(func(n string) bool { return n == t.node || rivals[n] }) != relevant {
				continue
			}
			if t.left == 0 || best >= 0 && at == 0 {
				break
			}
			t.flip(i)
			if t.measure(); t.at < at {
				best, at = i, t.at
			}
			t.unflip(i)
		}
		if best >= 0 {
			break
		}
	}
	t.at, t.rivals = before, rivals
	if best < 0 {
		return false
	}
	t.flip(best)
	t.left++ // it was measured already; once more for its rivals
	t.measure()
	return true
}

func (t *trial) flip(i int) {
	t.toggles[i].flip(t.engine)
	t.flipped = append(t.flipped, i)
}

func (t *trial) unflip(i int) {
	t.toggles[i].back(t.engine)
	t.flipped = slices.DeleteFunc(t.flipped, func(f int) bool { return f == i })
}

func (t *trial) reset() {
	for len(t.flipped) > 0 {
		t.unflip(t.flipped[len(t.flipped)-1])
	}
	t.measure()
}

// measure ranks the nodes anew.
func (t *trial) measure() {
	t.at, t.rivals = impossible, nil
	if t.left == 0 {
		return
	}
	t.left--
	r, err := t.engine.Rank(t.pod.Namespace, t.pod.Name)
	if err != nil {
		return
	}
	t.at = t.distance(r)
	real := r.Of(t.node)
	t.rivals = map[string]bool{}
	for i := range r.Scores {
		if real == nil || r.Scores[i].TotalScore > real.TotalScore {
			t.rivals[r.Scores[i].Name] = true
		}
	}
}

// prune takes back what agreement does not need.
func (t *trial) prune() {
	for _, i := range slices.Backward(slices.Clone(t.flipped)) {
		if t.left == 0 || len(t.flipped) == 1 {
			break
		}
		t.unflip(i)
		if t.measure(); t.at != 0 {
			t.flip(i)
		}
	}
	t.at = 0
}

// touches tells whether an event is about one of some nodes, or about something that belongs to no node.
func (g *toggle) touches(of func(string) bool) bool {
	switch o := either(g.now, g.was).(type) {
	case *v1.Pod:
		was, _ := g.was.(*v1.Pod)
		now, _ := g.now.(*v1.Pod)
		return was != nil && of(was.Spec.NodeName) || now != nil && of(now.Spec.NodeName)
	case *v1.Node:
		return of(o.Name)
	}
	return true
}

// either is the first of two objects that there is.
func either[T comparable](a, b T) T {
	var none T
	if a != none {
		return a
	}
	return b
}

// turn is when Orrery decided about a pod, and turns when it last placed a pod and last found no node for it.
type (
	turn struct {
		seq   uint64
		at    time.Time
		again bool // it had been tried before, and may come back to another scheduler at another time
	}
	turns struct{ placed, refused turn }
)

// turnsOf are the turns of the pod that an event bound and of the one in question, if Orrery has decided about both.
func (j *Judge) turnsOf(g *toggle, q *question) (other, own turn, known bool) {
	pod := g.binding()
	if pod == nil {
		return other, own, false
	}
	other, own = j.turns[pod.UID].placed, j.turns[q.uid].placed
	if refused := j.turns[q.uid].refused; q.node == "" && refused.seq > 0 {
		own = refused
	}
	return other, own, other.seq > 0 && own.seq > 0
}

// queuedOtherwise tells whether an event is a binding that came in another order than Orrery had decided.
func (j *Judge) queuedOtherwise(g *toggle, q *question) bool {
	other, own, known := j.turnsOf(g, q)
	return known && (other.seq < own.seq) == g.foreseen
}

// possible tells whether the other scheduler may have seen an event at another time than the judge. Pods whose turns were
// clearly one after the other had their turns in this order with it, too.
func (j *Judge) possible(g *toggle, q *question) bool {
	other, own, known := j.turnsOf(g, q)
	slack := j.window / 4
	switch {
	case !known || other.again || own.again:
		return true
	case g.foreseen:
		return !other.at.After(own.at.Add(slack))
	}
	return !other.at.Before(own.at.Add(-slack))
}
