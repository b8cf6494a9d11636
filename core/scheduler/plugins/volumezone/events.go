package volumezone

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/plugins/podvolumes"
)

// EventsToRegister returns the events that can add a node, move one or a volume, bind a claim, or make what was missing.
func (pl *VolumeZone) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	changed := fwk.Add | fwk.Update
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.StorageClass, ActionType: fwk.Add}, QueueingHintFn: pl.isSchedulableAfterClassAdded},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: changed}, QueueingHintFn: pl.isSchedulableAfterClaimChange},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolume, ActionType: changed}, QueueingHintFn: pl.isSchedulableAfterVolumeChange},
	}, nil
}

// isSchedulableAfterClassAdded requeues the pod when the class waits for the first consumer: its claims are ignored then.
func (*VolumeZone) isSchedulableAfterClassAdded(_ klog.Logger, _ *v1.Pod, _, after any) (fwk.QueueingHint, error) {
	_, added, err := hint.Objects[*storagev1.StorageClass](nil, after)
	if err != nil {
		return fwk.Queue, err
	}
	mode := added.VolumeBindingMode
	return hint.QueueIf(mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer), nil
}

// isSchedulableAfterClaimChange requeues the pod when the claim is one that it names.
func (*VolumeZone) isSchedulableAfterClaimChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, claim, err := hint.Objects[*v1.PersistentVolumeClaim](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(podvolumes.NamesClaim(pod, claim)), nil
}

// isSchedulableAfterVolumeChange requeues the pod when a volume is added, or is now in other places.
func (*VolumeZone) isSchedulableAfterVolumeChange(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*v1.PersistentVolume](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(was == nil || !slices.EqualFunc(placesOfVolume(was), placesOfVolume(is), place.equal)), nil
}
