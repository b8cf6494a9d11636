package podtopologyspread

import (
	"context"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
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
	// scored are the classes of the feasible nodes, if these were not listed.
	scored scoredClasses
}

// Clone implements fwk.StateData. Nothing changes the state, so the copy is the state itself.
func (s *preScoreState) Clone() fwk.StateData { return s }

// PreScore counts the pods in each domain of the soft constraints.
func (pl *PodTopologySpread) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo) *fwk.Status {
	s, _, status := pl.newPreScoreState(state, pod)
	if s == nil {
		return status
	}
	s.setWeights(feasible)
	state.Write(preScoreStateKey, s)
	return nil
}

// newPreScoreState returns a state without weights, and all nodes; nil if there is nothing to score, or in an error.
func (pl *PodTopologySpread) newPreScoreState(state fwk.CycleState, pod *v1.Pod) (s *preScoreState, all []fwk.NodeInfo, status *fwk.Status) {
	all, err := pl.nodes.List()
	if err != nil {
		return nil, nil, fwk.AsStatus(fmt.Errorf("getting all nodes: %w", err))
	}
	if len(all) == 0 {
		return nil, nil, skip
	}
	q, err := pl.constraintSet(pod, v1.ScheduleAnyway)
	if err != nil {
		return nil, nil, fwk.AsStatus(fmt.Errorf("calculating preScoreState: %w", err))
	}
	if q == nil {
		return nil, nil, skip
	}
	pl.syncOnce(state, all)
	q.refresh(pl.index)
	return &preScoreState{set: q, index: pl.index, revision: pl.index.Revision(), views: q.views}, all, nil
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
func (s *preScoreState) setWeights(feasible []fwk.NodeInfo) {
	q := s.set
	q.scoring++
	sizes := make([]int, len(q.constraints))
	unread := make([][]string, len(q.constraints))
	for _, info := range feasible {
		node := info.Node()
		slot := s.index.SlotOf(node)
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
			}
		}
	}
	s.weigh(sizes, len(feasible)-len(s.ignored))
}

// weigh derives the weights from the numbers of domains. On an axis of nodes, each scored one is a domain.
func (s *preScoreState) weigh(sizes []int, scored int) {
	s.weights = make([]float64, len(sizes))
	for i, size := range sizes {
		if s.set.axisKind(i) == topology.PerNode {
			size = scored
		}
		s.weights[i] = math.Log(float64(size + 2))
	}
}

// part is what a constraint adds to the score of a node in whose domain there are so many pods.
func (s *preScoreState) part(i int, pods int64) float64 {
	// The conversion prevents fused multiply-add, which rounds differently.
	return float64(float64(pods)*s.weights[i]) + float64(s.set.constraints[i].maxSkew-1)
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
		score += s.part(i, count)
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
		return fwk.MaxScore
	}
	return fwk.MaxScore * (most + least - score) / most
}

func readPreScoreState(state fwk.CycleState) (*preScoreState, error) {
	s, err := framework.ReadState[*preScoreState](state, preScoreStateKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", preScoreStateKey, err)
	}
	return s, nil
}
