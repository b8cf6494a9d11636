// Package hosted has the plugins of others that take part in scheduling in Orrery's runtime, compiled from their own modules
// as they are: kube-scheduler's in-tree plugins, all of them, under names of their own.
//
// Its test runs orrery's replica on a real API server with no plugin of Orrery's: pods with constraints, claims and devices
// are bound, and a preemptor gets its room. Package cycle compares the decisions of such a profile with kube-scheduler's.
//
// sigs.k8s.io/scheduler-plugins v0.34.7, the newest, is written for Kubernetes 1.34, whose plugins implement types of
// k8s.io/kubernetes/pkg/scheduler/framework that 1.35 has moved to k8s.io/kube-scheduler/framework. None of its plugins compiles
// against 1.35. Its package crossnodepreemption does, because all of it is commented out.
package hosted

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	upplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	updefaultbinder "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	updefaultpreemption "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	updynamicresources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	upimagelocality "k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	upinterpodaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	upnodeaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	upnodedeclaredfeatures "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodedeclaredfeatures"
	upnodename "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	upnodeports "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	upnoderesources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	upnodeunschedulable "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	uppodtopologyspread "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	upqueuesort "k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	upschedulinggates "k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	uptainttoleration "k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	upvolumebinding "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	uprestrictions "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	upzone "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// Prefix distinguishes a hosted plugin from Orrery's own, which cannot be replaced under its name.
const Prefix = "Hosted"

// Registry has kube-scheduler's plugins, by the feature gates of the process.
func Registry() framework.Registry {
	registry := framework.Registry{}
	for name, factory := range upplugins.NewInTreeRegistry() {
		registry[Prefix+name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, renaming{h})
			if err != nil {
				return nil, err
			}
			return Plugin(plugin), nil
		}
	}
	return registry
}

// renaming is a handle for plugins that allow waiting pods in their own names.
type renaming struct{ fwk.Handle }

func (r renaming) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	if pod := r.Handle.GetWaitingPod(uid); pod != nil {
		return waitingPod{pod}
	}
	return nil
}

type waitingPod struct{ fwk.WaitingPod }

func (w waitingPod) Allow(plugin string) { w.WaitingPod.Allow(Prefix + plugin) }

// Replace puts kube-scheduler's plugins in the place of Orrery's in a profile that lists them in multiPoint only. Their
// arguments are converted to the form that they need.
func Replace(p *config.Profile) error {
	args := map[string]runtime.Object{}
	for i := range p.Plugins.MultiPoint.Enabled {
		enabled := &p.Plugins.MultiPoint.Enabled[i]
		if given := p.Args[enabled.Name]; given != nil {
			internal, err := scheme.Scheme.UnsafeConvertToVersion(given.DeepCopyObject(), runtime.InternalGroupVersioner)
			if err != nil {
				return fmt.Errorf("converting the arguments of %s: %w", enabled.Name, err)
			}
			args[Prefix+enabled.Name] = internal
		}
		enabled.Name = Prefix + enabled.Name
	}
	p.Args = args
	return nil
}

// kube-scheduler's plugins under their hosted names.
type (
	sort  struct{ *upqueuesort.PrioritySort }
	gates struct {
		*upschedulinggates.SchedulingGates
	}
	cordon struct {
		*upnodeunschedulable.NodeUnschedulable
	}
	nodeName struct{ *upnodename.NodeName }
	taints   struct {
		*uptainttoleration.TaintToleration
	}
	affinity struct{ *upnodeaffinity.NodeAffinity }
	ports    struct{ *upnodeports.NodePorts }
	fit      struct{ *upnoderesources.Fit }
	balance  struct {
		*upnoderesources.BalancedAllocation
	}
	spread struct {
		*uppodtopologyspread.PodTopologySpread
	}
	podAffinity struct {
		*upinterpodaffinity.InterPodAffinity
	}
	preemption struct {
		*updefaultpreemption.DefaultPreemption
	}
	images  struct{ *upimagelocality.ImageLocality }
	binder  struct{ *updefaultbinder.DefaultBinder }
	devices struct {
		*updynamicresources.DynamicResources
	}
	features struct {
		*upnodedeclaredfeatures.NodeDeclaredFeatures
	}
	limits       struct{ *uplimits.CSILimits }
	volumes      struct{ *upvolumebinding.VolumeBinding }
	restrictions struct {
		*uprestrictions.VolumeRestrictions
	}
	zone struct{ *upzone.VolumeZone }
)

