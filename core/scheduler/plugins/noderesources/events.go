package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
)

// EventsToRegister returns the events that can free or add resources. A pod that is resized in place frees some without going
// (KEP-1287).
func (f *Fit) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	events := []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete | fwk.UpdatePodScaleDown},
			QueueingHintFn: f.isSchedulableAfterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable},
			QueueingHintFn: hint.Of(f.isSchedulableAfterNodeChange),
		},
	}
	if f.devices != nil {
		events = append(events, fwk.ClusterEventWithHint{
			Event:          fwk.ClusterEvent{Resource: fwk.DeviceClass, ActionType: fwk.Add | fwk.Update},
			QueueingHintFn: f.isSchedulableAfterClassChange,
		})
	}
	return events, nil
}

// isSchedulableAfterPodChange requeues the pod when another one with a node or a nomination is deleted, when another one on a
// node is scaled down in a resource that the pod requests, and when the pod itself is scaled down.
func (f *Fit) isSchedulableAfterPodChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Pod](before, after)
	switch {
	case err != nil:
		return fwk.Queue, err
	case current == nil:
		return hint.QueueIf(previous.Spec.NodeName != "" || previous.Status.NominatedNodeName != ""), nil
	case current.UID == pod.UID:
		return fwk.Queue, nil
	}
	return hint.QueueIf(current.Spec.NodeName != "" && f.freesResources(previous, current, pod)), nil
}

// freesResources reports whether a resize frees a resource that a pod requests.
func (f *Fit) freesResources(previous, current, pod *v1.Pod) bool {
	held := func(p *v1.Pod) request {
		return newRequest(f.requestOptions.sum.Of(p, resourcehelper.PodResourcesOptions{
			UseStatusResources: true,
			InPlacePodLevelResourcesVerticalScalingEnabled: f.requestOptions.podLevelResize,
		}))
	}
	had, has, need := held(previous), held(current), held(pod)
	for name := range need.names {
		if had.amount(name) > has.amount(name) {
			return true
		}
	}
	return false
}

// isSchedulableAfterNodeChange requeues the pod when it would fit the empty node, and the node is new or has more of a resource
// that the pod requests. Ignored resources count here, since an extender may need them.
func (f *Fit) isSchedulableAfterNodeChange(pod *v1.Pod, previous, current *v1.Node) bool {
	if current == nil {
		return false
	}
	need := f.requestOptions.requests(pod)
	if !f.fitsEmptyNode(&need, current) {
		return false
	}
	return previous == nil || hasMore(&need, previous, current) || f.leavesToDevices(&need, current)
}

func (f *Fit) fitsEmptyNode(need *request, node *v1.Node) bool {
	there := node.Status.Allocatable
	if amountIn(there, v1.ResourcePods) < 1 {
		return false
	}
	for name := range need.names {
		if need.amount(name) > amountIn(there, name) && !f.leftToDevices(name, node) {
			return false
		}
	}
	return true
}

func hasMore(need *request, previous, current *v1.Node) bool {
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
