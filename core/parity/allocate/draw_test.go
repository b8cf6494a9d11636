package allocate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/testing/mk"
)

var (
	nodes       = []string{"n1", "n2"}
	drivers     = []string{"a.example.com", "b.example.com"}
	expressions = []string{
		"true", `device.driver == "a.example.com"`, `"model" in device.attributes["a.example.com"] && device.attributes["a.example.com"].model == "big"`,
		`"memory" in device.capacity["a.example.com"] && device.capacity["a.example.com"].memory.compareTo(quantity("8Gi")) >= 0`, "false",
	}
	brokenOnes = []string{"device.", `device.driver`, "[1,2", `device.attributes["b.example.com"].model == "big"`, `device.attributes["a.example.com"].version.isGreaterThan(semver("1.0.0"))`}
)

// draw draws a case. One in a few is all of one kind, where rare conditions meet more often.
func draw(r *difftest.Source) *allocations.Case {
	c := &allocations.Case{Features: allocations.Features{
		AdminAccess: !r.OneIn(4), PrioritizedList: !r.OneIn(4), PartitionableDevices: r.Bool(), DeviceTaints: r.Bool(),
		ConsumableCapacity: r.Bool(), DeviceBindingAndStatus: r.OneIn(3),
	}}
	if r.OneIn(8) {
		c.Features = allocations.Features{}
	} else if r.OneIn(5) {
		c.Features.ConsumableCapacity, c.Features.DeviceBindingAndStatus = false, false
	}
	late := c.Features.ConsumableCapacity || c.Features.DeviceBindingAndStatus
	d := drawer{r, c, late}
	for _, name := range nodes[:r.Range(1, 2)] {
		c.Nodes = append(c.Nodes, mk.Node(name).Obj())
	}
	for _, name := range []string{"any", "a", "big", "odd"} {
		c.Classes = append(c.Classes, d.class(name))
	}
	for i := range r.Range(1, 8) {
		c.Slices = append(c.Slices, d.slice(i))
	}
	if !r.OneIn(8) {
		completePools(c.Slices)
	}
	for i := range difftest.Pick(r, 1, 1, 1, 2, 3) {
		c.Claims = append(c.Claims, d.claim(fmt.Sprintf("c%d", i)))
	}
	d.take()
	if r.OneIn(12) {
		c.Steps = int64(difftest.Pick(r, 1, 2, 5, 10, 30, 100))
	} else {
		c.Steps = 20_000
	}
	return c
}

type drawer struct {
	*difftest.Source
	c    *allocations.Case
	late bool // distinct attributes are known
}

func completePools(all []*resourcev1.ResourceSlice) {
	type pool struct{ driver, name string }
	counts := map[pool]int64{}
	for _, s := range all {
		counts[pool{s.Spec.Driver, s.Spec.Pool.Name}]++
	}
	for _, s := range all {
		s.Spec.Pool.Generation, s.Spec.Pool.ResourceSliceCount = 1, counts[pool{s.Spec.Driver, s.Spec.Pool.Name}]
	}
}

func (d drawer) expression() string {
	if d.OneIn(100) {
		return difftest.Pick(d.Source, brokenOnes...)
	}
	if d.OneIn(20) {
		return expressions[4]
	}
	return difftest.Pick(d.Source, expressions[0], expressions[0], expressions[0], expressions[1], expressions[1], expressions[2], expressions[3])
}

func (d drawer) selectors(n int) []resourcev1.DeviceSelector {
	var all []resourcev1.DeviceSelector
	for range n {
		one := resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: d.expression()}}
		if d.OneIn(300) {
			one.CEL = nil
		}
		all = append(all, one)
	}
	return all
}

func (d drawer) class(name string) *resourcev1.DeviceClass {
	class := mk.DeviceClass(name)
	switch name {
	case "a":
		class = mk.DeviceClass(name, expressions[1])
	case "big":
		class = mk.DeviceClass(name, expressions[2])
	case "odd":
		class.Spec.Selectors = d.selectors(d.Range(0, 2))
	}
	for range difftest.Pick(d.Source, 0, 0, 1, 2) {
		class.Spec.Config = append(class.Spec.Config, resourcev1.DeviceClassConfiguration{DeviceConfiguration: opaque(name)})
	}
	return class
}

func opaque(driver string) resourcev1.DeviceConfiguration {
	return resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: driver}}
}

