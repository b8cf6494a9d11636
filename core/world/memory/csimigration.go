package memory

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/objects/csimigration"
)

// driverOf is the CSI driver of a class; in-tree provisioners are migrated to theirs.
func driverOf(class *storagev1.StorageClass) string {
	return cmp.Or(csimigration.DriverOf(class.Provisioner), class.Provisioner)
}

// csiDriverOf is the CSI driver of a volume; empty for a volume of another kind.
func csiDriverOf(volume *v1.PersistentVolume) string {
	if volume.Spec.CSI != nil {
		return volume.Spec.CSI.Driver
	}
	return csimigration.DriverOf(csimigration.PluginOf(volume))
}
