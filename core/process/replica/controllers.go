package replica

import (
	"fmt"

	"orrery/core/evict/device"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/world"
)

// The controllers that may run with the scheduler; see [Options.Controllers].
const (
	// TaintEviction evicts pods from tainted nodes.
	TaintEviction = "taint-eviction"
	// DeviceTaintEviction evicts pods from tainted devices. It needs the gate DRADeviceTaints.
	DeviceTaintEviction = "device-taint-eviction"
)

// ControllerKinds returns the kinds that these controllers read. Rules for the taints of devices have a gate of their own: the API
// server may not serve them.
func ControllerKinds(names []string, features config.Features) ([]world.Kind, error) {
	_, kinds, err := controllersOf(names, features)
	return kinds, err
}

// controllersOf returns what makes the controllers of these names when leading begins, and the kinds that they read.
func controllersOf(names []string, features config.Features) (build func() []drive.Controller, kinds []world.Kind, err error) {
	var builders []func() drive.Controller
	for _, name := range names {
		switch {
		case name == TaintEviction:
			kinds = append(kinds, world.Pod, world.Node)
			builders = append(builders, func() drive.Controller {
				return taint.New(taint.Options{Act: true, FirstEffect: 1, ComparisonOperators: features.Enabled(config.TaintTolerationComparisonOperators)})
			})
		case name == DeviceTaintEviction && !features.Enabled(config.DRADeviceTaints):
			return nil, nil, fmt.Errorf("running the controller %q: it needs --feature-gates=%s=true, here and in the API server", name, config.DRADeviceTaints)
		case name == DeviceTaintEviction:
			for _, kind := range device.Kinds() {
				if kind != world.DeviceTaintRule || features.Enabled(config.DRADeviceTaintRules) {
					kinds = append(kinds, kind)
				}
			}
			builders = append(builders, func() drive.Controller { return device.New(device.Options{Act: true, FirstEffect: 1}) })
		default:
			return nil, nil, fmt.Errorf("running the controller %q: there are %q and %q", name, TaintEviction, DeviceTaintEviction)
		}
	}
	if len(builders) == 0 {
		return nil, nil, nil
	}
	return func() []drive.Controller {
		var all []drive.Controller
		for _, build := range builders {
			all = append(all, build())
		}
		return all
	}, world.SortKinds(kinds), nil
}
