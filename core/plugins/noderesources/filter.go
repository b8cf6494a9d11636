package noderesources

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// filterKey is where a pod's request waits for the filter.
const filterKey fwk.StateKey = "PreFilter" + Name

// filterState is a pod's request as the filter needs it. Pods that come and go during preemption do not touch it.
type filterState struct {
	need    request
	checked []scalarCheck // the scalars that are neither ignored nor zero
}

// Clone returns the state itself: nothing changes it.
func (s *filterState) Clone() fwk.StateData { return s }

// PreFilter works the pod's request out. It never skips: every pod counts against the number of pods.
func (f *Fit) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	s := &filterState{need: f.reading.asked(pod)}
	for _, need := range s.need.scalars {
		if need.amount > 0 && !f.ignores(need.name) {
			s.checked = append(s.checked, newScalarCheck(need))
		}
	}
	state.Write(filterKey, s)
	return nil, nil
}

// PreFilterExtensions are not needed: the request is the pod's own.
func (*Fit) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter compares the request with what is left on the node and reports everything that is short. A request that the
// node could not meet if it were empty is beyond what preemption can mend.
func (*Fit) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, err := readFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	there, taken := node.GetAllocatable(), node.GetRequested()
	var found shortage
	if len(node.GetPods())+1 > there.GetAllowedPodNumber() {
		found |= tooManyPods
	}
	found |= compare(cpuIsShort, s.need.milliCPU, there.GetMilliCPU(), taken.GetMilliCPU())
	found |= compare(memoryIsShort, s.need.memory, there.GetMemory(), taken.GetMemory())
	found |= compare(ephemeralIsShort, s.need.ephemeral, there.GetEphemeralStorage(), taken.GetEphemeralStorage())
	if len(s.checked) > 0 {
		return withScalars(found, s.checked, there.GetScalarResources(), taken.GetScalarResources())
	}
	return basicStatus[found]
}

func readFilterState(state fwk.CycleState) (*filterState, error) {
	data, err := state.Read(filterKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", filterKey, err)
	}
	s, ok := data.(*filterState)
	if !ok {
		return nil, fmt.Errorf("reading %q from cycleState: it is a %T", filterKey, data)
	}
	return s, nil
}
