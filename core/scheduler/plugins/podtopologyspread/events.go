package podtopologyspread

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
)

// EventsToRegister returns the events that can make a pod schedulable that Filter rejected.
func (pl *PodTopologySpread) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	podActions := fwk.Add | fwk.UpdatePodLabel | fwk.Delete
	if pl.queueingHints {
		podActions |= fwk.UpdatePodToleration
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: podActions},
			QueueingHintFn: pl.isSchedulableAfterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.Delete | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint},
			QueueingHintFn: pl.isSchedulableAfterNodeChange,
		},
	}, nil
}

// requiredConstraints compiles the pod's hard constraints. It does not use the recent sets: upstream's runtime may run hints
// during a cycle.
func (pl *PodTopologySpread) requiredConstraints(pod *v1.Pod) ([]constraint, error) {
	a, found := pl.constraintsFor(pod, v1.DoNotSchedule)
	if !found {
		return nil, nil
	}
	return pl.compileAll(pod, a)
}

// isSchedulableAfterPodChange requeues the pod when another one, or the pod itself, starts or stops to count.
func (pl *PodTopologySpread) isSchedulableAfterPodChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Pod](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if (before != nil && !pl.isRelevant(before, pod)) || (after != nil && !pl.isRelevant(after, pod)) {
		return fwk.QueueSkip, nil
	}
	constraints, err := pl.requiredConstraints(pod)
	if err != nil {
		return fwk.Queue, err
	}
	switch {
	case before != nil && after != nil:
		return hint.QueueIf(tolerationsChanged(pod, before, after, constraints) || selectionChanged(before, after, constraints)), nil
	case after != nil:
		return hint.QueueIf(matchesAny(constraints, after)), nil
	default:
		return hint.QueueIf(matchesAny(constraints, before)), nil
	}
}

// isRelevant reports whether a pod of an event is the pending pod, or can count for it.
func (pl *PodTopologySpread) isRelevant(other, waiting *v1.Pod) bool {
	placed := other.Spec.NodeName != "" || pl.involvesNominated && other.Status.NominatedNodeName != ""
	return other.UID == waiting.UID || placed && other.Namespace == waiting.Namespace
}

func tolerationsChanged(waiting, before, after *v1.Pod, constraints []constraint) bool {
	if waiting.UID != after.UID || equality.Semantic.DeepEqual(before.Spec.Tolerations, after.Spec.Tolerations) {
		return false
	}
	for i := range constraints {
		if constraints[i].honorTaints {
			return true
		}
	}
	return false
}

func selectionChanged(before, after *v1.Pod, constraints []constraint) bool {
	for i := range constraints {
		selector := constraints[i].selector
		if selector.Matches(labels.Set(before.Labels)) != selector.Matches(labels.Set(after.Labels)) {
			return true
		}
	}
	return false
}

func matchesAny(constraints []constraint, pod *v1.Pod) bool {
	for i := range constraints {
		if constraints[i].selector.Matches(labels.Set(pod.Labels)) {
			return true
		}
	}
	return false
}

// isSchedulableAfterNodeChange requeues the pod when a node is added to, removed from or moved within the topology of the
// pod's constraints, or when its pods begin or cease to count. It compares taints regardless of the constraints' policy.
func (pl *PodTopologySpread) isSchedulableAfterNodeChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Node](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	constraints, err := pl.requiredConstraints(pod)
	if err != nil {
		return fwk.Queue, err
	}
	was := before != nil && hasAllTopologyKeys(before, constraints)
	is := after != nil && hasAllTopologyKeys(after, constraints)
	if before == nil || after == nil {
		return hint.QueueIf(was || is), nil
	}
	return hint.QueueIf(was != is || is && (domainChanged(before, after, constraints) || pl.selectedOtherwise(pod, before, after, constraints) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints))), nil
}

// selectedOtherwise reports whether the pod's node selector and affinity select a node since a change, or no longer, and a constraint
// counts pods on selected nodes only.
func (pl *PodTopologySpread) selectedOtherwise(pod *v1.Pod, before, after *v1.Node, constraints []constraint) bool {
	if !slices.ContainsFunc(constraints, func(c constraint) bool { return c.honorAffinity }) {
		return false
	}
	required := pl.scopeOf(pod).required
	was, _ := required.Match(before)
	is, _ := required.Match(after)
	return was != is
}

// hasAllTopologyKeys reports whether a node has the keys of all constraints.
func hasAllTopologyKeys(node *v1.Node, constraints []constraint) bool {
	for i := range constraints {
		if _, has := node.Labels[constraints[i].key]; !has {
			return false
		}
	}
	return true
}

func domainChanged(before, after *v1.Node, constraints []constraint) bool {
	for i := range constraints {
		if before.Labels[constraints[i].key] != after.Labels[constraints[i].key] {
			return true
		}
	}
	return false
}
