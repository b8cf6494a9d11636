package plugins

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins/defaultbinder"
	"orrery/core/plugins/defaultpreemption"
	"orrery/core/plugins/dynamicresources"
	"orrery/core/plugins/gangscheduling"
	"orrery/core/plugins/imagelocality"
	"orrery/core/plugins/interpodaffinity"
	"orrery/core/plugins/nodeaffinity"
	"orrery/core/plugins/nodedeclaredfeatures"
	"orrery/core/plugins/nodename"
	"orrery/core/plugins/nodeports"
	"orrery/core/plugins/noderesources"
	"orrery/core/plugins/nodeunschedulable"
	"orrery/core/plugins/nodevolumelimits"
	"orrery/core/plugins/podtopologyspread"
	"orrery/core/plugins/queuesort"
	"orrery/core/plugins/schedulinggates"
	"orrery/core/plugins/tainttoleration"
	"orrery/core/plugins/unreadable"
	"orrery/core/plugins/volumebinding"
	"orrery/core/plugins/volumerestrictions"
	"orrery/core/plugins/volumezone"
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