func (d drawer) slice(number int) *resourcev1.ResourceSlice {
	node := difftest.Pick(d.Source, nodes...)
	b := mk.ResourceSlice(fmt.Sprintf("s%d", number), difftest.Pick(d.Source, drivers...), difftest.Pick(d.Source, node, "shared", "shared")).
		Pool(int64(difftest.Pick(d.Source, 1, 1, 1, 2)), int64(difftest.Pick(d.Source, 1, 1, 2, 3)))
	s := b.Obj()
	switch d.IntN(9) {
	case 0, 1:
		b.AllNodes()
	case 2:
		s.Spec.NodeSelector = d.nodeSelector()
	case 3:
		s.Spec.PerDeviceNodeSelection = ptr.To(true)
	case 4:
		if d.OneIn(6) {
			s.Spec.NodeName, s.Spec.AllNodes = ptr.To(""), ptr.To(true)
		}
	default:
		b.Node(difftest.Pick(d.Source, nodes[0], nodes[0], nodes[0], node))
	}
	if d.OneIn(3) {
		for _, name := range []string{"set", "other"}[:d.Range(1, 2)] {
			s.Spec.SharedCounters = append(s.Spec.SharedCounters, resourcev1.CounterSet{Name: name, Counters: d.counters("12Gi")})
		}
		if !d.OneIn(6) {
			return s
		}
	}
	for i := range d.Range(1, 5) {
		s.Spec.Devices = append(s.Spec.Devices, d.device(s, i))
	}
	return s
}

func (d drawer) counters(of string) map[string]resourcev1.Counter {
	all := map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(difftest.Pick(d.Source, "8Gi", "4Gi", of))}}
	if d.OneIn(3) {
		all["cores"] = resourcev1.Counter{Value: resource.MustParse(difftest.Pick(d.Source, "2", "4", "0"))}
	}
	return all
}

func (d drawer) nodeSelector() *v1.NodeSelector {
	requirement := v1.NodeSelectorRequirement{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{difftest.Pick(d.Source, nodes...)}}
	if d.OneIn(3) {
		requirement.Values = nodes
	}
	selector := &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}}}
	switch d.IntN(12) {
	case 10:
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, selector.NodeSelectorTerms[0])
	case 11:
		selector.NodeSelectorTerms[0].MatchExpressions[0].Operator = difftest.Pick(d.Source, v1.NodeSelectorOpExists, "Odd")
	case 9:
		selector.NodeSelectorTerms[0].MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: nodes[:1]}}
	}
	return selector
}

func (d drawer) device(s *resourcev1.ResourceSlice, i int) resourcev1.Device {
	device := resourcev1.Device{Name: fmt.Sprintf("%s-%d", s.Name, i)}
	if d.OneIn(80) {
		device.Name = "twin"
	}
	device.Attributes = d.attributes()
	if !d.OneIn(3) {
		device.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": d.capacity()}
		if d.OneIn(4) {
			device.Capacity["a.example.com/lanes"] = d.capacity()
		}
	}
	if d.Bool() {
		device.AllowMultipleAllocations = ptr.To(!d.OneIn(6))
	}
	if d.OneIn(6) {
		effect := difftest.Pick(d.Source, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNone, "Odd")
		device.Taints = []resourcev1.DeviceTaint{{Key: difftest.Pick(d.Source, "hot", "old"), Value: difftest.Pick(d.Source, "", "yes"), Effect: effect}}
	}
	for range difftest.Pick(d.Source, 0, 0, 1, 1, 2) {
		set := difftest.Pick(d.Source, "set", "set", "set", "other")
		device.ConsumesCounters = append(device.ConsumesCounters, resourcev1.DeviceCounterConsumption{CounterSet: set, Counters: d.counters("6Gi")})
	}
	if !d.hasCounters(s) && !d.OneIn(8) {
		device.ConsumesCounters = nil
	}
	if d.OneIn(5) {
		device.BindsToNode = ptr.To(d.Bool())
		device.BindingConditions = []string{"ready", "attached"}[:d.Range(0, 2)]
		device.BindingFailureConditions = []string{"failed"}[:d.Range(0, 1)]
	}
	if ptr.Deref(s.Spec.PerDeviceNodeSelection, false) {
		switch d.IntN(4) {
		case 0:
			device.AllNodes = ptr.To(true)
		case 1:
			device.NodeName = ptr.To(difftest.Pick(d.Source, nodes...))
		case 2:
			device.NodeSelector = d.nodeSelector()
		}
	}
	return device
}

// hasCounters reports whether a slice that was drawn before has counters for a pool.
func (d drawer) hasCounters(s *resourcev1.ResourceSlice) bool {
	return slices.ContainsFunc(d.c.Slices, func(other *resourcev1.ResourceSlice) bool {
		return other.Spec.Driver == s.Spec.Driver && other.Spec.Pool.Name == s.Spec.Pool.Name && len(other.Spec.SharedCounters) > 0
	})
}

