package dynamicresources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
)

// EventsToRegister are the events that may give a pod its claims, or its claims their devices.
func (pl *DynamicResources) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	claims := fwk.Add | fwk.Update
	if pl.claimDeletions {
		claims |= fwk.Delete
	}
	events := []struct {
		resource fwk.EventResource
		actions  fwk.ActionType
		hint     fwk.QueueingHintFn
	}{
		{fwk.Node, fwk.Add | fwk.UpdateNodeLabel | fwk.UpdateNodeAllocatable, nil},
		{fwk.ResourceClaim, claims, pl.afterClaim},
		{fwk.Pod, fwk.UpdatePodGeneratedResourceClaim, pl.afterPod},
		{fwk.DeviceClass, fwk.Add | fwk.Update, nil},
		{fwk.ResourceSlice, fwk.Add | fwk.Update, nil},
	}
	registered := make([]fwk.ClusterEventWithHint, len(events))
	for i, e := range events {
		registered[i] = fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: e.resource, ActionType: e.actions}, QueueingHintFn: e.hint}
	}
	return registered, nil
}

// afterClaim: any claim that loses its devices may leave them to the pod; else its own claims count, when their status changes.
// A pod that lacks a claim is not helped yet.
func (pl *DynamicResources) afterClaim(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*resourcev1.ResourceClaim](before, after)
	switch {
	case err != nil:
		return fwk.Queue, err
	case is == nil: // it lost its devices before, mostly
		return hint.QueueIf(was == nil || was.Status.Allocation != nil), nil
	}
	own, err := pl.ownClaims(pod)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	if was != nil && was.Status.Allocation != nil && is.Status.Allocation == nil {
		return fwk.Queue, nil
	}
	uses := false
	for _, claim := range own {
		uses = uses || claim.UID == is.UID
	}
	return hint.QueueIf(uses && (was == nil || !equality.Semantic.DeepEqual(&was.Status, &is.Status))), nil
}

// afterPod: the pod's last claim was made of its template.
func (pl *DynamicResources) afterPod(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, is, err := hint.Objects[*v1.Pod](before, after)
	if err != nil || is == nil {
		return fwk.Queue, err
	}
	if is.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	_, err = pl.ownClaims(is)
	return hint.QueueIf(err == nil), nil
}
