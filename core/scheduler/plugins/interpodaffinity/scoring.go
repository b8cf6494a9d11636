package interpodaffinity

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
)

const preScoreStateKey = "PreScore" + Name

// preScoreState holds the sums for Score.
type preScoreState struct {
	index    *topology.PodIndex
	revision uint64 // of the index
	domains  *topology.DomainCounts
	views    []topology.AxisView
}

// Clone implements fwk.StateData. Nothing changes the state, so the copy is the state itself.
func (s *preScoreState) Clone() fwk.StateData { return s }

// PreScoreIgnoresNodes implements framework.NodelessPreScore: the sums are of all nodes.
func (pl *InterPodAffinity) PreScoreIgnoresNodes(fwk.CycleState, *v1.Pod) bool { return true }

// PreScore sums, per domain, the preferred terms of the pod and of existing pods.
func (pl *InterPodAffinity) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if pl.ignorePreferred && !hasPreferredTerms(pod) {
		return skip
	}
	if !hasTerms(pod) {
		withAffinity, err := pl.nodes.HavePodsWithAffinityList()
		if err != nil {
			return fwk.AsStatus(fmt.Errorf("failed to get pods with affinity list: %w", err))
		}
		if len(withAffinity) == 0 {
			return skip
		}
	}
	q, views, failed := pl.preferenceViews(state, pod)
	if failed != nil {
		return failed
	}
	for i := range views {
		if views[i].Hits > 0 {
			state.Write(preScoreStateKey, &preScoreState{index: pl.index, revision: pl.index.Revision(), domains: q.domains, views: views})
			return nil
		}
	}
	return skip
}

// preferenceViews are the sums of this scheduling cycle's PreFilter, or new ones, and the set that they are of.
func (pl *InterPodAffinity) preferenceViews(state fwk.CycleState, pod *v1.Pod) (*termSet, []topology.AxisView, *fwk.Status) {
	if s, err := readPreFilterState(state); err == nil && s.index == pl.index && s.revision == pl.index.Revision() {
		return s.set, s.views[preference], nil
	}
	all, err := pl.nodes.List()
	if err != nil {
		return nil, nil, fwk.AsStatus(fmt.Errorf("failed to get all nodes from shared lister: %w", err))
	}
	own, parsing, resolving := pl.ownTerms(pod)
	if parsing != nil {
		return nil, nil, fwk.AsStatus(fmt.Errorf("failed to parse pod: %w", parsing))
	}
	if resolving != nil {
		return nil, nil, fwk.AsStatus(resolving)
	}
	pl.index.Sync(all)
	q := pl.termSet(pod, own)
	q.refresh(pl.index)
	return q, q.views[preference], nil
}

// Score is the sum of the weights in the node's domains.
func (pl *InterPodAffinity) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := readPreScoreState(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	node := info.Node()
	slot := s.index.SlotOf(node)
	var score int64
	for i := range s.views {
		if domain, has := s.views[i].DomainOf(node, slot); has {
			score += s.views[i].Sum(domain)
		}
	}
	return score, nil
}

// NormalizeScore spreads the scores over the whole range; if all are equal they become 0.
func (pl *InterPodAffinity) NormalizeScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	if _, err := readPreScoreState(state); err != nil {
		return fwk.AsStatus(err)
	}
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range scores {
		least, most = min(least, scores[i].Score), max(most, scores[i].Score)
	}
	for i := range scores {
		scores[i].Score = normalized(scores[i].Score, least, most)
	}
	return nil
}

// normalized is a score's share of the way from the smallest to the largest one.
func normalized(score, least, most int64) int64 {
	if least == most {
		return 0
	}
	share := float64(score-least) / float64(most-least)
	return int64(float64(fwk.MaxScore) * share)
}

func readPreScoreState(state fwk.CycleState) (*preScoreState, error) {
	s, err := framework.ReadState[*preScoreState](state, preScoreStateKey)
	if err != nil {
		return nil, fmt.Errorf("failed to read %q from cycleState: %w", preScoreStateKey, err)
	}
	return s, nil
}
