package volumerestrictions

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/plugins/podvolumes"
)

// EventsToRegister returns the events that can free a disk or a claim, make a claim, or add a node.
func (pl *VolumeRestrictions) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: hint.Of(pl.isSchedulableAfterPodDeleted)},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add},
			QueueingHintFn: hint.Of(pl.isSchedulableAfterClaimAdded),
		},
	}, nil
}

// isSchedulableAfterPodDeleted requeues the pod when the deleted one had one of its disks or claims. Like kube-scheduler it looks
// at pods of the same namespace only, although Filter compares the disks of all, and does not read whether a shared claim is for one pod
// at a time: a pod too many is queued instead of looking up each claim in a hint (kubernetes issue 124566).
func (*VolumeRestrictions) isSchedulableAfterPodDeleted(pod *v1.Pod, deleted, _ *v1.Pod) bool {
	return deleted.Namespace == pod.Namespace && (conflict(pod, deleted) != nil || shareClaim(pod, deleted))
}

func shareClaim(pod, other *v1.Pod) bool {
	for name := range podvolumes.Claims(pod) {
		for used := range podvolumes.Claims(other) {
			if name == used {
				return true
			}
		}
	}
	return false
}

// isSchedulableAfterClaimAdded requeues the pod when the claim is one that it names.
func (*VolumeRestrictions) isSchedulableAfterClaimAdded(pod *v1.Pod, _, added *v1.PersistentVolumeClaim) bool {
	return podvolumes.NamesClaim(pod, added)
}
