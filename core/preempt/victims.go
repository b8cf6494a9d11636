package preempt

import (
	"context"
	"math"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

var noVictims = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")

// stay is one node's dry run: a copy of the node and of the cycle's state, on which pods are taken away and put back.
type stay struct {
	handle fwk.Handle
	state  fwk.CycleState
	pod    *v1.Pod
	node   fwk.NodeInfo
}

// victims decides who would have to leave the node: nobody to spare, a failure of the pod to fit even then, or the
// victims in order of importance and how many of them a budget guards.
func (s *stay) victims(ctx context.Context, budgets []budget) (victims []*v1.Pod, violations int, status *fwk.Status) {
	lower, err := s.removeLower(ctx)
	if err != nil {
		return nil, 0, fwk.AsStatus(err)
	}
	if len(lower) == 0 {
		return nil, 0, noVictims
	}
	if status := s.fits(ctx); !status.IsSuccess() {
		return nil, 0, status
	}
	sort.Slice(lower, func(i, j int) bool { return moreImportant(lower[i].GetPod(), lower[j].GetPod()) })
	guarded, others := split(lower, budgets)
	leaving, err := s.reprieve(ctx, nil, guarded)
	if err != nil {
		return nil, 0, fwk.AsStatus(err)
	}
	violations = len(leaving)
	if leaving, err = s.reprieve(ctx, leaving, others); err != nil {
		return nil, 0, fwk.AsStatus(err)
	}
	for _, info := range leaving {
		victims = append(victims, info.GetPod())
	}
	if len(guarded) > 0 && len(others) > 0 {
		sort.Slice(victims, func(i, j int) bool { return moreImportant(victims[i], victims[j]) })
	}
	return victims, violations, nil
}

// removeLower takes every pod of lower priority off the node.
func (s *stay) removeLower(ctx context.Context) ([]fwk.PodInfo, error) {
	var lower []fwk.PodInfo
	for _, info := range s.node.GetPods() {
		if corev1.PodPriority(info.GetPod()) < corev1.PodPriority(s.pod) {
			lower = append(lower, info)
		}
	}
	for _, info := range lower {
		if err := s.remove(ctx, info); err != nil {
			return nil, err
		}
	}
	return lower, nil
}

// reprieve puts pods back one by one as long as the pod still fits, and adds those that have to leave to the list.
func (s *stay) reprieve(ctx context.Context, leaving, pods []fwk.PodInfo) ([]fwk.PodInfo, error) {
	for _, info := range pods {
		s.node.AddPodInfo(info)
		if status := s.handle.RunPreFilterExtensionAddPod(ctx, s.state, s.pod, info, s.node); !status.IsSuccess() {
			return nil, status.AsError()
		}
		if s.fits(ctx).IsSuccess() {
			continue
		}
		if err := s.remove(ctx, info); err != nil {
			return nil, err
		}
		leaving = append(leaving, info)
	}
	return leaving, nil
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

// moreImportant puts the higher priority first, and of equal ones the pod that has run for longer.
func moreImportant(a, b *v1.Pod) bool {
	if p, q := corev1.PodPriority(a), corev1.PodPriority(b); p != q {
		return p > q
	}
	return startedAt(a) < startedAt(b)
}

// startedAt is a pod's start in nanoseconds; a pod that has not started yet comes after all that have.
func startedAt(pod *v1.Pod) int64 {
	if pod.Status.StartTime == nil {
		return math.MaxInt64
	}
	return pod.Status.StartTime.UnixNano()
}
