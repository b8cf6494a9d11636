package noderesources

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// filterKey is the key of the filterState in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// filterState is a pod's request as Filter needs it. Preemption does not change it.
type filterState struct {
	need    request
	checked []scalarCheck // the scalars that are neither ignored nor zero
}

// Clone returns the state itself: nothing changes it.
func (s *filterState) Clone() fwk.StateData { return s }

// PreFilter computes the pod's request. It never skips: every pod counts against the number of pods.
func (f *Fit) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	need := f.requestOptions.requests(pod)
	if last := f.lastFilter; last != nil && last.need.equal(&need) && len(need.scalars) == 0 {
		state.Write(filterKey, last)
		return nil, nil
	}
	s := &filterState{need: need}
	f.lastFilter = s
	for _, need := range s.need.scalars {
		if need.amount > 0 && !f.ignores(need.name) {
			check := newScalarCheck(need)
			check.byDevices = f.byDevices(need.name)
			s.checked = append(s.checked, check)
		}
	}
	state.Write(filterKey, s)
	return nil, nil
}

// PreFilterExtensions is nil: other pods do not change the request.
func (*Fit) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter compares the request with what is free on the node and reports every shortage. A request that would not fit the
// empty node is unresolvable: preemption cannot help.
func (*Fit) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, err := readFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	allocatable, requested := node.GetAllocatable(), node.GetRequested()
	var found shortage
	if len(node.GetPods())+1 > allocatable.GetAllowedPodNumber() {
		found |= tooManyPods
	}
	found |= checkResource(cpuIsShort, s.need.milliCPU, allocatable.GetMilliCPU(), requested.GetMilliCPU())
	found |= checkResource(memoryIsShort, s.need.memory, allocatable.GetMemory(), requested.GetMemory())
	found |= checkResource(ephemeralIsShort, s.need.ephemeral, allocatable.GetEphemeralStorage(), requested.GetEphemeralStorage())
	if len(s.checked) > 0 {
		return addScalars(found, s.checked, allocatable.GetScalarResources(), requested.GetScalarResources())
	}
	return basicStatus[found]
}

func readFilterState(state fwk.CycleState) (*filterState, error) {
	s, err := framework.ReadState[*filterState](state, filterKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", filterKey, err)
	}
	return s, nil
}