func (d drawer) attributes() map[resourcev1.QualifiedName]resourcev1.DeviceAttribute {
	if d.OneIn(6) {
		return nil
	}
	all := map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: ptr.To(difftest.Pick(d.Source, "big", "big", "small"))}}
	switch d.IntN(8) {
	case 4, 5, 6:
		all["x.example.com/bus"] = resourcev1.DeviceAttribute{IntValue: ptr.To(int64(d.IntN(2)))}
	case 0:
		all["x.example.com/bus"] = resourcev1.DeviceAttribute{IntValue: ptr.To(int64(d.IntN(3)))}
	case 1:
		all["x.example.com/bus"] = resourcev1.DeviceAttribute{BoolValue: ptr.To(d.Bool())}
	case 2:
		all["x.example.com/bus"] = resourcev1.DeviceAttribute{VersionValue: ptr.To(difftest.Pick(d.Source, "1.0.0", "2.0.0"))}
	case 3:
		all["x.example.com/bus"] = resourcev1.DeviceAttribute{StringValue: ptr.To(difftest.Pick(d.Source, "p", "q", "r"))}
	}
	if d.OneIn(300) {
		all["a.example.com/version"] = difftest.Pick(d.Source, resourcev1.DeviceAttribute{}, resourcev1.DeviceAttribute{VersionValue: ptr.To("x")}, resourcev1.DeviceAttribute{VersionValue: ptr.To("2.0.0")})
	}
	return all
}

func (d drawer) quantity() resource.Quantity {
	return resource.MustParse(difftest.Pick(d.Source, "1Gi", "2Gi", "3Gi", "4Gi", "8Gi", "1536Mi"))
}

func (d drawer) capacity() resourcev1.DeviceCapacity {
	c := resourcev1.DeviceCapacity{Value: resource.MustParse(difftest.Pick(d.Source, "8Gi", "4Gi", "4Gi"))}
	if !d.OneIn(3) {
		return c
	}
	c.RequestPolicy = &resourcev1.CapacityRequestPolicy{}
	if d.Bool() {
		c.RequestPolicy.Default = ptr.To(d.quantity())
	}
	switch d.IntN(3) {
	case 0:
		in := &resourcev1.CapacityRequestPolicyRange{Min: ptr.To(d.quantity())}
		if d.Bool() {
			in.Step = ptr.To(resource.MustParse(difftest.Pick(d.Source, "1Gi", "2Gi", "512Mi")))
		}
		if d.Bool() {
			in.Max = ptr.To(d.quantity())
		}
		switch d.IntN(60) {
		case 59:
			in.Min = nil
		case 58:
			in.Step = ptr.To(resource.MustParse("0"))
		case 57:
			in.Min, in.Step = ptr.To(resource.MustParse("1Gi")), ptr.To(resource.MustParse("9E"))
		}
		c.RequestPolicy.ValidRange = in
	case 1:
		c.RequestPolicy.ValidValues = []resource.Quantity{resource.MustParse("1Gi"), resource.MustParse("2Gi"), resource.MustParse("4Gi")}[:d.Range(1, 3)]
	}
	return c
}

// hasBadPolicy reports whether the allocator may panic on the policy of a device.
func hasBadPolicy(c *allocations.Case) bool {
	for _, s := range c.Slices {
		for i := range s.Spec.Devices {
			for _, capacity := range s.Spec.Devices[i].Capacity {
				if p := capacity.RequestPolicy; p != nil && p.ValidRange != nil && p.ValidRange.Step != nil && (p.ValidRange.Min == nil || p.ValidRange.Step.IsZero()) {
					return true
				}
			}
		}
	}
	return false
}

func (d drawer) claim(name string) *resourcev1.ResourceClaim {
	c := mk.ResourceClaim(name).Obj()
	for i := range difftest.Pick(d.Source, 1, 1, 1, 2, 3) {
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, d.request(fmt.Sprintf("r%d", i)))
	}
	for range difftest.Pick(d.Source, 0, 0, 0, 0, 0, 1, 1, 2) {
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, d.constraint())
	}
	for range difftest.Pick(d.Source, 0, 0, 1, 2) {
		config := resourcev1.DeviceClaimConfiguration{DeviceConfiguration: opaque("claim")}
		config.Requests = d.names()
		c.Spec.Devices.Config = append(c.Spec.Devices.Config, config)
	}
	return c
}

func (d drawer) names() []string {
	all := []string{"r0", "r1", "r0/s0", "r1/s1", "r0/s1", "r2"}
	var some []string
	for range d.IntN(4) {
		some = append(some, difftest.Pick(d.Source, all...))
	}
	return some
}

