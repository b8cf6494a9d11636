package podtopologyspread

import (
	"context"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/census"
)

const preScoreStateKey = "PreScore" + Name

// preScoreState is what Score needs to know of the soft constraints.
type preScoreState struct {
	question *question
	roster   *census.Roster
	views    []view
	// weights make counts in few large domains and in many small ones comparable.
	weights []float64
	// ignored names the feasible nodes that lack a key, if every key is needed.
	ignored map[string]bool
}

// Clone implements fwk.StateData. Nothing changes the state, so the copy is the state itself.
func (s *preScoreState) Clone() fwk.StateData { return s }

// PreScore counts the pods in each domain of the soft constraints.
func (pl *Plugin) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo) *fwk.Status {
	all, err := pl.nodes.List()
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("getting all nodes: %w", err))
	}
	if len(all) == 0 {
		return skip
	}
	q, err := pl.question(pod, v1.ScheduleAnyway)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("calculating preScoreState: %w", err))
	}
	if q == nil {
		return skip
	}
	pl.syncOnce(state, all)
	q.refresh(pl.roster)
	s := &preScoreState{question: q, roster: pl.roster, views: q.views}
	s.weigh(feasible)
	state.Write(preScoreStateKey, s)
	return nil
}

// syncOnce reads the nodes unless PreFilter of the same scheduling cycle did: the snapshot stands still for a cycle.
func (pl *Plugin) syncOnce(state fwk.CycleState, all []fwk.NodeInfo) {
	if s, err := readPreFilterState(state); err == nil && s.roster == pl.roster && s.round == pl.roster.Round() {
		return
	}
	pl.roster.Sync(all)
}

// weigh finds the number of domains among the feasible nodes, and from it each constraint's weight.
func (s *preScoreState) weigh(feasible []fwk.NodeInfo) {
	q := s.question
	q.scorings++
	sizes := make([]int, len(q.constraints))
	strangers := make([][]string, len(q.constraints))
	for _, info := range feasible {
		node := info.Node()
		slot, found := s.roster.Find(node)
		if q.allKeys && !s.hasAllKeys(node, slot, found) {
			if s.ignored == nil {
				s.ignored = map[string]bool{}
			}
			s.ignored[node.Name] = true
			continue
		}
		for i := range q.constraints {
			if q.axisKind(i) != census.OwnNode && s.meet(i, node, slot, found, &strangers[i]) {
				sizes[i]++
			}
		}
	}
	s.weights = make([]float64, len(sizes))
	for i, size := range sizes {
		if q.axisKind(i) == census.OwnNode {
			size = len(feasible) - len(s.ignored)
		}
		s.weights[i] = math.Log(float64(size + 2))
	}
}

func (s *preScoreState) hasAllKeys(node *v1.Node, slot int32, found bool) bool {
	for i := range s.views {
		if _, has := s.views[i].Locate(node, slot, found); !has {
			return false
		}
	}
	return true
}

// meet reports whether the node's domain was not met before in this scoring. Domains that the roster does not know are
// told apart by their values.
func (s *preScoreState) meet(i int, node *v1.Node, slot int32, found bool, strangers *[]string) bool {
	domain := s.views[i].Reside(node, slot, found)
	if domain < 0 {
		value := node.Labels[s.question.constraints[i].key]
		if slices.Contains(*strangers, value) {
			return false
		}
		*strangers = append(*strangers, value)
		return true
	}
	return s.question.firstMeeting(i, domain)
}

func (q *question) firstMeeting(i int, domain int32) bool {
	if q.met == nil {
		q.met = make([][]uint64, len(q.constraints))
	}
	for int(domain) >= len(q.met[i]) {
		q.met[i] = append(q.met[i], 0)
	}
	first := q.met[i][domain] != q.scorings
	q.met[i][domain] = q.scorings
	return first
}

// Score adds up what already runs in the node's domains; NormalizeScore turns it around.
func (pl *Plugin) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := readPreScoreState(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	node := info.Node()
	if s.ignored[node.Name] {
		return 0, nil
	}
	q := s.question
	slot, found := s.roster.Find(node)
	var score float64
	for i := range q.constraints {
		v := &s.views[i]
		domain, has := v.Locate(node, slot, found)
		if !has {
			continue
		}
		var count int64
		switch {
		case q.axisKind(i) != census.OwnNode:
			count = v.Of(domain)
		case found && s.roster.Holds(slot, info):
			count = v.Of(slot)
		default:
			count = q.countOn(i, info)
		}
		// The conversion keeps processors that can multiply and add in one step from rounding differently.
		score += float64(float64(count)*s.weights[i]) + float64(q.constraints[i].maxSkew-1)
	}
	return int64(math.Round(score)), nil
}

// countOn counts on a node that is not as the roster read it.
func (q *question) countOn(i int, info fwk.NodeInfo) (count int64) {
	for _, p := range info.GetPods() {
		if q.counts(i, p.GetPod()) {
			count++
		}
	}
	return count
}

// NormalizeScore gives the emptiest domain the highest score, and ignored nodes none.
func (pl *Plugin) NormalizeScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	s, err := readPreScoreState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	least, most := int64(math.MaxInt64), int64(0)
	for i := range scores {
		if !s.ignored[scores[i].Name] {
			least, most = min(least, scores[i].Score), max(most, scores[i].Score)
		}
	}
	for i := range scores {
		switch {
		case s.ignored[scores[i].Name]:
			scores[i].Score = 0
		case most == 0:
			scores[i].Score = fwk.MaxNodeScore
		default:
			scores[i].Score = fwk.MaxNodeScore * (most + least - scores[i].Score) / most
		}
	}
	return nil
}

func readPreScoreState(state fwk.CycleState) (*preScoreState, error) {
	data, err := state.Read(preScoreStateKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", preScoreStateKey, err)
	}
	s, ok := data.(*preScoreState)
	if !ok {
		return nil, fmt.Errorf("reading %q from cycleState: it holds a %T, which PreScore did not write", preScoreStateKey, data)
	}
	return s, nil
}
