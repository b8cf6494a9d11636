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
		{Event: fwk.ClusterEvent{Resource: fwk.CSINode, ActionType: fwk.Update}, QueueingHintFn: pl.isSchedulableAfterCSINodeUpdated},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: pl.isSchedulableAfterPodDeleted},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add},
			QueueingHintFn: pl.isSchedulableAfterClaimAdded,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.VolumeAttachment, ActionType: fwk.Delete},
			QueueingHintFn: pl.isSchedulableAfterAttachmentDeleted,
		},
	}, nil
}

// isSchedulableAfterCSINodeUpdated requeues the pod when the limit of any driver is higher than before. No limit counts as 0.
func (*NodeVolumeLimits) isSchedulableAfterCSINodeUpdated(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*storagev1.CSINode](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	old := map[string]int32{}
	for i := range was.Spec.Drivers {
		old[was.Spec.Drivers[i].Name] = limitOf(&was.Spec.Drivers[i])
	}
	for i := range is.Spec.Drivers {
		if limitOf(&is.Spec.Drivers[i]) > old[is.Spec.Drivers[i].Name] {
			return fwk.Queue, nil
		}
	}
	return fwk.QueueSkip, nil
}

func limitOf(driver *storagev1.CSINodeDriver) int32 {
	if driver.Allocatable == nil || driver.Allocatable.Count == nil {
		return 0
	}
	return *driver.Allocatable.Count
}

// isSchedulableAfterPodDeleted requeues the pod when the deleted one had, or was nominated to, a node and volumes that count.
func (*NodeVolumeLimits) isSchedulableAfterPodDeleted(_ klog.Logger, _ *v1.Pod, before, _ any) (fwk.QueueingHint, error) {
	deleted, _, err := hint.Objects[*v1.Pod](before, nil)
	if err != nil {
		return fwk.Queue, err
	}
	onNode := deleted.Spec.NodeName != "" || deleted.Status.NominatedNodeName != ""
	return hint.QueueIf(onNode && hasCountable(deleted)), nil
}

// isSchedulableAfterClaimAdded requeues the pod when the claim is of one of its volumes.
func (*NodeVolumeLimits) isSchedulableAfterClaimAdded(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, added, err := hint.Objects[*v1.PersistentVolumeClaim](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(podvolumes.UsesClaim(pod, added)), nil
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
