package nodeaffinity

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
)

// EventsToRegister returns the events that can make a node match.
func (p *NodeAffinity) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel},
		QueueingHintFn: p.isSchedulableAfterNodeChange,
	}}, nil
}

// isSchedulableAfterNodeChange requeues the pod for a new node that matches, and for a node that starts to match the terms of
// the pod or the profile.
func (p *NodeAffinity) isSchedulableAfterNodeChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if p.addedRequired != nil && !p.addedRequired.match(current) {
		return fwk.QueueSkip, nil
	}
	terms := requiredOf(pod)
	matches, err := terms.matchOrError(current)
	switch {
	case err != nil:
		return fwk.Queue, err
	case !matches:
		return fwk.QueueSkip, nil
	case previous == nil:
		return fwk.Queue, nil
	}
	matched, err := terms.matchOrError(previous)
	if err != nil || !matched || p.addedRequired != nil && !p.addedRequired.match(previous) {
		return fwk.Queue, err
	}
	return fwk.QueueSkip, nil
}
