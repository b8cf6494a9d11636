package preempt

import (
	"cmp"
	"context"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

var noVictims = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")

// stay is one node's dry run: a copy of the node and of the cycle's state, on which pods are taken away and put back.
// It serves one node after the other, so that what it needs room for it finds.
type stay struct {
	handle fwk.Handle
	pod    *v1.Pod
	state  fwk.CycleState
	node   fwk.NodeInfo

	lower, leaving []fwk.PodInfo
	spare          *framework.CycleState // state, unless the runtime is another's
}

// on decides who would have to leave a node: nobody to spare, a failure of the pod to fit even then, or the victims in
// order of importance and how many of them a budget guards.
func (s *stay) on(ctx context.Context, node fwk.NodeInfo, state fwk.CycleState, budgets []budget) (victims []*v1.Pod, violations int, status *fwk.Status) {
	s.findLower(node)
	if len(s.lower) == 0 {
		return nil, 0, noVictims
	}
	s.node = node.Snapshot()
	s.copyState(state)
	for _, info := range s.lower {
		if err := s.remove(ctx, info); err != nil {
			return nil, 0, fwk.AsStatus(err)
		}
	}
	if status := s.fits(ctx); !status.IsSuccess() {
		return nil, 0, status
	}
	slices.SortFunc(s.lower, byImportance)
	guarded, others := split(s.lower, budgets)
	s.leaving = s.leaving[:0]
	if err := s.reprieve(ctx, guarded); err != nil {
		return nil, 0, fwk.AsStatus(err)
	}
	violations = len(s.leaving)
	if err := s.reprieve(ctx, others); err != nil {
		return nil, 0, fwk.AsStatus(err)
	}
	if len(guarded) > 0 && len(others) > 0 {
		slices.SortFunc(s.leaving, byImportance)
	}
	victims = make([]*v1.Pod, len(s.leaving))
	for i, info := range s.leaving {
		victims[i] = info.GetPod()
	}
	return victims, violations, nil
}

// findLower lists the pods of lower priority on a node.
func (s *stay) findLower(node fwk.NodeInfo) {
	s.lower = s.lower[:0]
	mine := corev1.PodPriority(s.pod)
	for _, info := range node.GetPods() {
		if corev1.PodPriority(info.GetPod()) < mine {
			s.lower = append(s.lower, info)
		}
	}
}

func (s *stay) copyState(state fwk.CycleState) {
	own, ok := state.(*framework.CycleState)
	if !ok {
		s.state = state.Clone()
		return
	}
	if s.spare == nil {
		s.spare = framework.NewCycleState()
	}
	own.CloneTo(s.spare)
	s.state = s.spare
}

// reprieve puts pods back one by one as long as the pod still fits; those it does not fit beside have to leave.
func (s *stay) reprieve(ctx context.Context, pods []fwk.PodInfo) error {
	for _, info := range pods {
		s.node.AddPodInfo(info)
		if status := s.handle.RunPreFilterExtensionAddPod(ctx, s.state, s.pod, info, s.node); !status.IsSuccess() {
			return status.AsError()
		}
		if s.fits(ctx).IsSuccess() {
			continue
		}
		if err := s.remove(ctx, info); err != nil {
			return err
		}
		s.leaving = append(s.leaving, info)
	}
	return nil
}

func (s *stay) remove(ctx context.Context, info fwk.PodInfo) error {
	if err := s.node.RemovePod(klog.Logger{}, info.GetPod()); err != nil {
		return err
	}
	return s.handle.RunPreFilterExtensionRemovePod(ctx, s.state, s.pod, info, s.node).AsError()
}

func (s *stay) fits(ctx context.Context) *fwk.Status {
	return s.handle.RunFilterPluginsWithNominatedPods(ctx, s.state, s.pod, s.node)
}

// byImportance puts the higher priority first, and of equal ones the pod that has run for longer.
func byImportance(a, b fwk.PodInfo) int {
	p, q := a.GetPod(), b.GetPod()
	return cmp.Or(cmp.Compare(corev1.PodPriority(q), corev1.PodPriority(p)), cmp.Compare(startedAt(p), startedAt(q)))
}

// startedAt is a pod's start in nanoseconds; a pod that has not started yet comes after all that have.
func startedAt(pod *v1.Pod) int64 {
	if pod.Status.StartTime == nil {
		return math.MaxInt64
	}
	return pod.Status.StartTime.UnixNano()
}
