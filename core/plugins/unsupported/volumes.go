package unsupported

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// Names of the volume plugins, in configurations, metrics and statuses.
const (
	VolumeRestrictions = "VolumeRestrictions"
	NodeVolumeLimits   = "NodeVolumeLimits"
	VolumeBinding      = "VolumeBinding"
	VolumeZone         = "VolumeZone"
)

// Volumes is any of the volume plugins that only filter.
type Volumes struct{ filtering }

// Binding is the plugin VolumeBinding, which also scores, reserves and binds.
type Binding struct{ Volumes }

var (
	_ fwk.PreFilterPlugin   = (*Volumes)(nil)
	_ fwk.FilterPlugin      = (*Volumes)(nil)
	_ fwk.EnqueueExtensions = (*Volumes)(nil)
	_ framework.NodeLocal   = (*Volumes)(nil)

	_ fwk.PreScorePlugin  = (*Binding)(nil)
	_ fwk.ScorePlugin     = (*Binding)(nil)
	_ fwk.ReservePlugin   = (*Binding)(nil)
	_ fwk.PreBindPlugin   = (*Binding)(nil)
	_ framework.NodeLocal = (*Binding)(nil)
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

// NewVolumeBinding makes the plugin from VolumeBindingArgs.
func NewVolumeBinding(_ context.Context, args runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	binding, ok := args.(*configv1.VolumeBindingArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type VolumeBindingArgs, got %T", args)
	}
	if err := config.ValidateVolumeBindingArgs(nil, binding, features); err != nil {
		return nil, err
	}
	return &Binding{*newVolumes(VolumeBinding, claimed|ephemeral)}, nil
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

// PreScore has nothing to do.
func (*Binding) PreScore(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status {
	return skip
}

// Score is the same for every node.
func (*Binding) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}

// ScoreExtensions are not needed.
func (*Binding) ScoreExtensions() fwk.ScoreExtensions { return nil }

// Reserve has nothing to reserve.
func (*Binding) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

// Unreserve has nothing to release.
func (*Binding) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// PreBindPreFlight says that PreBind has nothing to do.
func (*Binding) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return skip
}

// PreBind has nothing to do.
func (*Binding) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }
