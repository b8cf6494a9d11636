package csimigration

import (
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/csi-translation-lib/plugins"
	"k8s.io/klog/v2"
)

// Scope is the in-tree plugins whose volumes count against the limits of a node's CSI drivers.
type Scope uint8

// The scopes of nodes.
const (
	Nothing         Scope = iota // the node has no CSINode
	WithoutPortworx              // every migrated plugin but Portworx
	WithPortworx                 // every migrated plugin
	Scopes          = 3
)

// ScopeOf returns the scope of a node. portworx is the gate CSIMigrationPortworx; csiNode is nil if the node has none.
func ScopeOf(csiNode *storagev1.CSINode, portworx bool) Scope {
	switch {
	case csiNode == nil:
		return Nothing
	case OnNode(plugins.PortworxVolumePluginName, csiNode, portworx):
		return WithPortworx
	}
	return WithoutPortworx
}

// Counts reports whether the volumes of an in-tree plugin count.
func (s Scope) Counts(plugin string) bool { return s != Nothing && migrated(plugin, s == WithPortworx) }

// OnNode reports whether a node serves the volumes of an in-tree plugin by the CSI driver in its place.
func OnNode(plugin string, csiNode *storagev1.CSINode, portworx bool) bool {
	if csiNode == nil || !migrated(plugin, portworx) {
		return false
	}
	for name := range strings.SplitSeq(csiNode.Annotations[v1.MigratedPluginsAnnotationKey], ",") {
		if name == plugin {
			return true
		}
	}
	return false
}

func migrated(plugin string, portworx bool) bool {
	switch plugin {
	case plugins.AWSEBSInTreePluginName, plugins.AzureDiskInTreePluginName,
		plugins.CinderInTreePluginName, plugins.GCEPDInTreePluginName:
		return true
	case plugins.PortworxVolumePluginName:
		return portworx
	}
	return false
}

// Translate returns a PersistentVolume as the node sees it: a CSI volume if its in-tree plugin is migrated on the node, else
// the volume itself. The node affinity of the CSI volume is in the driver's topology.
func Translate(pv *v1.PersistentVolume, csiNode *storagev1.CSINode, portworx bool) (*v1.PersistentVolume, error) {
	if !OnNode(PluginOf(pv), csiNode, portworx) {
		return pv, nil
	}
	translated, err := ToCSI(pv)
	if err != nil {
		return nil, fmt.Errorf("could not translate pv: %w", err)
	}
	return translated, nil
}

// ToCSI returns a copy of a PersistentVolume as a CSI volume, whatever a node says.
func ToCSI(pv *v1.PersistentVolume) (*v1.PersistentVolume, error) {
	t := translatorOf(pv)
	if t == nil {
		return nil, fmt.Errorf("could not find in-tree plugin translation logic for %q", pv.Name)
	}
	return t.TranslateInTreePVToCSI(klog.Logger{}, pv.DeepCopy())
}

// errStoragePolicy is the error of a volume that the library cannot translate without a panic.
var errStoragePolicy = errors.New("an inline vSphere volume with a storage policy has no translation")

// InlineToCSI returns a volume that stands in a pod of a namespace as a CSI volume, whatever a node says.
func InlineToCSI(volume *v1.Volume, namespace string) (*v1.PersistentVolume, error) {
	t := inlineTranslatorOf(volume)
	switch {
	case t == nil:
		return nil, fmt.Errorf("could not find in-tree plugin translation logic for %q", volume.Name)
	case t.GetInTreePluginName() == plugins.VSphereInTreePluginName && volume.VsphereVolume.StoragePolicyName != "":
		return nil, errStoragePolicy
	}
	return t.TranslateInTreeInlineVolumeToCSI(klog.Logger{}, volume, namespace)
}
