package preempt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

var noVictims = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")

// outcome is what a dry run on one node comes to: a contender, or the status that says why there is none. It does not change.
type outcome struct {
	contender *contender
	status    *fwk.Status
	// The outcome follows from which pods match budgets, and from the statuses of those budgets.
	budgetsMatter, matched bool
}

// nodeDryRun is the dry run on one node: pods are removed from and added to copies of the node and the cycle state. It is
// reused for one node after the other to save memory.
type nodeDryRun struct {
	handle  fwk.Handle
	pod     *v1.Pod
	budgets *budgets
	// stateless says that removing and adding pods leaves the state as it is, so that no copy is needed.
	stateless bool
	// inOrder says that equally important pods stay in the order in which the node has them.
	inOrder bool
	state   fwk.CycleState
	node    fwk.NodeInfo

	lowerPriority, victims []fwk.PodInfo
	violated               []*policyv1.PodDisruptionBudget // by the victims
	scratch                *framework.CycleState           // reused for state, if that is a *framework.CycleState
}

// run finds the victims on a node. There is no contender if the node has no pods of lower priority, or if the pod does not fit
// even without all of them.
func (s *nodeDryRun) run(ctx context.Context, node fwk.NodeInfo, state fwk.CycleState) outcome {
	s.findLowerPriority(node)
	if len(s.lowerPriority) == 0 {
		return outcome{status: noVictims}
	}
	s.node = node.Snapshot()
	s.copyState(state)
	for _, info := range s.lowerPriority {
		if err := s.remove(ctx, info); err != nil {
			return outcome{status: fwk.AsStatus(err)}
		}
	}
	if status := s.fits(ctx); !status.IsSuccess() {
		return outcome{status: status}
	}
	return s.findVictims(ctx)
}

// findVictims adds the pods of lower priority back, as far as the pod fits beside them.
func (s *nodeDryRun) findVictims(ctx context.Context) outcome {
	s.sort(s.lowerPriority)
	violating, others, violated, matched := s.budgets.split(s.lowerPriority)
	s.victims = s.victims[:0]
	if err := s.reprieve(ctx, violating); err != nil {
		return outcome{status: fwk.AsStatus(err)}
	}
	violations := len(s.victims)
	s.keepViolated(violating, violated)
	if err := s.reprieve(ctx, others); err != nil {
		return outcome{status: fwk.AsStatus(err)}
	}
	name := s.node.Node().Name
	if len(s.victims) == 0 {
		return outcome{status: fwk.AsStatus(fmt.Errorf("expected at least one victim pod on node %q", name))}
	}
	if len(violating) > 0 && len(others) > 0 {
		s.sort(s.victims)
	}
	victims := make([]*v1.Pod, len(s.victims))
	for i, info := range s.victims {
		victims[i] = info.GetPod()
	}
	return outcome{
		contender:     newContender(Candidate{Node: name, Victims: victims, Violations: violations}),
		budgetsMatter: true, matched: matched,
	}
}

// findLowerPriority lists the pods of lower priority on a node.
func (s *nodeDryRun) findLowerPriority(node fwk.NodeInfo) {
	s.lowerPriority = s.lowerPriority[:0]
	priority := corev1.PodPriority(s.pod)
	for _, info := range node.GetPods() {
		if corev1.PodPriority(info.GetPod()) < priority {
			s.lowerPriority = append(s.lowerPriority, info)
		}
	}
}

func (s *nodeDryRun) copyState(state fwk.CycleState) {
	own, ok := state.(*framework.CycleState)
	switch {
	case s.stateless:
		s.state = state
	case !ok:
		s.state = state.Clone()
	default:
		if s.scratch == nil {
			s.scratch = framework.NewCycleState()
		}
		own.CloneTo(s.scratch)
		s.state = s.scratch
	}
}

// reprieve adds pods back one by one; those beside which the pod does not fit are victims.
func (s *nodeDryRun) reprieve(ctx context.Context, pods []fwk.PodInfo) error {
	for _, info := range pods {
		if err := s.add(ctx, info); err != nil {
			return err
		}
		if s.fits(ctx).IsSuccess() {
			continue
		}
		if err := s.remove(ctx, info); err != nil {
			return err
		}
		s.victims = append(s.victims, info)
	}
	return nil
}

// keepViolated keeps the budgets of those violating pods that are victims, which are in the same order.
func (s *nodeDryRun) keepViolated(violating []fwk.PodInfo, budgets []*policyv1.PodDisruptionBudget) {
	s.violated = s.violated[:0]
	for i, info := range violating {
		if n := len(s.violated); n < len(s.victims) && s.victims[n] == info {
			s.violated = append(s.violated, budgets[i])
		}
	}
}

func (s *nodeDryRun) add(ctx context.Context, info fwk.PodInfo) error {
	s.node.AddPodInfo(info)
	if s.stateless {
		return nil
	}
	return s.handle.RunPreFilterExtensionAddPod(ctx, s.state, s.pod, info, s.node).AsError()
}

func (s *nodeDryRun) remove(ctx context.Context, info fwk.PodInfo) error {
	if err := s.node.RemovePod(klog.Logger{}, info.GetPod()); err != nil || s.stateless {
		return err
	}
	return s.handle.RunPreFilterExtensionRemovePod(ctx, s.state, s.pod, info, s.node).AsError()
}

func (s *nodeDryRun) fits(ctx context.Context) *fwk.Status {
	return s.handle.RunFilterPluginsWithNominatedPods(ctx, s.state, s.pod, s.node)
}

// sort puts the most important pods first.
func (s *nodeDryRun) sort(pods []fwk.PodInfo) {
	if s.inOrder {
		slices.SortStableFunc(pods, byImportance)
		return
	}
	slices.SortFunc(pods, byImportance)
}

// byImportance orders by higher priority, then by earlier start.
func byImportance(a, b fwk.PodInfo) int {
	p, q := a.GetPod(), b.GetPod()
	return cmp.Or(cmp.Compare(corev1.PodPriority(q), corev1.PodPriority(p)), cmp.Compare(startedAt(p), startedAt(q)))
}

// startedAt is a pod's start in nanoseconds since 1970, 292 years before or after at most; a pod that has not started yet comes
// after all that have.
func startedAt(pod *v1.Pod) int64 {
	if pod.Status.StartTime == nil {
		return math.MaxInt64
	}
	return int64(pod.Status.StartTime.Sub(time.Unix(0, 0)))
}
