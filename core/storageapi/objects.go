package storageapi

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Default sets an object's defaults.
func Default(o any) {
	switch o := o.(type) {
	case *v1.PersistentVolumeClaim:
		o.Spec.VolumeMode = or(o.Spec.VolumeMode, v1.PersistentVolumeFilesystem)
		o.Status.Phase = cmp.Or(o.Status.Phase, v1.ClaimPending)
	case *v1.PersistentVolume:
		o.Spec.VolumeMode = or(o.Spec.VolumeMode, v1.PersistentVolumeFilesystem)
		o.Status.Phase = cmp.Or(o.Status.Phase, v1.VolumePending)
		o.Spec.PersistentVolumeReclaimPolicy = cmp.Or(o.Spec.PersistentVolumeReclaimPolicy, v1.PersistentVolumeReclaimRetain)
	case *storagev1.StorageClass:
		o.ReclaimPolicy = or(o.ReclaimPolicy, v1.PersistentVolumeReclaimDelete)
		o.VolumeBindingMode = or(o.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	}
}

func or[T any](given *T, by T) *T {
	if given == nil {
		return &by
	}
	return given
}

// Create checks a new object. An object of another kind is valid.
func Create(o any) field.ErrorList {
	switch o := o.(type) {
	case *v1.PersistentVolumeClaim:
		return claim(o)
	case *v1.PersistentVolume:
		return volume(o)
	case *storagev1.StorageClass:
		return class(o)
	}
	return nil
}

// Update checks a change of an object, its status aside.
func Update(changed, old any) field.ErrorList {
	switch o := changed.(type) {
	case *v1.PersistentVolumeClaim:
		return changedClaim(o, old.(*v1.PersistentVolumeClaim))
	case *v1.PersistentVolume:
		return changedVolume(o, old.(*v1.PersistentVolume))
	case *storagev1.StorageClass:
		return changedClass(o, old.(*storagev1.StorageClass))
	}
	return nil
}
