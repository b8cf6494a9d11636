// Package unreadable holds back the pods that Orrery cannot evaluate, for lack of the right to read volumes.
//
// Without it the other plugins would say of such a pod that its claim does not exist. The plugin is not one of
// kube-scheduler's and not enabled by default: [Guard] enables it for a session in a cluster whose volumes it may not
// read. It rejects at PreEnqueue, so there is no attempt to schedule the pod and no verdict, and at PreFilter, before every
// other plugin, for those who ask what an attempt would say. All other pods are evaluated as ever.
package unreadable

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/world"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "UnreadableVolumes"

// UnreadableVolumes is the plugin.
type UnreadableVolumes struct{}

var (
	_ fwk.PreEnqueuePlugin  = (*UnreadableVolumes)(nil)
	_ fwk.PreFilterPlugin   = (*UnreadableVolumes)(nil)
	_ fwk.SignPlugin        = (*UnreadableVolumes)(nil)
	_ fwk.EnqueueExtensions = (*UnreadableVolumes)(nil)
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &UnreadableVolumes{}, nil
}

// Name is the plugin's name.
func (*UnreadableVolumes) Name() string { return Name }

var notEvaluated = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"Orrery has no right to read the cluster's volumes, and cannot evaluate a pod with a PersistentVolumeClaim").WithPlugin(Name)

// PreEnqueue rejects a pod with a claim.
func (*UnreadableVolumes) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if Holds(pod) {
		return notEvaluated
	}
	return nil
}

// PreFilter rejects a pod with a claim.
func (u *UnreadableVolumes) PreFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, u.PreEnqueue(ctx, pod)
}

// PreFilterExtensions returns nil: other pods make no difference.
func (*UnreadableVolumes) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// SignPod does not sign pods with claims, and adds nothing to the signature of others.
func (u *UnreadableVolumes) SignPod(ctx context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return nil, u.PreEnqueue(ctx, pod)
}

// EventsToRegister returns nothing: neither a pod's volumes nor a session's rights change.
func (*UnreadableVolumes) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return nil, nil
}

// Holds reports whether the plugin holds a pod back: one of its volumes is a claim's.
func Holds(pod *v1.Pod) bool { return podvolumes.UsesClaims(pod) }

// storageKinds are the kinds without any of which volumes cannot be evaluated.
var storageKinds = []world.Kind{
	world.PersistentVolume, world.PersistentVolumeClaim, world.StorageClass, world.CSINode, world.CSIDriver, world.CSIStorageCapacity, world.VolumeAttachment,
}

// StorageKinds returns them.
func StorageKinds() []world.Kind { return slices.Clone(storageKinds) }

// Guard returns the configuration for a session that cannot read some kinds: with the plugin first in every profile if
// they have to do with volumes, else unchanged.
func Guard(c *config.Configuration, unreadable []world.Kind) *config.Configuration {
	if !slices.ContainsFunc(unreadable, func(kind world.Kind) bool { return slices.Contains(storageKinds, kind) }) {
		return c
	}
	guarded := *c
	guarded.Profiles = slices.Clone(c.Profiles)
	for i := range guarded.Profiles {
		p := &guarded.Profiles[i]
		own := p.Plugins.DeepCopy()
		// Plugins that are named both at MultiPoint and at a point of its own come first at that point.
		for _, point := range []*configv1.PluginSet{&own.MultiPoint, &own.PreEnqueue, &own.PreFilter} {
			point.Enabled = slices.Insert(point.Enabled, 0, configv1.Plugin{Name: Name})
		}
		p.Plugins = own
	}
	return &guarded
}

// Guards reports whether a profile has the plugin.
func Guards(p *config.Profile) bool {
	return slices.ContainsFunc(p.Plugins.MultiPoint.Enabled, func(one configv1.Plugin) bool { return one.Name == Name })
}
