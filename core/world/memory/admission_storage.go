package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/world"
)

// defaultClassAnnotation marks the class of claims that name none.
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class"

// admitClaim completes a new claim: the default class and the finalizer that keeps it while it is used.
func (c *Cluster) admitClaim(claim *v1.PersistentVolumeClaim) {
	if _, old := claim.Annotations[v1.BetaStorageClassAnnotation]; !old && claim.Spec.StorageClassName == nil {
		if class := c.defaultStorageClass(); class != nil {
			claim.Spec.StorageClassName = &class.Name
		}
	}
	claim.Status = v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}
	claim.Finalizers = withFinalizer(claim.Finalizers, claimProtection)
}

func admitVolume(volume *v1.PersistentVolume) {
	volume.Status = v1.PersistentVolumeStatus{Phase: v1.VolumePending}
	volume.Finalizers = withFinalizer(volume.Finalizers, volumeProtection)
}

func withFinalizer(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// defaultStorageClass is the class of claims that name none: the newest of the default classes, nil without one.
func (c *Cluster) defaultStorageClass() *storagev1.StorageClass {
	var newest *storagev1.StorageClass
	for _, o := range c.List(world.StorageClass) {
		class := o.(*storagev1.StorageClass)
		if class.Annotations[defaultClassAnnotation] != "true" {
			continue
		}
		if newest == nil || newest.CreationTimestamp.Before(&class.CreationTimestamp) {
			newest = class
		}
	}
	return newest
}
