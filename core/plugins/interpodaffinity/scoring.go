package interpodaffinity

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/census"
)

const preScoreStateKey = "PreScore" + Name

// preScoreState is what Score needs to know.
type preScoreState struct {
	roster *census.Roster
	views  []census.Counts
}

// Clone implements fwk.StateData. Nothing changes the state, so the copy is the state itself.
func (s *preScoreState) Clone() fwk.StateData { return s }

// PreScore sums up, per domain, what the pod and existing pods prefer.
func (pl *Plugin) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	preferring := hasPreferredTerms(pod)
	if pl.ignorePreferred && !preferring {
		return skip
	}
	if !hasTerms(pod) {
		minded, err := pl.nodes.HavePodsWithAffinityList()
		if err != nil {
			return fwk.AsStatus(fmt.Errorf("failed to get pods with affinity list: %w", err))
		}
		if len(minded) == 0 {
			return skip
		}
	}
	views, failed := pl.likings(state, pod)
	if failed != nil {
		return failed
	}
	for i := range views {
		if views[i].Hits > 0 {
			state.Write(preScoreStateKey, &preScoreState{roster: pl.roster, views: views})
			return nil
		}
	}
	return skip
}

// likings are the counts that PreFilter of the same scheduling cycle took, or new ones.
func (pl *Plugin) likings(state fwk.CycleState, pod *v1.Pod) ([]census.Counts, *fwk.Status) {
	if s, err := readPreFilterState(state); err == nil && s.roster == pl.roster && s.round == pl.roster.Round() {
		return s.views[liking], nil
	}
	all, err := pl.nodes.List()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("failed to get all nodes from shared lister: %w", err))
	}
	own, parsing, resolving := pl.ownTerms(pod)
	if parsing != nil {
		return nil, fwk.AsStatus(fmt.Errorf("failed to parse pod: %w", parsing))
	}
	if resolving != nil {
		return nil, fwk.AsStatus(resolving)
	}
	pl.roster.Sync(all)
	q := pl.question(pod, own)
	q.refresh(pl.roster)
	return q.views[liking], nil
}

// Score is the sum of the weights in the node's domains.
func (pl *Plugin) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := readPreScoreState(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	node := info.Node()
	slot, found := s.roster.Find(node)
	var score int64
	for i := range s.views {
		if domain, has := s.views[i].Locate(node, slot, found); has {
			score += s.views[i].Of(domain)
		}
	}
	return score, nil
}

// NormalizeScore stretches the scores over the whole range; if all are equal they become 0.
func (pl *Plugin) NormalizeScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	if _, err := readPreScoreState(state); err != nil {
		return fwk.AsStatus(err)
	}
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range scores {
		least, most = min(least, scores[i].Score), max(most, scores[i].Score)
	}
	for i := range scores {
		if least == most {
			scores[i].Score = 0
			continue
		}
		share := float64(scores[i].Score-least) / float64(most-least)
		scores[i].Score = int64(float64(fwk.MaxNodeScore) * share)
	}
	return nil
}

func readPreScoreState(state fwk.CycleState) (*preScoreState, error) {
	data, err := state.Read(preScoreStateKey)
	if err != nil {
		return nil, fmt.Errorf("failed to read %q from cycleState: %w", preScoreStateKey, err)
	}
	s, ok := data.(*preScoreState)
	if !ok {
		return nil, fmt.Errorf("reading %q from cycleState: it holds a %T, which PreScore did not write", preScoreStateKey, data)
	}
	return s, nil
}
