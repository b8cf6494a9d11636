package csimigration

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/csi-translation-lib/plugins"
)

// inTree are the translators by name. A list has an order, where the library's map has none.
var inTree = []plugins.InTreePlugin{
	plugins.NewAWSElasticBlockStoreCSITranslator(),
	plugins.NewAzureDiskCSITranslator(),
	plugins.NewAzureFileCSITranslator(),
	plugins.NewOpenStackCinderCSITranslator(),
	plugins.NewGCEPersistentDiskCSITranslator(),
	plugins.NewPortworxCSITranslator(),
	plugins.NewvSphereCSITranslator(),
}

// PluginOf returns the name of the in-tree plugin that a PersistentVolume belongs to; empty if it has no CSI driver in its
// place.
func PluginOf(pv *v1.PersistentVolume) string { return nameOf(translatorOf(pv)) }

// PluginOfInline is PluginOf for a volume that stands in a pod.
func PluginOfInline(volume *v1.Volume) string { return nameOf(inlineTranslatorOf(volume)) }

// IsInTree reports whether a StorageClass's provisioner is an in-tree plugin with a CSI driver in its place.
func IsInTree(provisioner string) bool { return translatorNamed(provisioner) != nil }

// DriverOf returns the name of the CSI driver in the place of an in-tree plugin; empty without one.
func DriverOf(plugin string) string {
	if t := translatorNamed(plugin); t != nil {
		return t.GetCSIPluginName()
	}
	return ""
}

func nameOf(t plugins.InTreePlugin) string {
	if t == nil {
		return ""
	}
	return t.GetInTreePluginName()
}

func translatorOf(pv *v1.PersistentVolume) plugins.InTreePlugin {
	for _, t := range inTree {
		if t.CanSupport(pv) {
			return t
		}
	}
	return nil
}

func inlineTranslatorOf(volume *v1.Volume) plugins.InTreePlugin {
	for _, t := range inTree {
		if t.CanSupportInline(volume) {
			return t
		}
	}
	return nil
}

func translatorNamed(plugin string) plugins.InTreePlugin {
	for _, t := range inTree {
		if t.GetInTreePluginName() == plugin {
			return t
		}
	}
	return nil
}
