package podtopologyspread

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/hint"
)

// EventsToRegister names what can make room for a pod that Filter rejected.
func (pl *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	podActions := fwk.Add | fwk.UpdatePodLabel | fwk.Delete
	if pl.queueingHints {
		podActions |= fwk.UpdatePodToleration
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: podActions},
			QueueingHintFn: pl.afterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.Delete | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint},
			QueueingHintFn: pl.afterNodeChange,
		},
	}, nil
}

// hardConstraints compiles the pod's hard constraints. It leaves the kept questions alone: hints may be asked for while
// a cycle is running, when upstream's runtime hosts the plugin.
func (pl *Plugin) hardConstraints(pod *v1.Pod) ([]constraint, error) {
	a, any := pl.ask(pod, v1.DoNotSchedule)
	if !any {
		return nil, nil
	}
	return pl.constraints(pod, a)
}

// afterPodChange wakes the pod when another one, or the pod itself, begins or ceases to count.
func (pl *Plugin) afterPodChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Pod](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if (before != nil && !concerns(before, pod)) || (after != nil && !concerns(after, pod)) {
		return fwk.QueueSkip, nil
	}
	constraints, err := pl.hardConstraints(pod)
	if err != nil {
		return fwk.Queue, err
	}
	switch {
	case before != nil && after != nil:
		return answer(toleratesMore(pod, before, after, constraints) || countsDifferently(before, after, constraints)), nil
	case after != nil:
		return answer(matchesAny(constraints, after)), nil
	default:
		return answer(matchesAny(constraints, before)), nil
	}
}

// concerns reports whether a pod of an event is the waiting pod, or runs where it can count.
func concerns(other, waiting *v1.Pod) bool {
	return other.UID == waiting.UID || (other.Spec.NodeName != "" && other.Namespace == waiting.Namespace)
}

func toleratesMore(waiting, before, after *v1.Pod, constraints []constraint) bool {
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

func countsDifferently(before, after *v1.Pod, constraints []constraint) bool {
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

// afterNodeChange wakes the pod when a node joins, leaves or changes the topology that the pod's constraints see. Taints
// are compared whatever the constraints' policy says of them.
func (pl *Plugin) afterNodeChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Node](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	constraints, err := pl.hardConstraints(pod)
	if err != nil {
		return fwk.Queue, err
	}
	was := before != nil && inTopology(before, constraints)
	is := after != nil && inTopology(after, constraints)
	if before == nil || after == nil {
		return answer(was || is), nil
	}
	return answer(was != is || is && (moved(before, after, constraints) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints))), nil
}

// inTopology reports whether a node has the keys of all constraints; if there are none, it has.
func inTopology(node *v1.Node, constraints []constraint) bool {
	for i := range constraints {
		if _, has := node.Labels[constraints[i].key]; !has {
			return false
		}
	}
	return true
}

func moved(before, after *v1.Node, constraints []constraint) bool {
	for i := range constraints {
		if before.Labels[constraints[i].key] != after.Labels[constraints[i].key] {
			return true
		}
	}
	return false
}

func answer(wake bool) fwk.QueueingHint {
	if wake {
		return fwk.Queue
	}
	return fwk.QueueSkip
}