func (p sort) Name() string         { return Prefix + p.PrioritySort.Name() }
func (p gates) Name() string        { return Prefix + p.SchedulingGates.Name() }
func (p cordon) Name() string       { return Prefix + p.NodeUnschedulable.Name() }
func (p nodeName) Name() string     { return Prefix + p.NodeName.Name() }
func (p taints) Name() string       { return Prefix + p.TaintToleration.Name() }
func (p affinity) Name() string     { return Prefix + p.NodeAffinity.Name() }
func (p ports) Name() string        { return Prefix + p.NodePorts.Name() }
func (p fit) Name() string          { return Prefix + p.Fit.Name() }
func (p balance) Name() string      { return Prefix + p.BalancedAllocation.Name() }
func (p spread) Name() string       { return Prefix + p.PodTopologySpread.Name() }
func (p podAffinity) Name() string  { return Prefix + p.InterPodAffinity.Name() }
func (p preemption) Name() string   { return Prefix + p.DefaultPreemption.Name() }
func (p images) Name() string       { return Prefix + p.ImageLocality.Name() }
func (p binder) Name() string       { return Prefix + p.DefaultBinder.Name() }
func (p devices) Name() string      { return Prefix + p.DynamicResources.Name() }
func (p features) Name() string     { return Prefix + p.NodeDeclaredFeatures.Name() }
func (p limits) Name() string       { return Prefix + p.CSILimits.Name() }
func (p volumes) Name() string      { return Prefix + p.VolumeBinding.Name() }
func (p restrictions) Name() string { return Prefix + p.VolumeRestrictions.Name() }
func (p zone) Name() string         { return Prefix + p.VolumeZone.Name() }

// Plugin returns one of kube-scheduler's plugins under its hosted name.
func Plugin(plugin fwk.Plugin) fwk.Plugin {
	switch one := plugin.(type) {
	case *upqueuesort.PrioritySort:
		return sort{one}
	case *upschedulinggates.SchedulingGates:
		return gates{one}
	case *upnodeunschedulable.NodeUnschedulable:
		return cordon{one}
	case *upnodename.NodeName:
		return nodeName{one}
	case *uptainttoleration.TaintToleration:
		return taints{one}
	case *upnodeaffinity.NodeAffinity:
		return affinity{one}
	case *upnodeports.NodePorts:
		return ports{one}
	case *upnoderesources.Fit:
		return fit{one}
	case *upnoderesources.BalancedAllocation:
		return balance{one}
	case *uppodtopologyspread.PodTopologySpread:
		return spread{one}
	case *upinterpodaffinity.InterPodAffinity:
		return podAffinity{one}
	case *updefaultpreemption.DefaultPreemption:
		return preemption{one}
	case *upimagelocality.ImageLocality:
		return images{one}
	case *updefaultbinder.DefaultBinder:
		return binder{one}
	case *updynamicresources.DynamicResources:
		return devices{one}
	case *upnodedeclaredfeatures.NodeDeclaredFeatures:
		return features{one}
	case *uplimits.CSILimits:
		return limits{one}
	case *upvolumebinding.VolumeBinding:
		return volumes{one}
	case *uprestrictions.VolumeRestrictions:
		return restrictions{one}
	case *upzone.VolumeZone:
		return zone{one}
	}
	panic(fmt.Sprintf("%T is no plugin of kube-scheduler's default profile", plugin))
}
