package interpodaffinity

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
)

const preFilterStateKey = "PreFilter" + Name

// preFilterState holds the counts for Filter. Clones share them and have their own changes.
type preFilterState struct {
	set      *termSet
	index    *topology.PodIndex
	revision uint64
	views    views
	// pod is matched with the terms of pods given to AddPod and RemovePod, which may select by labels that the set leaves out.
	pod *v1.Pod
	// selfMatch says that the pod matches its own affinity terms, so it may be the first of its group.
	selfMatch bool
	changes   []change
}

// change is a count added hypothetically.
type change struct {
	kind       kind
	key, value string
	amount     int64
}

// Clone implements fwk.StateData.
func (s *preFilterState) Clone() fwk.StateData {
	c := *s
	c.changes = append([]change(nil), s.changes...)
	return &c
}

// PreFilter counts, per domain, the pods that match the pod's required terms and the anti-affinity terms that match the pod.
func (pl *InterPodAffinity) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	withAntiAffinity, err := pl.nodes.HavePodsWithRequiredAntiAffinityList()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("failed to list NodeInfos with pods with affinity: %w", err))
	}
	own, parsing, resolving := pl.ownTerms(pod)
	if parsing != nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("parsing pod: %+v", parsing)).WithPlugin(Name)
	}
	if resolving != nil {
		return nil, fwk.AsStatus(resolving)
	}
	required := len(own.affinity) > 0 || len(own.antiAffinity) > 0
	if !required && len(withAntiAffinity) == 0 {
		return nil, skip
	}
	pl.index.Sync(nodes)
	q := pl.termSet(pod, own)
	q.refresh(pl.index)
	s := &preFilterState{set: q, index: pl.index, revision: pl.index.Revision(), views: q.views, pod: pod}
	s.selfMatch = matchesAll(own.affinity, pod)
	// PreScore uses it even if Filter does not.
	state.Write(preFilterStateKey, s)
	if !required && !s.anyExistingAntiAffinity() {
		return nil, skip
	}
	return nil, nil
}

func (s *preFilterState) anyExistingAntiAffinity() bool {
	for i := range s.views[existingAntiAffinity] {
		if s.views[existingAntiAffinity][i].Hits > 0 {
			return true
		}
	}
	return false
}

// AddPod counts a pod as if it ran on the node.
func (pl *InterPodAffinity) AddPod(_ context.Context, state fwk.CycleState, _ *v1.Pod, added fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return updatePod(state, added, info.Node(), 1)
}

// RemovePod counts a pod as if it had gone from the node.
func (pl *InterPodAffinity) RemovePod(_ context.Context, state fwk.CycleState, _ *v1.Pod, removed fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return updatePod(state, removed, info.Node(), -1)
}

func updatePod(state fwk.CycleState, pod fwk.PodInfo, node *v1.Node, amount int64) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	s.set.matchedTerms(pod.GetPod(), func(kind kind, key string) { s.change(node, kind, key, amount) })
	theirs := pod.GetRequiredAntiAffinityTerms()
	for i := range theirs {
		if theirs[i].Matches(s.pod, s.set.namespace) {
			s.change(node, existingAntiAffinity, theirs[i].TopologyKey, amount)
		}
	}
	return nil
}

func (s *preFilterState) change(node *v1.Node, kind kind, key string, amount int64) {
	value, has := node.Labels[key]
	if !has {
		return
	}
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.key == key && c.value == value {
			c.amount += amount
			return
		}
	}
	s.changes = append(s.changes, change{kind, key, value, amount})
}

// Filter rejects a node without a pod that the affinity terms require in its domains, or with one that anti-affinity forbids.
func (pl *InterPodAffinity) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	node := info.Node()
	slot := s.index.SlotOf(node)
	switch {
	case !s.satisfiesAffinity(node, slot):
		return affinityNotMatched
	case s.hasConflict(antiAffinity, node, slot):
		return antiAffinityNotMatched
	case s.hasConflict(existingAntiAffinity, node, slot):
		return existingAntiAffinityNotMatched
	}
	return nil
}

var (
	skip                           = fwk.NewStatus(fwk.Skip).WithPlugin(Name)
	affinityNotMatched             = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, ErrReasonAffinityRulesNotMatch).WithPlugin(Name)
	antiAffinityNotMatched         = fwk.NewStatus(fwk.Unschedulable, ErrReasonAntiAffinityRulesNotMatch).WithPlugin(Name)
	existingAntiAffinityNotMatched = fwk.NewStatus(fwk.Unschedulable, ErrReasonExistingAntiAffinityRulesNotMatch).WithPlugin(Name)
)

// satisfiesAffinity reports whether each affinity term has a match in the node's domain. If no pod matches anywhere and the
// pod matches its own terms, any node with all keys will do: else a group that wants to be together would have no first pod.
func (s *preFilterState) satisfiesAffinity(node *v1.Node, slot int32) bool {
	all := true
	for i := range s.views[affinity] {
		v := &s.views[affinity][i]
		domain, has := v.DomainOf(node, slot)
		if !has {
			return false
		}
		all = all && s.sum(affinity, v, domain, node) > 0
	}
	return all || (s.selfMatch && s.noMatches())
}

// hasConflict reports whether one of the node's domains has a count of a forbidding kind.
func (s *preFilterState) hasConflict(kind kind, node *v1.Node, slot int32) bool {
	for i := range s.views[kind] {
		v := &s.views[kind][i]
		if domain, has := v.DomainOf(node, slot); has && s.sum(kind, v, domain, node) > 0 {
			return true
		}
	}
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.amount > 0 && s.isUncounted(c) {
			if value, has := node.Labels[c.key]; has && value == c.value {
				return true
			}
		}
	}
	return false
}

// sum is the count in a domain, including changes.
func (s *preFilterState) sum(kind kind, v *topology.AxisView, domain int32, node *v1.Node) int64 {
	sum := v.Sum(domain)
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.key == v.Key.Name && c.value == node.Labels[c.key] {
			sum += c.amount
		}
	}
	return sum
}

// isUncounted reports whether a change is on a key without counts.
func (s *preFilterState) isUncounted(c *change) bool {
	for i := range s.views[c.kind] {
		if s.views[c.kind][i].Key.Name == c.key {
			return false
		}
	}
	return true
}

// noMatches reports whether no pod anywhere matches the pod's required affinity.
func (s *preFilterState) noMatches() bool {
	for i := range s.views[affinity] {
		v := &s.views[affinity][i]
		left := v.Hits
		for j := range s.changes {
			c := &s.changes[j]
			if c.kind != affinity || c.key != v.Key.Name {
				continue
			}
			left += c.amount
			if v.Sum(v.DomainOfValue(c.value))+c.amount != 0 {
				return false
			}
		}
		if left != 0 {
			return false
		}
	}
	return true
}

func readPreFilterState(state fwk.CycleState) (*preFilterState, error) {
	s, err := framework.ReadState[*preFilterState](state, preFilterStateKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", preFilterStateKey, err)
	}
	return s, nil
}