func (d drawer) constraint() resourcev1.DeviceConstraint {
	attribute := resourcev1.FullyQualifiedName(difftest.Pick(d.Source, "a.example.com/model", "x.example.com/bus", "a.example.com/model"))
	if d.OneIn(20) {
		attribute = "model"
	}
	constraint := resourcev1.DeviceConstraint{Requests: d.names()}
	switch {
	case d.OneIn(300):
	case d.OneIn(3) && (d.late || d.OneIn(20)):
		constraint.DistinctAttribute = &attribute
	default:
		constraint.MatchAttribute = &attribute
	}
	return constraint
}

func (d drawer) className() string {
	if d.OneIn(300) {
		return difftest.Pick(d.Source, "none", "")
	}
	return difftest.Pick(d.Source, "any", "any", "any", "a", "big", "odd")
}

func (d drawer) tolerations() []resourcev1.DeviceToleration {
	switch d.IntN(4) {
	case 0:
		return []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	case 1:
		return []resourcev1.DeviceToleration{{Key: "hot", Operator: resourcev1.DeviceTolerationOpEqual, Value: "yes", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	}
	return nil
}

func (d drawer) requested() *resourcev1.CapacityRequirements {
	if !d.c.Features.ConsumableCapacity && !d.OneIn(60) || d.OneIn(3) {
		return nil
	}
	requests := map[resourcev1.QualifiedName]resource.Quantity{"memory": d.quantity()}
	if d.OneIn(12) {
		requests["a.example.com/lanes"] = d.quantity()
	}
	if d.OneIn(60) {
		requests["memory"] = resource.MustParse(difftest.Pick(d.Source, "-1Gi", "8E", "20E", "0"))
	}
	return &resourcev1.CapacityRequirements{Requests: requests}
}

func (d drawer) mode() (resourcev1.DeviceAllocationMode, int64) {
	switch {
	case d.OneIn(7):
		return resourcev1.DeviceAllocationModeAll, 0
	case d.OneIn(150):
		return resourcev1.DeviceAllocationModeExactCount, difftest.Pick[int64](d.Source, 33, 0, -1, 1<<62, 1<<63-1)
	case d.OneIn(600):
		return "Odd", 1
	}
	return resourcev1.DeviceAllocationModeExactCount, int64(difftest.Pick(d.Source, 1, 1, 1, 1, 2, 2, 3))
}

func (d drawer) request(name string) resourcev1.DeviceRequest {
	if d.OneIn(300) {
		return resourcev1.DeviceRequest{Name: name}
	}
	if d.OneIn(3) && (d.c.Features.PrioritizedList || d.OneIn(20)) {
		list := resourcev1.DeviceRequest{Name: name}
		for i := range d.Range(1, 4) {
			sub := resourcev1.DeviceSubRequest{Name: fmt.Sprintf("s%d", i), DeviceClassName: d.className(), Selectors: d.selectors(difftest.Pick(d.Source, 0, 0, 1)), Tolerations: d.tolerations(), Capacity: d.requested()}
			sub.AllocationMode, sub.Count = d.mode()
			list.FirstAvailable = append(list.FirstAvailable, sub)
		}
		return list
	}
	exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: d.className(), Selectors: d.selectors(difftest.Pick(d.Source, 0, 0, 1, 2)), Tolerations: d.tolerations(), Capacity: d.requested()}
	exactly.AllocationMode, exactly.Count = d.mode()
	if d.OneIn(10) && (d.c.Features.AdminAccess || d.OneIn(10)) {
		exactly.AdminAccess = ptr.To(!d.OneIn(5))
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: exactly}
}

// take has other claims have some devices, or parts of them.
func (d drawer) take() {
	for _, s := range d.c.Slices {
		for i := range s.Spec.Devices {
			id := allocations.Device{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: s.Spec.Devices[i].Name}
			if shareable := d.c.Features.ConsumableCapacity && ptr.Deref(s.Spec.Devices[i].AllowMultipleAllocations, false); !shareable {
				if d.OneIn(6) {
					d.c.Taken.Devices = append(d.c.Taken.Devices, id)
				}
				continue
			}
			switch d.IntN(6) {
			case 4:
				d.c.Taken.Capacity = append(d.c.Taken.Capacity, allocations.Consumed{Device: id, Capacity: map[resourcev1.QualifiedName]resource.Quantity{"memory": d.quantity()}})
				fallthrough
			case 5:
				d.c.Taken.Shared = append(d.c.Taken.Shared, id)
			}
		}
	}
}
