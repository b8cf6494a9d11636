package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/hint"
)

// EventsToRegister asks for pods that give something back and for nodes that have more to give.
func (f *Fit) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete | fwk.UpdatePodScaleDown},
			QueueingHintFn: f.afterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable},
			QueueingHintFn: f.afterNodeChange,
		},
	}, nil
}

// afterPodChange queues the pod when another one leaves the node it holds or is about to hold, when another one on a
// node gives back some of what the pod asks for, and when the pod itself asks for less.
func (f *Fit) afterPodChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Pod](before, after)
	switch {
	case err != nil:
		return fwk.Queue, err
	case current == nil:
		return queueIf(previous.Spec.NodeName != "" || previous.Status.NominatedNodeName != ""), nil
	case current.UID == pod.UID:
		return fwk.Queue, nil
	}
	return queueIf(current.Spec.NodeName != "" && f.givesBack(previous, current, pod)), nil
}

// givesBack tells whether a resize frees any of what a pod asks for.
func (f *Fit) givesBack(previous, current, pod *v1.Pod) bool {
	held := func(p *v1.Pod) request {
		return requestsOf(p, resourcehelper.PodResourcesOptions{
			UseStatusResources: true,
			InPlacePodLevelResourcesVerticalScalingEnabled: f.reading.podLevelResize,
		})
	}
	had, has, need := held(previous), held(current), held(pod)
	for name := range need.names {
		if had.of(name) > has.of(name) {
			return true
		}
	}
	return false
}

// afterNodeChange queues the pod when it would fit the node if that were empty, and the node is new or has gained some
// of what the pod asks for. Ignored resources count here: whoever they are left to may have other wishes.
func (f *Fit) afterNodeChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if current == nil {
		return fwk.QueueSkip, nil
	}
	need := f.reading.asked(pod)
	if !fitsEmpty(&need, current) {
		return fwk.QueueSkip, nil
	}
	return queueIf(previous == nil || hasGained(&need, previous, current)), nil
}

func fitsEmpty(need *request, node *v1.Node) bool {
	there := node.Status.Allocatable
	if amountIn(there, v1.ResourcePods) < 1 {
		return false
	}
	for name := range need.names {
		if need.of(name) > amountIn(there, name) {
			return false
		}
	}
	return true
}

func hasGained(need *request, previous, current *v1.Node) bool {
	had, has := previous.Status.Allocatable, current.Status.Allocatable
	if amountIn(has, v1.ResourcePods) > amountIn(had, v1.ResourcePods) {
		return true
	}
	for name := range need.names {
		if amountIn(has, name) > amountIn(had, name) {
			return true
		}
	}
	return false
}

func queueIf(worthwhile bool) fwk.QueueingHint {
	if worthwhile {
		return fwk.Queue
	}
	return fwk.QueueSkip
}
