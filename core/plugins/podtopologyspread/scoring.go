package podtopologyspread

import (
	"context"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/plugins/topology"
	"orrery/core/reuse"
)

const preScoreStateKey = "PreScore" + Name

// preScoreState holds the soft constraints for Score.
type preScoreState struct {
	set   *constraintSet
	index *topology.PodIndex
	// revision is that of the index.
	revision uint64
	views    []domainCounts
	// weights make the counts of few large domains and of many small ones comparable.
	weights []float64
	// ignored names the feasible nodes that lack a key, if every key is required.
	ignored map[string]bool
}

// Clone implements fwk.StateData. Nothing changes the state, so the copy is the state itself.
func (s *preScoreState) Clone() fwk.StateData { return s }

// PreScore counts the pods in each domain of the soft constraints.
func (pl *PodTopologySpread) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo) *fwk.Status {
	return pl.preScore(state, pod, feasible, nil)
}

// preScore is PreScore with the places of the nodes, if they are known.
func (pl *PodTopologySpread) preScore(state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo, places []reuse.Place) *fwk.Status {
	all, err := pl.nodes.List()
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("getting all nodes: %w", err))
	}
	if len(all) == 0 {
		return skip
	}
	q, err := pl.constraintSet(pod, v1.ScheduleAnyway)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("calculating preScoreState: %w", err))
	}
	if q == nil {
		return skip
	}
	pl.syncOnce(state, all)
	q.refresh(pl.index)
	s := &preScoreState{set: q, index: pl.index, revision: pl.index.Revision(), views: q.views}
	s.setWeights(feasible, places)
	state.Write(preScoreStateKey, s)
	return nil
}

// PreScoreIgnoresNodes implements framework.NodelessPreScore: without soft constraints there is nothing to score.
func (pl *PodTopologySpread) PreScoreIgnoresNodes(_ fwk.CycleState, pod *v1.Pod) bool {
	_, found := pl.constraintsFor(pod, v1.ScheduleAnyway)
	return !found
}

// syncOnce reads the nodes unless PreFilter of the same scheduling cycle did: the snapshot does not change in a cycle.
func (pl *PodTopologySpread) syncOnce(state fwk.CycleState, all []fwk.NodeInfo) {
	if s, err := readPreFilterState(state); err == nil && s.index == pl.index && s.revision == pl.index.Revision() {
		return
	}
	pl.index.Sync(all)
}

// setWeights derives each constraint's weight from its number of domains among the feasible nodes.
func (s *preScoreState) setWeights(feasible []fwk.NodeInfo, places []reuse.Place) {
	q := s.set
	q.scoring++
	sizes := make([]int, len(q.constraints))
	unread := make([][]string, len(q.constraints))
	toMeet, slotOf := s.slots(places)
	for at, info := range feasible {
		if toMeet == 0 {
			break
		}
		node := info.Node()
		slot := slotOf(at, node)
		if q.allKeys && !s.hasAllKeys(node, slot) {
			if s.ignored == nil {
				s.ignored = map[string]bool{}
			}
			s.ignored[node.Name] = true
			continue
		}
		for i := range q.constraints {
			if q.axisKind(i) != topology.PerNode && s.firstInDomain(i, node, slot, &unread[i]) {
				sizes[i]++
				toMeet--
			}
		}
	}
	s.weights = make([]float64, len(sizes))
	for i, size := range sizes {
		if q.axisKind(i) == topology.PerNode {
			size = len(feasible) - len(s.ignored)
		}
		s.weights[i] = math.Log(float64(size + 2))
	}
}

// slots returns how to find the slots of the feasible nodes, and how many domains there are among them at most.
func (s *preScoreState) slots(places []reuse.Place) (domains int, slotOf func(at int, node *v1.Node) int32) {
	columns, ok := s.index.Columns(s.revision)
	if !ok || places == nil {
		return math.MaxInt, func(_ int, node *v1.Node) int32 { return s.index.SlotOf(node) }
	}
	return s.domainsToMeet(columns), func(at int, _ *v1.Node) int32 { return columns.Slot(places[at]) }
}

// domainsToMeet is how many domains the constraints have together. When they are all met, no other node changes the sizes. It is
// more than there can be if some node is to be ignored, as it has to be found.
func (s *preScoreState) domainsToMeet(columns topology.Columns) (domains int) {
	for i := range s.views {
		v := &s.views[i].AxisView
		if s.set.allKeys && !columns.AllHave(v) {
			return math.MaxInt
		}
		if s.set.axisKind(i) != topology.PerNode {
			domains += columns.MostDomains(v)
		}
	}
	return domains
}

func (s *preScoreState) hasAllKeys(node *v1.Node, slot int32) bool {
	for i := range s.views {
		if _, has := s.views[i].DomainOf(node, slot); !has {
			return false
		}
	}
	return true
}

// firstInDomain reports whether the node is the first of its domain in this scoring. Domains that the index has not read
// are identified by value.
func (s *preScoreState) firstInDomain(i int, node *v1.Node, slot int32, unread *[]string) bool {
	domain := s.views[i].CountingDomain(node, slot)
	if domain < 0 {
		value := node.Labels[s.set.constraints[i].key]
		if slices.Contains(*unread, value) {
			return false
		}
		*unread = append(*unread, value)
		return true
	}
	return s.set.firstSeen(i, domain)
}

func (q *constraintSet) firstSeen(i int, domain int32) bool {
	if q.seen == nil {
		q.seen = make([][]uint64, len(q.constraints))
	}
	for int(domain) >= len(q.seen[i]) {
		q.seen[i] = append(q.seen[i], 0)
	}
	first := q.seen[i][domain] != q.scoring
	q.seen[i][domain] = q.scoring
	return first
}

// Score adds up the matching pods in the node's domains; NormalizeScore inverts it.
func (pl *PodTopologySpread) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := readPreScoreState(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	node := info.Node()
	if s.ignored[node.Name] {
		return 0, nil
	}
	q := s.set
	slot := s.index.SlotOf(node)
	var score float64
	for i := range q.constraints {
		v := &s.views[i]
		domain, has := v.DomainOf(node, slot)
		if !has {
			continue
		}
		var count int64
		switch {
		case q.axisKind(i) != topology.PerNode:
			count = v.Sum(domain)
		case s.index.IsCurrent(slot, info):
			count = v.Sum(slot)
		default:
			count = q.countOnNode(i, info)
		}
		// The conversion prevents fused multiply-add, which rounds differently.
		score += float64(float64(count)*s.weights[i]) + float64(q.constraints[i].maxSkew-1)
	}
	return int64(math.Round(score)), nil
}

// countOnNode counts on a node that differs from what the index read.
func (q *constraintSet) countOnNode(i int, info fwk.NodeInfo) (count int64) {
	for _, p := range info.GetPods() {
		if q.matches(i, p.GetPod()) {
			count++
		}
	}
	return count
}

// NormalizeScore gives the emptiest domain the highest score, and ignored nodes none.
func (pl *PodTopologySpread) NormalizeScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
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
		if s.ignored[scores[i].Name] {
			scores[i].Score = 0
			continue
		}
		scores[i].Score = normalized(scores[i].Score, least, most)
	}
	return nil
}

// normalized is a score between the smallest and the largest one, turned round.
func normalized(score, least, most int64) int64 {
	if most == 0 {
		return fwk.MaxNodeScore
	}
	return fwk.MaxNodeScore * (most + least - score) / most
}

func readPreScoreState(state fwk.CycleState) (*preScoreState, error) {
	s, err := framework.ReadState[*preScoreState](state, preScoreStateKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", preScoreStateKey, err)
	}
	return s, nil
}
