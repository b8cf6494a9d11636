package volumerestrictions

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// hasDisk reports whether a pod has an inline disk of a kind that the plugin looks at.
func hasDisk(pod *v1.Pod) bool {
	for i := range pod.Spec.Volumes {
		if isDisk(&pod.Spec.Volumes[i].VolumeSource) {
			return true
		}
	}
	return false
}

func isDisk(source *v1.VolumeSource) bool {
	return source.GCEPersistentDisk != nil || source.AWSElasticBlockStore != nil || source.ISCSI != nil || source.RBD != nil
}

// conflict returns the first volume of a pod with a disk that it cannot share with another pod, or nil.
func conflict(pod, other *v1.Pod) *v1.Volume {
	for i := range pod.Spec.Volumes {
		if !isDisk(&pod.Spec.Volumes[i].VolumeSource) {
			continue
		}
		for j := range other.Spec.Volumes {
			if conflictingDisks(&pod.Spec.Volumes[i].VolumeSource, &other.Spec.Volumes[j].VolumeSource) {
				return &pod.Spec.Volumes[i]
			}
		}
	}
	return nil
}

// conflictingDisks compares every kind, since a volume that no API server admits may be of several.
func conflictingDisks(a, b *v1.VolumeSource) bool {
	if a, b := a.GCEPersistentDisk, b.GCEPersistentDisk; a != nil && b != nil && a.PDName == b.PDName && !(a.ReadOnly && b.ReadOnly) {
		return true
	}
	if a, b := a.AWSElasticBlockStore, b.AWSElasticBlockStore; a != nil && b != nil && a.VolumeID == b.VolumeID {
		return true
	}
	if a, b := a.ISCSI, b.ISCSI; a != nil && b != nil && a.IQN == b.IQN && !(a.ReadOnly && b.ReadOnly) {
		return true
	}
	if a, b := a.RBD, b.RBD; a != nil && b != nil && sameImage(a, b) && !(a.ReadOnly && b.ReadOnly) {
		return true
	}
	return false
}

// sameImage reports whether two RBD images are one: clusters with a monitor in common are the same cluster.
func sameImage(a, b *v1.RBDVolumeSource) bool {
	return a.RBDPool == b.RBDPool && a.RBDImage == b.RBDImage && slices.ContainsFunc(a.CephMonitors, func(monitor string) bool {
		return slices.Contains(b.CephMonitors, monitor)
	})
}
