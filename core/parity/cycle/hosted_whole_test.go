package cycle

import (
	"fmt"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	updefaultbinder "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	updefaultpreemption "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	updynamicresources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	upgangscheduling "k8s.io/kubernetes/pkg/scheduler/framework/plugins/gangscheduling"
	upimagelocality "k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	upinterpodaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	upnodeaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	upnodedeclaredfeatures "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodedeclaredfeatures"
	upnodename "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	upnodeports "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	upnoderesources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	upnodeunschedulable "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	uppodtopologyspread "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	upqueuesort "k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	upschedulinggates "k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	uptainttoleration "k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"orrery/core/parity/comparisons"
)

// Orrery's runtime with no plugin of its own decides as kube-scheduler does.
func TestScheduler_HostsWholeProfile(t *testing.T) {
	compareCases(t, comparisons.HostedProfile.Cases, hostedWholly.compare)
}

// kube-scheduler's other plugins under their hosted names.
type (
	theirSort  struct{ *upqueuesort.PrioritySort }
	theirGates struct {
		*upschedulinggates.SchedulingGates
	}
	theirCordon struct {
		*upnodeunschedulable.NodeUnschedulable
	}
	theirNodeName struct{ *upnodename.NodeName }
	theirTaints   struct {
		*uptainttoleration.TaintToleration
	}
	theirAffinity struct{ *upnodeaffinity.NodeAffinity }
	theirPorts    struct{ *upnodeports.NodePorts }
	theirFit      struct{ *upnoderesources.Fit }
	theirBalance  struct {
		*upnoderesources.BalancedAllocation
	}
	theirSpread struct {
		*uppodtopologyspread.PodTopologySpread
	}
	theirPodAffinity struct {
		*upinterpodaffinity.InterPodAffinity
	}
	theirPreemption struct {
		*updefaultpreemption.DefaultPreemption
	}
	theirImages  struct{ *upimagelocality.ImageLocality }
	theirBinder  struct{ *updefaultbinder.DefaultBinder }
	theirDevices struct {
		*updynamicresources.DynamicResources
	}
	theirFeatures struct {
		*upnodedeclaredfeatures.NodeDeclaredFeatures
	}
	theirGangs struct {
		*upgangscheduling.GangScheduling
	}
)

func (p theirSort) Name() string        { return hostedPrefix + p.PrioritySort.Name() }
func (p theirGates) Name() string       { return hostedPrefix + p.SchedulingGates.Name() }
func (p theirCordon) Name() string      { return hostedPrefix + p.NodeUnschedulable.Name() }
func (p theirNodeName) Name() string    { return hostedPrefix + p.NodeName.Name() }
func (p theirTaints) Name() string      { return hostedPrefix + p.TaintToleration.Name() }
func (p theirAffinity) Name() string    { return hostedPrefix + p.NodeAffinity.Name() }
func (p theirPorts) Name() string       { return hostedPrefix + p.NodePorts.Name() }
func (p theirFit) Name() string         { return hostedPrefix + p.Fit.Name() }
func (p theirBalance) Name() string     { return hostedPrefix + p.BalancedAllocation.Name() }
func (p theirSpread) Name() string      { return hostedPrefix + p.PodTopologySpread.Name() }
func (p theirPodAffinity) Name() string { return hostedPrefix + p.InterPodAffinity.Name() }
func (p theirPreemption) Name() string  { return hostedPrefix + p.DefaultPreemption.Name() }
func (p theirImages) Name() string      { return hostedPrefix + p.ImageLocality.Name() }
func (p theirBinder) Name() string      { return hostedPrefix + p.DefaultBinder.Name() }
func (p theirDevices) Name() string     { return hostedPrefix + p.DynamicResources.Name() }
func (p theirFeatures) Name() string    { return hostedPrefix + p.NodeDeclaredFeatures.Name() }
func (p theirGangs) Name() string       { return hostedPrefix + p.GangScheduling.Name() }

// theirs returns one of kube-scheduler's plugins under its hosted name.
func theirs(plugin fwk.Plugin) fwk.Plugin {
	switch one := plugin.(type) {
	case *upqueuesort.PrioritySort:
		return theirSort{one}
	case *upschedulinggates.SchedulingGates:
		return theirGates{one}
	case *upnodeunschedulable.NodeUnschedulable:
		return theirCordon{one}
	case *upnodename.NodeName:
		return theirNodeName{one}
	case *uptainttoleration.TaintToleration:
		return theirTaints{one}
	case *upnodeaffinity.NodeAffinity:
		return theirAffinity{one}
	case *upnodeports.NodePorts:
		return theirPorts{one}
	case *upnoderesources.Fit:
		return theirFit{one}
	case *upnoderesources.BalancedAllocation:
		return theirBalance{one}
	case *uppodtopologyspread.PodTopologySpread:
		return theirSpread{one}
	case *upinterpodaffinity.InterPodAffinity:
		return theirPodAffinity{one}
	case *updefaultpreemption.DefaultPreemption:
		return theirPreemption{one}
	case *upimagelocality.ImageLocality:
		return theirImages{one}
	case *updefaultbinder.DefaultBinder:
		return theirBinder{one}
	case *updynamicresources.DynamicResources:
		return theirDevices{one}
	case *upnodedeclaredfeatures.NodeDeclaredFeatures:
		return theirFeatures{one}
	case *upgangscheduling.GangScheduling:
		return theirGangs{one}
	}
	panic(fmt.Sprintf("%T is no plugin of kube-scheduler's default profile", plugin))
}
