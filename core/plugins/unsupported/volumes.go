package unsupported

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// Names of the volume plugins, in configurations, metrics and statuses.
const (
	VolumeRestrictions = "VolumeRestrictions"
	NodeVolumeLimits   = "NodeVolumeLimits"
	VolumeZone         = "VolumeZone"
)

// Volumes is any of the volume plugins that only filter.
type Volumes struct{ filtering }

var (
	_ fwk.PreFilterPlugin   = (*Volumes)(nil)
	_ fwk.FilterPlugin      = (*Volumes)(nil)
	_ fwk.EnqueueExtensions = (*Volumes)(nil)
	_ framework.NodeLocal   = (*Volumes)(nil)
)

// NewVolumeRestrictions makes the plugin; it takes no arguments.
func NewVolumeRestrictions(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return newVolumes(VolumeRestrictions, claimed|exclusive), nil
}

// NewNodeVolumeLimits makes the plugin; it takes no arguments.
func NewNodeVolumeLimits(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return newVolumes(NodeVolumeLimits, claimed|ephemeral|counted), nil
}

// NewVolumeZone makes the plugin; it takes no arguments.
func NewVolumeZone(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return newVolumes(VolumeZone, claimed), nil
}

func newVolumes(name string, refused concern) *Volumes {
	uses := func(pod *v1.Pod) string {
		for i := range pod.Spec.Volumes {
			if why, what := concerns(&pod.Spec.Volumes[i].VolumeSource); why&refused != 0 {
				return what
			}
		}
		return ""
	}
	return &Volumes{filtering{refusal{name, uses}}}
}

// concern is why a volume matters to scheduling.
type concern uint8

const (
	claimed   concern = 1 << iota // it must exist, be bound and be reachable from the node
	ephemeral                     // like claimed, once its claim exists
	exclusive                     // two pods on a node may not both have it
	counted                       // a node can have only so many
)

// concerns returns why a volume matters, if it does, and its name in messages. Volumes that work on every node, such as
// empty directories, secrets and projections, do not matter.
func concerns(source *v1.VolumeSource) (concern, string) {
	switch {
	case source.PersistentVolumeClaim != nil:
		return claimed, "a PersistentVolumeClaim"
	case source.Ephemeral != nil:
		return ephemeral, "a generic ephemeral volume"
	case source.GCEPersistentDisk != nil:
		return exclusive | counted, "an inline GCE persistent disk"
	case source.AWSElasticBlockStore != nil:
		return exclusive | counted, "an inline AWS EBS volume"
	case source.RBD != nil:
		return exclusive, "an inline Ceph RBD image"
	case source.ISCSI != nil:
		return exclusive, "an inline iSCSI volume"
	case source.AzureDisk != nil:
		return counted, "an inline Azure disk"
	case source.AzureFile != nil:
		return counted, "an inline Azure file share"
	case source.Cinder != nil:
		return counted, "an inline Cinder volume"
	case source.VsphereVolume != nil:
		return counted, "an inline vSphere volume"
	case source.PortworxVolume != nil:
		return counted, "an inline Portworx volume"
	}
	return 0, ""
}

// SignPod signs the volumes. All four plugins use one key, of which one fragment is kept, so the value is computed when it is
// marshalled.
func (*Volumes) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.VolumesSignerName, Value: volumesOf{pod}}}, nil
}

type volumesOf struct{ pod *v1.Pod }

// MarshalJSON marshals the volumes that are not made of config maps and secrets.
func (v volumesOf) MarshalJSON() ([]byte, error) { return json.Marshal(fwk.VolumesSigner(v.pod)) }
