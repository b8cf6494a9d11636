package volumebinding

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/plugins/podvolumes"
)

// EventsToRegister are the events that may give a pod's claims their volumes.
func (*VolumeBinding) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	events := []struct {
		resource fwk.EventResource
		actions  fwk.ActionType
		hint     fwk.QueueingHintFn
	}{
		{fwk.StorageClass, fwk.Add | fwk.Update, afterClass},
		{fwk.PersistentVolumeClaim, fwk.Add | fwk.Update, afterClaim},
		{fwk.PersistentVolume, fwk.Add | fwk.Update, nil},
		{fwk.Node, fwk.Add | fwk.UpdateNodeLabel, nil},
		{fwk.CSINode, fwk.Add | fwk.Update, afterCSINode},
		{fwk.CSIDriver, fwk.Update, afterDriver},
		{fwk.CSIStorageCapacity, fwk.Add | fwk.Update, afterCapacity},
	}
	registered := make([]fwk.ClusterEventWithHint, len(events))
	for i, e := range events {
		registered[i] = fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: e.resource, ActionType: e.actions}, QueueingHintFn: e.hint}
	}
	return registered, nil
}

// afterClass: a new class may be the one that a claim lacks, and other topologies may include a node.
func afterClass(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*storagev1.StorageClass](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(was == nil || !equality.Semantic.DeepEqual(was.AllowedTopologies, is.AllowedTopologies)), nil
}

// afterClaim: only the pod's own claims help.
func afterClaim(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, is, err := hint.Objects[*v1.PersistentVolumeClaim](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(podvolumes.UsesClaim(pod, is)), nil
}

// afterCSINode: a driver in the place of an in-tree plugin may reach other nodes.
func afterCSINode(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*storagev1.CSINode](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	const migrated = v1.MigratedPluginsAnnotationKey
	return hint.QueueIf(was == nil || was.Annotations[migrated] != is.Annotations[migrated]), nil
}

// afterDriver: a driver that no longer publishes its capacity is taken to have enough for every claim.
func afterDriver(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*storagev1.CSIDriver](before, after)
	if err != nil || was == nil {
		return fwk.Queue, err
	}
	if !ptr.Deref(was.Spec.StorageCapacity, false) || ptr.Deref(is.Spec.StorageCapacity, false) {
		return fwk.QueueSkip, nil
	}
	inline := func(v v1.Volume) bool { return v.CSI != nil && v.CSI.Driver == is.Name }
	return hint.QueueIf(podvolumes.UsesClaims(pod) || slices.ContainsFunc(pod.Spec.Volumes, inline)), nil
}

// afterCapacity: there may be more room than there was.
func afterCapacity(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := hint.Objects[*storagev1.CSIStorageCapacity](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if was == nil {
		return fwk.Queue, nil
	}
	had, has := VolumeLimit(was), VolumeLimit(is)
	return hint.QueueIf(has != nil && (had == nil || has.Value() > had.Value())), nil
}
