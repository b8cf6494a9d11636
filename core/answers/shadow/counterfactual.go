package shadow

import (
	"cmp"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Bounds of the search for an explanation.
const (
	// A search makes at most maxRankings rankings, and maxRankingsMinimizing more to find the necessary events; fewer
	// with many nodes or differences. The cost of a ranking is its number of nodes: maxNodesPerSearch for one
	// difference, nodesPerSecond over time, of which maxSavedNodes accumulate. A search makes at least minRankings, and
	// there is none without the nodes for these and for its fork.
	//
	//orrery:limit shadow; rankings in the search for an explanation; the difference stays unexplained
	maxRankings = 512
	//orrery:limit shadow; further rankings to find which events are necessary; the explanation names more events than necessary
	maxRankingsMinimizing = 48
	minRankings           = 4
	// A fork's first ranking reads all nodes and pods, each pod in the time of nodesPerPod nodes of other rankings.
	nodesPerPod = 4
	//orrery:limit shadow; nodes that one search ranks; the difference stays unexplained
	maxNodesPerSearch = 1 << 18
	//orrery:limit shadow; nodes that searches rank in a second, over time; they are shorter
	nodesPerSecond = 1 << 19
	//orrery:limit shadow; nodes that searches may rank at once after a quiet time; they are shorter
	maxSavedNodes = 1 << 22
	// maxReordered bounds the single events that are reordered, in addition to the streams.
	//
	//orrery:limit shadow; single events that an explanation reorders; the difference stays unexplained
	maxReordered = 8
	// maxCauses bounds the causes in a finding.
	//
	//orrery:limit shadow; causes in an explanation; the others are left out
	maxCauses = 8
	// infeasible is the distance of an infeasible node.
	infeasible = math.MaxInt64
)

// realDecision is a decision of the other scheduler.
type realDecision struct {
	pod  types.NamespacedName
	uid  types.UID
	node string // empty: the pod was declared unschedulable
}

// distance measures how far a ranking is from the real decision; zero is agreement. It is the sum of the leads of all
// better nodes; for a pod that was declared unschedulable, the number of feasible nodes.
func (q *realDecision) distance(r *engine.Ranking) int64 {
	if q.node == "" {
		return int64(len(r.Scores))
	}
	chosen := r.ScoreOf(q.node)
	if chosen == nil {
		return infeasible
	}
	var ahead int64
	for i := range r.Scores {
		ahead += max(r.Scores[i].TotalScore-chosen.TotalScore, 0)
	}
	return ahead
}

// counterfactual is a fork of the comparator's engine on which events are seen at other times.
type counterfactual struct {
	realDecision
	engine       *engine.Engine
	events       []reorderableEvent
	reordered    []bool
	objects      []objectStates
	window       time.Duration // maximum distance of a single event from the decision
	rankingsLeft int           // rankings left
	rankings     int           // rankings made
	current      int64         // the current distance
	// rivals are the feasible nodes with a higher score.
	rivals map[string]bool
}

// rankingBudget is how many more nodes may be ranked to explain differences; it refills with the time of the inputs.
type rankingBudget struct {
	nodes int
	at    time.Time
}

// allow returns how many rankings of this many nodes one difference may use among this many pods; 0 if it may use none.
func (e *rankingBudget) allow(now time.Time, nodes, pods int) int {
	if since := min(now.Sub(e.at), time.Minute); since > 0 {
		e.nodes = min(e.nodes+int(since.Seconds()*nodesPerSecond), maxSavedNodes)
		e.at = now
	}
	fork := nodes + pods*nodesPerPod
	if e.nodes < min(fork+minRankings*nodes, maxSavedNodes) {
		return 0
	}
	e.nodes = max(e.nodes-fork, 0)
	return min(max(min(e.nodes, maxNodesPerSearch)/max(nodes, 1), minRankings), maxRankings)
}

// objectStates are the states that an object has in the search.
type objectStates struct {
	actual world.Object // the comparator's; nil if there is none
	placed world.Object // the fork's
	events []int        // about the object, in order of arrival
}

// newCounterfactual makes a search from a fork of the comparator's engine.
func newCounterfactual(q realDecision, fork *engine.Engine, events []reorderableEvent) *counterfactual {
	t := &counterfactual{realDecision: q, engine: fork, events: events, reordered: make([]bool, len(events))}
	for i := range events {
		g := &events[i]
		for g.object >= len(t.objects) {
			t.objects = append(t.objects, objectStates{})
		}
		o := &t.objects[g.object]
		if o.events == nil {
			kind, name := g.about()
			o.actual = fork.Store().Object(kind, name.Namespace, name.Name)
			o.placed = o.actual
		}
		o.events = append(o.events, i)
	}
	for i := range t.objects {
		slices.SortFunc(t.objects[i].events, func(a, b int) int { return cmp.Compare(events[a].seq, events[b].seq) })
	}
	return t
}

// set reorders an event, or no longer does.
func (t *counterfactual) set(i int, flipped bool) {
	if t.reordered[i] == flipped {
		return
	}
	t.reordered[i] = flipped
	o := &t.objects[t.events[i].object]
	target := t.stateOf(o)
	forceState(t.engine, target, o.placed)
	o.placed = target
}

// stateOf returns an object's state: after the last event that was seen early, else before the first one that was not seen.
func (t *counterfactual) stateOf(o *objectStates) world.Object {
	for _, i := range slices.Backward(o.events) {
		if t.reordered[i] && t.events[i].seenEarly {
			return t.events[i].now
		}
	}
	for _, i := range o.events {
		if t.reordered[i] {
			return t.events[i].was
		}
	}
	return o.actual
}

// restore returns to an earlier state of the search.
func (t *counterfactual) restore(state []bool) {
	for i := range state {
		t.set(i, state[i])
	}
}

// indices returns the events that match.
func (t *counterfactual) indices(fit func(*reorderableEvent) bool) []int {
	var list []int
	for i := range t.events {
		if fit(&t.events[i]) {
			list = append(list, i)
		}
	}
	return list
}

// measure ranks the nodes and returns the distance.
func (t *counterfactual) measure() int64 {
	t.current, t.rivals = infeasible, nil
	if t.rankingsLeft <= 0 {
		return t.current
	}
	t.rankingsLeft--
	t.rankings++
	r, err := t.engine.Rank(t.pod.Namespace, t.pod.Name)
	if err != nil {
		return t.current
	}
	t.current = t.distance(r)
	chosen := r.ScoreOf(t.node)
	t.rivals = map[string]bool{}
	for i := range r.Scores {
		if chosen == nil || r.Scores[i].TotalScore > chosen.TotalScore {
			t.rivals[r.Scores[i].Name] = true
		}
	}
	return t.current
}

// remeasure ranks again for the rivals, at no cost.
func (t *counterfactual) remeasure() {
	t.rankingsLeft++
	t.measure()
}

// minimalCauses returns the necessary events, nearest in time first. It restores events that agreement does not need,
// furthest first: half of all at a time, then a quarter, and so on.
func (t *counterfactual) minimalCauses() []Cause {
	t.rankingsLeft = min(t.rankings+t.rankingsLeft, maxRankingsMinimizing)
	var need []int
	for i := len(t.events) - 1; i >= 0; i-- {
		if t.reordered[i] {
			need = append(need, i)
		}
	}
	for size := (len(need) + 1) / 2; size > 0 && t.rankingsLeft > 0 && len(need) > 1; size /= 2 {
		for from := 0; from < len(need) && t.rankingsLeft > 0; {
			some := need[from:min(from+size, len(need))]
			if len(some) == len(need) || !t.without(some) {
				from += size
				continue
			}
			need = slices.Delete(need, from, from+len(some))
		}
	}
	slices.Reverse(need)
	list := make([]Cause, 0, maxCauses)
	for _, i := range need[:min(len(need), maxCauses)] {
		list = append(list, t.events[i].cause())
	}
	return list
}

// without reports whether there is agreement without some of the events, and leaves them restored if so.
func (t *counterfactual) without(some []int) bool {
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

// concerns reports whether an event is about one of the nodes, or about an object that belongs to no node.
func (g *reorderableEvent) concerns(of func(string) bool) bool {
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
