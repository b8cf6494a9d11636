package plugins

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/defaultbinder"
	"orrery/core/scheduler/plugins/defaultpreemption"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/scheduler/plugins/imagelocality"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/nodeaffinity"
	"orrery/core/scheduler/plugins/nodedeclaredfeatures"
	"orrery/core/scheduler/plugins/nodename"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/nodeunschedulable"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/podtopologyspread"
	"orrery/core/scheduler/plugins/queuesort"
	"orrery/core/scheduler/plugins/schedulinggates"
	"orrery/core/scheduler/plugins/tainttoleration"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
)

// factory makes a plugin under feature gates.
type factory func(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error)

// inTree are the plugins that need no registration.
var inTree = map[string]factory{
	defaultbinder.Name:                   defaultbinder.New,
	defaultpreemption.Name:               defaultpreemption.New,
	dynamicresources.Name:                dynamicresources.New,
	gangscheduling.Name:                  gangscheduling.New,
	imagelocality.Name:                   imagelocality.New,
	interpodaffinity.Name:                interpodaffinity.New,
	nodeaffinity.Name:                    nodeaffinity.New,
	nodedeclaredfeatures.Name:            nodedeclaredfeatures.New,
	nodename.Name:                        nodename.New,
	nodeports.Name:                       nodeports.New,
	noderesources.Name:                   noderesources.New,
	noderesources.BalancedAllocationName: noderesources.NewBalancedAllocation,
	nodeunschedulable.Name:               nodeunschedulable.New,
	nodevolumelimits.Name:                nodevolumelimits.New,
	podtopologyspread.Name:               podtopologyspread.New,
	queuesort.Name:                       queuesort.New,
	schedulinggates.Name:                 schedulinggates.New,
	tainttoleration.Name:                 tainttoleration.New,
	unreadable.Name:                      unreadable.New,
	volumebinding.Name:                   volumebinding.New,
	volumerestrictions.Name:              volumerestrictions.New,
	volumezone.Name:                      volumezone.New,
}

// Registry returns the factories of all in-tree plugins under the given feature gates. The caller may add more.
func Registry(features config.Features) framework.Registry {
	registry := make(framework.Registry, len(inTree))
	for name, newPlugin := range inTree {
		registry[name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			return newPlugin(ctx, args, h, features)
		}
	}
	return registry
}
