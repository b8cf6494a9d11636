package volumezone

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/plugins/podvolumes"
)

// EventsToRegister returns the events that can add a node, move one or a volume, bind a claim, or make what was missing.
func (pl *VolumeZone) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	changed := fwk.Add | fwk.Update
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.StorageClass, ActionType: fwk.Add}, QueueingHintFn: hint.Of(pl.isSchedulableAfterClassAdded)},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: changed}, QueueingHintFn: hint.Of(pl.isSchedulableAfterClaimChange)},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolume, ActionType: changed}, QueueingHintFn: hint.Of(pl.isSchedulableAfterVolumeChange)},
	}, nil
}

// isSchedulableAfterClassAdded requeues the pod when the class waits for the first consumer: its claims are ignored then.
func (*VolumeZone) isSchedulableAfterClassAdded(_ *v1.Pod, _, added *storagev1.StorageClass) bool {
	mode := added.VolumeBindingMode
	return mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer
}

// isSchedulableAfterClaimChange requeues the pod when the claim is one that it names.
func (*VolumeZone) isSchedulableAfterClaimChange(pod *v1.Pod, _, claim *v1.PersistentVolumeClaim) bool {
	return podvolumes.NamesClaim(pod, claim)
}

// isSchedulableAfterVolumeChange requeues the pod when a volume is added, or is now in other places.
func (*VolumeZone) isSchedulableAfterVolumeChange(_ *v1.Pod, was, is *v1.PersistentVolume) bool {
	return was == nil || !slices.EqualFunc(placesOfVolume(was), placesOfVolume(is), place.equal)
}
