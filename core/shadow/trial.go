package shadow

import (
	"cmp"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
)

// The bounds of a search for what explains a difference.
const (
	// mostTrials rankings are made, and mostTrialsNamed more to find out which of the events it takes; fewer where there are
	// many nodes or differences. One ranking counts for as many nodes as it ranks: trialNodes are ranked for one difference,
	// while nodesASecond come in, and nodesSpared can be saved up. But leastTrials are always made.
	mostTrials, mostTrialsNamed, leastTrials = 512, 48, 4
	trialNodes, nodesASecond, nodesSpared    = 1 << 18, 1 << 19, 1 << 22
	// mostFlips is how many events are supposed to have been seen at another time, beside those that an order tells of.
	mostFlips = 8
	// mostNamed is how many are named.
	mostNamed = 8
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
	flipped []bool
	window  time.Duration // how far from the decision a single event may be
	left    int           // rankings that may still be made
	made    int           // and those made
	at      int64         // the distance as it is
	// rivals are the nodes that are ahead, and would do.
	rivals map[string]bool
}

// effort is how many nodes may still be ranked to explain differences, by the time of the inputs.
type effort struct {
	nodes int
	at    time.Time
}

// trials are how many rankings of so many nodes may be made for one difference, by what is left.
func (e *effort) trials(now time.Time, nodes int) int {
	if since := min(now.Sub(e.at), time.Minute); since > 0 {
		e.nodes = min(e.nodes+int(since.Seconds()*nodesASecond), nodesSpared)
		e.at = now
	}
	return min(max(min(e.nodes, trialNodes)/max(nodes, 1), leastTrials), mostTrials)
}

// set has an event be seen at the other time, or as it was.
func (t *trial) set(i int, flipped bool) {
	switch {
	case t.flipped[i] == flipped:
		return
	case flipped:
		t.toggles[i].flip(t.engine)
	default:
		t.toggles[i].back(t.engine)
	}
	t.flipped[i] = flipped
}

// restore has every event be seen as it was at another moment of the search.
func (t *trial) restore(state []bool) {
	for i := range state {
		t.set(i, state[i])
	}
}

// all are the events that something holds of.
func (t *trial) all(fit func(*toggle) bool) []int {
	var list []int
	for i := range t.toggles {
		if fit(&t.toggles[i]) {
			list = append(list, i)
		}
	}
	return list
}

// measure ranks the nodes anew.
func (t *trial) measure() int64 {
	t.at, t.rivals = impossible, nil
	if t.left <= 0 {
		return t.at
	}
	t.left--
	t.made++
	r, err := t.engine.Rank(t.pod.Namespace, t.pod.Name)
	if err != nil {
		return t.at
	}
	t.at = t.distance(r)
	real := r.Of(t.node)
	t.rivals = map[string]bool{}
	for i := range r.Scores {
		if real == nil || r.Scores[i].TotalScore > real.TotalScore {
			t.rivals[r.Scores[i].Name] = true
		}
	}
	return t.at
}

// again measures what was measured before, once more for its rivals.
func (t *trial) again() {
	t.left++
	t.measure()
}

// named are the events it takes, those nearest in time first. What agreement does not need is taken back, the furthest
// first, half of all at a time, then a quarter, and so on.
func (t *trial) named() []Cause {
	t.left = min(t.made+t.left, mostTrialsNamed)
	var need []int
	for i := len(t.toggles) - 1; i >= 0; i-- {
		if t.flipped[i] {
			need = append(need, i)
		}
	}
	for size := (len(need) + 1) / 2; size > 0 && t.left > 0 && len(need) > 1; size /= 2 {
		for from := 0; from < len(need) && t.left > 0; {
			some := need[from:min(from+size, len(need))]
			if len(some) == len(need) || !t.without(some) {
				from += size
				continue
			}
			need = slices.Delete(need, from, from+len(some))
		}
	}
	slices.Reverse(need)
	list := make([]Cause, 0, mostNamed)
	for _, i := range need[:min(len(need), mostNamed)] {
		list = append(list, t.toggles[i].cause())
	}
	return list
}

// without tells whether there is agreement without some of the events, and leaves it at that if so.
func (t *trial) without(some []int) bool {
	for _, i := range some {
		t.set(i, false)
	}
	if t.measure() == 0 {
		return true
	}
	for _, i := range some {
		t.set(i, true)
	}
	return false
}

// touches tells whether an event is about one of some nodes, or about something that belongs to no node.
func (g *toggle) touches(of func(string) bool) bool {
	switch o := cmp.Or(g.now, g.was).(type) {
	case *v1.Pod:
		was, _ := g.was.(*v1.Pod)
		now, _ := g.now.(*v1.Pod)
		return was != nil && of(was.Spec.NodeName) || now != nil && of(now.Spec.NodeName)
	case *v1.Node:
		return of(o.Name)
	}
	return true
}
