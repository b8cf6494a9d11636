package podtopologyspread

import (
	"context"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
)

const preFilterStateKey = "PreFilter" + Name

// preFilterState holds the hard constraints for Filter. Clones share the counts and have their own changes.
type preFilterState struct {
	set      *constraintSet
	index    *topology.PodIndex
	revision uint64
	views    []domainCounts
	self     []int64 // by constraint: 1 if the pod matches the selector, and so is one of those that its place adds to
	limits   []int64 // by constraint: how many pods a domain may have for the pod to be added
	changes  topology.Changes
}

// Clone implements fwk.StateData.
func (s *preFilterState) Clone() fwk.StateData {
	c := *s
	c.limits = slices.Clone(s.limits)
	c.changes = s.changes.Clone()
	return &c
}

// PreFilter counts the pods in each domain of the hard constraints.
func (pl *PodTopologySpread) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	q, err := pl.constraintSet(pod, v1.DoNotSchedule)
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("get constraints from pod: %w", err))
	}
	if q == nil {
		return nil, skip
	}
	pl.index.Sync(nodes)
	q.refresh(pl.index)
	numbers := make([]int64, 2*len(q.constraints))
	s := &preFilterState{
		set: q, index: pl.index, revision: pl.index.Revision(), views: q.views,
		self: numbers[:len(q.constraints)], limits: numbers[len(q.constraints):],
	}
	for i := range q.constraints {
		if q.constraints[i].selector.Matches(labels.Set(pod.Labels)) {
			s.self[i] = 1
		}
		s.setLimit(i)
	}
	state.Write(preFilterStateKey, s)
	return nil, nil
}

// AddPod counts a pod as if it ran on the node.
func (pl *PodTopologySpread) AddPod(_ context.Context, state fwk.CycleState, _ *v1.Pod, added fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return updatePod(state, added.GetPod(), info.Node(), 1)
}

// RemovePod counts a pod as if it had gone from the node.
func (pl *PodTopologySpread) RemovePod(_ context.Context, state fwk.CycleState, _ *v1.Pod, removed fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return updatePod(state, removed.GetPod(), info.Node(), -1)
}

func updatePod(state fwk.CycleState, pod *v1.Pod, node *v1.Node, amount int64) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	s.updatePod(pod, node, amount)
	return nil
}

func (s *preFilterState) updatePod(pod *v1.Pod, node *v1.Node, amount int64) {
	q := s.set
	// As in the counts of the pods that run: a node without one of the keys counts for no constraint, not even for the others.
	if node == nil || pod.Namespace != q.namespace || !hasAllTopologyKeys(node, q.constraints) {
		return
	}
	for i := range q.constraints {
		c := &q.constraints[i]
		if c.selector.Matches(labels.Set(pod.Labels)) && q.eligible(c, node) {
			s.changes.Add(i, node.Labels[c.key], amount)
			s.setLimit(i)
		}
	}
}

// setLimit computes how many pods a domain may have for the pod to be added.
func (s *preFilterState) setLimit(i int) {
	c := &s.set.constraints[i]
	least, domains := s.minimum(i)
	// A domain that is still missing counts as an empty one (KEP-3022), so that the others fill up to maxSkew and no further.
	if domains < c.minDomains {
		least = 0
	}
	s.limits[i] = c.maxSkew + least - s.self[i]
}

// minimum is the smallest count of any domain, including changes, and the number of domains.
func (s *preFilterState) minimum(i int) (least int64, domains int) {
	v := &s.views[i]
	least, domains = v.Least, v.Domains
	var few [8]int32
	touched, smallest := few[:0], int64(math.MaxInt32)
	for _, d := range s.changes {
		if d.Axis != i {
			continue
		}
		domain := v.DomainOfValue(d.Value)
		if !v.HasNodes(domain) {
			domains++
		}
		touched = append(touched, domain)
		smallest = min(smallest, v.Sum(domain)+d.Amount)
	}
	switch {
	case len(touched) == 1 && touched[0] == v.LeastDomain:
		least = v.SecondLeast
	case len(touched) > 1:
		least = v.LeastExcept(touched)
	}
	return min(least, smallest), domains
}

// Filter rejects a node in whose domain the pod would make the skew too large.
func (pl *PodTopologySpread) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	node := info.Node()
	slot := s.index.SlotOf(node)
	for i := range s.views {
		v := &s.views[i]
		domain, has := v.DomainOf(node, slot)
		if !has {
			return missingLabel
		}
		count := v.Sum(domain)
		if len(s.changes) > 0 {
			count += s.changes.Of(i, node.Labels[v.Key.Name])
		}
		if count > s.limits[i] {
			return constraintsNotMatched
		}
	}
	return nil
}

var (
	skip                  = fwk.NewStatus(fwk.Skip).WithPlugin(Name)
	missingLabel          = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, ErrReasonNodeLabelNotMatch).WithPlugin(Name)
	constraintsNotMatched = fwk.NewStatus(fwk.Unschedulable, ErrReasonConstraintsNotMatch).WithPlugin(Name)
)

func readPreFilterState(state fwk.CycleState) (*preFilterState, error) {
	s, err := framework.ReadState[*preFilterState](state, preFilterStateKey)
	if err != nil {
		return nil, fmt.Errorf("reading %q from cycleState: %w", preFilterStateKey, err)
	}
	return s, nil
}
