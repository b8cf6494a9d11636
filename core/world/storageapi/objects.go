package storageapi

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
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
	case *storagev1.CSIDriver:
		s := &o.Spec
		s.AttachRequired = or(s.AttachRequired, true)
		for _, flag := range []**bool{&s.PodInfoOnMount, &s.StorageCapacity, &s.RequiresRepublish, &s.SELinuxMount} {
			*flag = or(*flag, false)
		}
		s.FSGroupPolicy = or(s.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		if len(s.VolumeLifecycleModes) == 0 {
			s.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
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
	case *storagev1.CSIDriver:
		return driver(o)
	case *storagev1.CSINode:
		return driversOfNode(o)
	case *storagev1.VolumeAttachment:
		return attachment(o)
	case *storagev1.CSIStorageCapacity:
		return storageCapacity(o, metav1validation.LabelSelectorValidationOptions{})
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
	case *storagev1.CSIDriver:
		return changedDriver(o, old.(*storagev1.CSIDriver))
	case *storagev1.CSINode:
		return changedDriversOfNode(o, old.(*storagev1.CSINode))
	case *storagev1.VolumeAttachment:
		return changedAttachment(o, old.(*storagev1.VolumeAttachment))
	case *storagev1.CSIStorageCapacity:
		return changedCapacity(o, old.(*storagev1.CSIStorageCapacity))
	}
	return nil
}
