package memory

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/csi-translation-lib/plugins"
)

// inTree are the in-tree volume plugins that CSI drivers serve, in a fixed order: a volume with the sources of several, which
// a real API server rejects, is always that of the same one.
var inTree = []plugins.InTreePlugin{
	plugins.NewAWSElasticBlockStoreCSITranslator(),
	plugins.NewAzureDiskCSITranslator(),
	plugins.NewAzureFileCSITranslator(),
	plugins.NewOpenStackCinderCSITranslator(),
	plugins.NewGCEPersistentDiskCSITranslator(),
	plugins.NewPortworxCSITranslator(),
	plugins.NewvSphereCSITranslator(),
}

// driverOf is the CSI driver of a class; in-tree provisioners are migrated to theirs.
func driverOf(class *storagev1.StorageClass) string {
	for _, plugin := range inTree {
		if plugin.GetInTreePluginName() == class.Provisioner {
			return plugin.GetCSIPluginName()
		}
	}
	return class.Provisioner
}

// csiDriverOf is the CSI driver of a volume; empty for a volume of another kind.
func csiDriverOf(volume *v1.PersistentVolume) string {
	if volume.Spec.CSI != nil {
		return volume.Spec.CSI.Driver
	}
	for _, plugin := range inTree {
		if plugin.CanSupport(volume) {
			return plugin.GetCSIPluginName()
		}
	}
	return ""
}
