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
		{fwk.StorageClass, fwk.Add | fwk.Update, hint.Of(afterClass)},
		{fwk.PersistentVolumeClaim, fwk.Add | fwk.Update, hint.Of(afterClaim)},
		{fwk.PersistentVolume, fwk.Add | fwk.Update, nil},
		{fwk.Node, fwk.Add | fwk.UpdateNodeLabel, nil},
		{fwk.CSINode, fwk.Add | fwk.Update, hint.Of(afterCSINode)},
		{fwk.CSIDriver, fwk.Update, afterDriver},
		{fwk.CSIStorageCapacity, fwk.Add | fwk.Update, hint.Of(afterCapacity)},
	}
	registered := make([]fwk.ClusterEventWithHint, len(events))
	for i, e := range events {
		registered[i] = fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: e.resource, ActionType: e.actions}, QueueingHintFn: e.hint}
	}
	return registered, nil
}

// afterClass: a new class may be the one that a claim lacks, and other topologies may include a node.
func afterClass(_ *v1.Pod, was, is *storagev1.StorageClass) bool {
	return was == nil || !equality.Semantic.DeepEqual(was.AllowedTopologies, is.AllowedTopologies)
}

// afterClaim: only the pod's own claims help.
func afterClaim(pod *v1.Pod, _, is *v1.PersistentVolumeClaim) bool {
	return podvolumes.UsesClaim(pod, is)
}

// afterCSINode: a driver in the place of an in-tree plugin may reach other nodes.
func afterCSINode(_ *v1.Pod, was, is *storagev1.CSINode) bool {
	const migrated = v1.MigratedPluginsAnnotationKey
	return was == nil || was.Annotations[migrated] != is.Annotations[migrated]
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
func afterCapacity(_ *v1.Pod, was, is *storagev1.CSIStorageCapacity) bool {
	if was == nil {
		return true
	}
	had, has := VolumeLimit(was), VolumeLimit(is)
	return has != nil && (had == nil || has.Value() > had.Value())
}
