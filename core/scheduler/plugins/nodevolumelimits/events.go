package nodevolumelimits

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/plugins/podvolumes"
)

// EventsToRegister returns the events that can raise a limit, free a volume, or make a claim.
func (pl *NodeVolumeLimits) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.CSINode, ActionType: fwk.Add}},
		{Event: fwk.ClusterEvent{Resource: fwk.CSINode, ActionType: fwk.Update}, QueueingHintFn: hint.Of(pl.isSchedulableAfterCSINodeUpdated)},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: hint.Of(pl.isSchedulableAfterPodDeleted)},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add},
			QueueingHintFn: hint.Of(pl.isSchedulableAfterClaimAdded),
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.VolumeAttachment, ActionType: fwk.Delete},
			QueueingHintFn: pl.isSchedulableAfterAttachmentDeleted,
		},
	}, nil
}

// isSchedulableAfterCSINodeUpdated requeues the pod when the limit of any driver is higher than before. No limit counts as 0.
func (*NodeVolumeLimits) isSchedulableAfterCSINodeUpdated(_ *v1.Pod, was, is *storagev1.CSINode) bool {
	old := map[string]int32{}
	for i := range was.Spec.Drivers {
		old[was.Spec.Drivers[i].Name] = limitOf(&was.Spec.Drivers[i])
	}
	for i := range is.Spec.Drivers {
		if limitOf(&is.Spec.Drivers[i]) > old[is.Spec.Drivers[i].Name] {
			return true
		}
	}
	return false
}

func limitOf(driver *storagev1.CSINodeDriver) int32 {
	if driver.Allocatable == nil || driver.Allocatable.Count == nil {
		return 0
	}
	return *driver.Allocatable.Count
}

// isSchedulableAfterPodDeleted requeues the pod when the deleted one had, or was nominated to, a node and volumes that count.
func (*NodeVolumeLimits) isSchedulableAfterPodDeleted(_ *v1.Pod, deleted, _ *v1.Pod) bool {
	onNode := deleted.Spec.NodeName != "" || deleted.Status.NominatedNodeName != ""
	return onNode && hasCountable(deleted)
}

// isSchedulableAfterClaimAdded requeues the pod when the claim is of one of its volumes.
func (*NodeVolumeLimits) isSchedulableAfterClaimAdded(pod *v1.Pod, _, added *v1.PersistentVolumeClaim) bool {
	return podvolumes.UsesClaim(pod, added)
}

// isSchedulableAfterAttachmentDeleted requeues the pod when it names a claim, or has an inline volume of the attacher. Like
// kube-scheduler it ignores generic ephemeral volumes.
func (*NodeVolumeLimits) isSchedulableAfterAttachmentDeleted(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	deleted, _, err := hint.Objects[*storagev1.VolumeAttachment](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.PersistentVolumeClaim != nil {
			return fwk.Queue, nil
		}
		plugin := csimigration.PluginOfInline(v)
		if plugin == "" {
			continue
		}
		translated, err := csimigration.InlineToCSI(v, pod.Namespace)
		if err != nil {
			return fwk.Queue, fmt.Errorf("converting volume(%s) from inline to csi: %w", v.Name, err)
		}
		if translated.Spec.CSI.Driver == deleted.Spec.Attacher {
			return fwk.Queue, nil
		}
	}
	return fwk.QueueSkip, nil
}
