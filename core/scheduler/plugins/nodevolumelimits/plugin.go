package nodevolumelimits

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/release"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeVolumeLimits

// NodeVolumeLimits is the plugin. An instance with an index must see one scheduling cycle, and one node, after the other.
type NodeVolumeLimits struct {
	objects *objects
	index   *usageIndex                    // nil if the handle does not tell of changes
	drivers storagelisters.CSIDriverLister // nil without the gate VolumeLimitScaling
	optIn   bool                           // only CSIDrivers that ask for it keep pods from nodes without them
}

var (
	_ fwk.PreFilterPlugin   = (*NodeVolumeLimits)(nil)
	_ fwk.FilterPlugin      = (*NodeVolumeLimits)(nil)
	_ fwk.EnqueueExtensions = (*NodeVolumeLimits)(nil)
	_ fwk.SignPlugin        = (*NodeVolumeLimits)(nil)
	_ framework.ClassFilter = (*NodeVolumeLimits)(nil)
)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	pl := &NodeVolumeLimits{objects: objectsOf(h, features), optIn: features.Has(release.MissingDriversOptIn)}
	if features.Enabled(config.VolumeLimitScaling) {
		pl.drivers = h.SharedInformerFactory().Storage().V1().CSIDrivers().Lister()
	}
	if changes, ok := h.(framework.ObjectChanges); ok {
		pl.index = newUsageIndex(pl.objects, changes, h)
	}
	return pl, nil
}

func objectsOf(h fwk.Handle, features config.Features) *objects {
	core, storage := h.SharedInformerFactory().Core().V1(), h.SharedInformerFactory().Storage().V1()
	return &objects{
		claims:           core.PersistentVolumeClaims().Lister(),
		volumes:          core.PersistentVolumes().Lister(),
		classes:          storage.StorageClasses().Lister(),
		attachments:      storage.VolumeAttachments().Lister(),
		csiNodes:         h.SharedCSIManager().CSINodes(),
		portworx:         features.Enabled(config.CSIMigrationPortworx),
		portworxAnywhere: features.Has(release.PortworxMigrated),
	}
}

// Name is the plugin's name.
func (*NodeVolumeLimits) Name() string { return Name }

// SignPod signs the volumes.
func (*NodeVolumeLimits) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return podvolumes.Sign(pod), nil
}
