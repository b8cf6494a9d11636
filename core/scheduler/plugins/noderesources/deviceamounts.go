package noderesources

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/cel"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/framework"
)

// With the gate DRAExtendedResource, scores count devices as an extended resource on nodes that have none of it themselves: there
// are as many as the class selects on the node, and those that are allocated are in use. Taints, and whether a pool is complete,
// do not matter.

// deviceCounter counts devices, and remembers which of a slice a class selects.
type deviceCounter struct {
	manager  fwk.SharedDRAManager
	state    *devices.State // what the manager serves, which need not be copied; nil if it serves something else
	cel      *cel.Cache
	verdicts map[classOnSlice][]verdict // by the devices of the slice
	slices   sliceIndex
}

// sliceIndex has the slices by the nodes that they name.
type sliceIndex struct {
	of     []*resourcev1.ResourceSlice
	byNode map[string][]*resourcev1.ResourceSlice // those of one node
	others []*resourcev1.ResourceSlice
}

func indexSlices(all []*resourcev1.ResourceSlice) sliceIndex {
	x := sliceIndex{of: all, byNode: map[string][]*resourcev1.ResourceSlice{}}
	for _, slice := range all {
		if name := ptr.Deref(slice.Spec.NodeName, ""); name != "" {
			x.byNode[name] = append(x.byNode[name], slice)
		} else {
			x.others = append(x.others, slice)
		}
	}
	return x
}

// classOnSlice are the objects themselves: a change makes new ones.
type classOnSlice struct {
	class *resourcev1.DeviceClass
	slice *resourcev1.ResourceSlice
}

type verdict uint8

const (
	notSelected verdict = iota
	selected
	undecided // the class's expressions fail on the device
)

// compiledExpressions is how many CEL expressions are kept in compiled form.
//
//orrery:limit scheduler; compiled CEL expressions of NodeResourcesFit; the one that was not used for the longest time goes
const compiledExpressions = 10

// newDeviceCounter returns nil without the gate, or without devices.
func newDeviceCounter(h fwk.Handle, features config.Features) *deviceCounter {
	if !features.Enabled(config.DRAExtendedResource) || h == nil || h.SharedDRAManager() == nil {
		return nil
	}
	c := &deviceCounter{
		manager:  h.SharedDRAManager(),
		cel:      cel.NewCache(compiledExpressions, cel.Features{EnableConsumableCapacity: features.Enabled(config.DRAConsumableCapacity)}),
		verdicts: map[classOnSlice][]verdict{},
	}
	if engine, has := h.(framework.DeviceState); has {
		c.state = engine.Devices()
	}
	return c
}

// inventory returns all slices, and what is allocated of them.
func (c *deviceCounter) inventory() ([]*resourcev1.ResourceSlice, allocate.Taken, error) {
	if c.state != nil {
		return c.state.Slices(), c.state.Allocated(), nil
	}
	allocated, err := c.manager.ResourceClaims().GatherAllocatedState()
	if err != nil {
		return nil, allocate.Taken{}, err
	}
	all, err := c.manager.ResourceSlices().ListWithDeviceTaintRules()
	return all, devices.TakenOf(allocated), err
}

func (c *deviceCounter) classOf(name v1.ResourceName) *resourcev1.DeviceClass {
	if c == nil {
		return nil
	}
	return c.manager.DeviceClassResolver().GetDeviceClass(name)
}

// deviceAmounts are the slices and what is allocated of them, during one cycle.
type deviceAmounts struct {
	counter   *deviceCounter
	allocated allocate.Taken
	slices    sliceIndex
}

// gather returns nil if no class has any of the resources.
func (c *deviceCounter) gather(resources []weightedResource) (*deviceAmounts, error) {
	served := false
	for i := range resources {
		served = served || resources[i].scalar && c.classOf(resources[i].name) != nil
	}
	if !served {
		return nil, nil
	}
	all, allocated, err := c.inventory()
	if err != nil {
		return nil, err
	}
	if len(c.verdicts) > 4*len(all) { // most are of slices or classes that changed
		clear(c.verdicts)
	}
	if c.slices.byNode == nil || !slices.Equal(c.slices.of, all) {
		c.slices = indexSlices(all)
	}
	return &deviceAmounts{c, allocated, c.slices}, nil
}

// on counts the devices that serve a resource on a node. There are none if the class cannot be decided on one of them.
func (d *deviceAmounts) on(node *v1.Node, name v1.ResourceName) (there, held int64) {
	class := d.counter.classOf(name)
	if class == nil {
		return 0, 0
	}
	for _, some := range [][]*resourcev1.ResourceSlice{d.slices.byNode[node.Name], d.slices.others} {
		for _, slice := range some {
			some, taken, ok := d.ofSlice(slice, class, node)
			if !ok {
				return 0, 0
			}
			there, held = there+some, held+taken
		}
	}
	return there, held
}

func (d *deviceAmounts) ofSlice(slice *resourcev1.ResourceSlice, class *resourcev1.DeviceClass, node *v1.Node) (there, held int64, ok bool) {
	each := ptr.Deref(slice.Spec.PerDeviceNodeSelection, false)
	if !each {
		if here, err := reaches(node, slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector); err != nil || !here {
			return 0, 0, err == nil
		}
	}
	verdicts := d.counter.verdictsOn(class, slice)
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		if each {
			here, err := reaches(node, device.NodeName, device.AllNodes, device.NodeSelector)
			if err != nil {
				return 0, 0, false
			}
			if !here {
				continue
			}
		}
		switch verdicts[i] {
		case undecided:
			return 0, 0, false
		case selected:
			there++
			if d.allocated.InUse(allocate.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)) {
				held++
			}
		}
	}
	return there, held, true
}

// reaches reports whether devices are for a node: they have the name of one, are for all, or select some.
func reaches(node *v1.Node, name *string, all *bool, selector *v1.NodeSelector) (bool, error) {
	switch {
	case ptr.Deref(all, false):
		return true, nil
	case ptr.Deref(name, "") != "" || selector == nil:
		return ptr.Deref(name, "") == node.Name, nil
	}
	nodes, err := nodeaffinity.NewNodeSelector(selector)
	return err == nil && nodes.Match(node), err
}

// verdictsOn returns which devices of a slice a class selects.
func (c *deviceCounter) verdictsOn(class *resourcev1.DeviceClass, slice *resourcev1.ResourceSlice) []verdict {
	key := classOnSlice{class, slice}
	all, known := c.verdicts[key]
	if !known {
		all = make([]verdict, len(slice.Spec.Devices))
		for i := range all {
			all[i] = c.selects(class, slice.Spec.Driver, &slice.Spec.Devices[i])
		}
		c.verdicts[key] = all
	}
	return all
}

func (c *deviceCounter) selects(class *resourcev1.DeviceClass, driver string, device *resourcev1.Device) verdict {
	for i := range class.Spec.Selectors {
		if class.Spec.Selectors[i].CEL == nil {
			continue
		}
		compiled := c.cel.GetOrCompile(class.Spec.Selectors[i].CEL.Expression)
		if compiled.Error != nil {
			return undecided
		}
		matches, _, err := compiled.DeviceMatches(context.Background(), cel.Device{Driver: driver, Attributes: device.Attributes, Capacity: device.Capacity})
		switch {
		case err != nil:
			return undecided
		case !matches:
			return notSelected
		}
	}
	return selected
}
