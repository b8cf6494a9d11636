package dynamicresources

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

var (
	nodes       = []string{"n1", "n2", "n3"}
	drivers     = []string{"a.example.com", "b.example.com"}
	classNames  = []string{"any", "a", "big", "broken"}
	claimNames  = []string{"c1", "c2", "c3", "c4", "c5", "c6"}
	expressions = []string{
		"true", "false", `device.driver == "a.example.com"`, `"model" in device.attributes["a.example.com"] && device.attributes["a.example.com"].model == "big"`,
		`"memory" in device.capacity["a.example.com"] && device.capacity["a.example.com"].memory.compareTo(quantity("8Gi")) >= 0`,
	}
	broken = []string{"device.", `device.driver`, "[1,2", `device.attributes["b.example.com"].model == "big"`}
)

func expression(r *difftest.Source) string {
	if r.OneIn(40) {
		return difftest.Pick(r, broken...)
	}
	if r.OneIn(3) {
		return difftest.Pick(r, expressions[3:]...)
	}
	return difftest.Pick(r, expressions[0], expressions[0], expressions[2], expressions[2], expressions[1])
}

func class(r *difftest.Source, name string) *resourcev1.DeviceClass {
	c := mk.DeviceClass(name)
	switch name {
	case "a":
		c = mk.DeviceClass(name, expressions[2])
	case "big":
		c = mk.DeviceClass(name, expressions[3])
	case "broken":
		c = mk.DeviceClass(name, expression(r))
	}
	if r.OneIn(3) {
		c.Spec.Config = []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: opaque(name)}}
	}
	if r.Bool() {
		c.Spec.ExtendedResourceName = ptr.To(resourcePrefix + name)
	}
	return c
}

// resourcePrefix begins the names of the extended resources that classes name. The nodes of a resource that no class names
// have it by a device plugin, if at all.
const resourcePrefix = "example.com/"

var resources = []v1.ResourceName{
	resourcePrefix + "any", resourcePrefix + "a", v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + "any"),
	v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + "big"), resourcePrefix + "other",
}

// node draws what a device plugin provides.
func node(r *difftest.Source, name string) *v1.Node {
	n := mk.Node(name).CPU("8")
	for _, resource := range resources {
		if r.OneIn(5) || resource == resources[len(resources)-1] {
			n.Resource(resource, difftest.Pick(r, "4", "4", "0"))
		}
	}
	return n.Obj()
}

func opaque(driver string) resourcev1.DeviceConfiguration {
	return resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: driver}}
}

// inventory draws slices. The pools of some are complete, whatever their slices say.
func inventory(r *difftest.Source) []*resourcev1.ResourceSlice {
	var all []*resourcev1.ResourceSlice
	for i := range r.Range(2, 8) {
		all = append(all, slice(r, i))
	}
	if r.OneIn(4) {
		return all
	}
	type pool struct{ driver, name string }
	counts := map[pool]int64{}
	for _, s := range all {
		counts[pool{s.Spec.Driver, s.Spec.Pool.Name}]++
	}
	for _, s := range all {
		s.Spec.Pool.Generation, s.Spec.Pool.ResourceSliceCount = 1, counts[pool{s.Spec.Driver, s.Spec.Pool.Name}]
	}
	return all
}

// slice draws one slice of a pool. Pools are of several slices, and some of those are missing.
func slice(r *difftest.Source, number int) *resourcev1.ResourceSlice {
	driver, node := difftest.Pick(r, drivers...), difftest.Pick(r, nodes...)
	pool := difftest.Pick(r, node, node, "shared")
	s := mk.ResourceSlice(fmt.Sprintf("s%d", number), driver, pool).Pool(int64(r.Range(1, 3)/2+1), int64(difftest.Pick(r, 1, 1, 1, 2)))
	slice := s.Obj()
	switch r.IntN(8) {
	case 0:
		s.AllNodes()
	case 1:
		slice.Spec.NodeSelector = selector(node)
	case 2:
		slice.Spec.PerDeviceNodeSelection = ptr.To(true)
	default:
		s.Node(node)
	}
	if r.OneIn(5) {
		slice.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
		if r.Bool() {
			return slice
		}
	}
	for i := range r.Range(1, 5) {
		slice.Spec.Devices = append(slice.Spec.Devices, device(r, slice, i))
	}
	return slice
}

func selector(node string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{node}}},
	}}}
}

// twin is a name that several devices have.
const twin = "twin"

func device(r *difftest.Source, slice *resourcev1.ResourceSlice, i int) resourcev1.Device {
	d := resourcev1.Device{Name: fmt.Sprintf("%s-%d", slice.Name, i)}
	if r.OneIn(30) {
		d.Name = twin
	}
	if !r.OneIn(4) {
		d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"model": {StringValue: ptr.To(difftest.Pick(r, "big", "small"))}, "x.example.com/bus": {IntValue: ptr.To(int64(r.IntN(2)))},
		}
	}
	if r.Bool() {
		d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(difftest.Pick(r, "4Gi", "8Gi"))}}
	}
	if r.OneIn(3) {
		d.AllowMultipleAllocations = ptr.To(true)
	}
	if r.OneIn(5) {
		d.Taints = []resourcev1.DeviceTaint{{Key: difftest.Pick(r, "hot", "old"), Effect: difftest.Pick(r, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNone)}}
	}
	if r.OneIn(4) {
		d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(difftest.Pick(r, "4Gi", "6Gi"))}}}}
	}
	if r.OneIn(4) {
		d.BindsToNode = ptr.To(r.Bool())
		d.BindingConditions = []string{"ready", "attached"}[:r.Range(1, 2)]
		if r.Bool() {
			d.BindingFailureConditions = []string{"failed"}
		}
	}
	if ptr.Deref(slice.Spec.PerDeviceNodeSelection, false) {
		switch r.IntN(3) {
		case 0:
			d.AllNodes = ptr.To(true)
		case 1:
			d.NodeName = ptr.To(difftest.Pick(r, nodes...))
		default:
			d.NodeSelector = selector(difftest.Pick(r, nodes...))
		}
	}
	return d
}

func claim(r *difftest.Source, name string) *resourcev1.ResourceClaim {
	c := mk.ResourceClaim(name).Obj()
	for i := range r.Range(1, 2) {
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, request(r, fmt.Sprintf("r%d", i)))
	}
	if r.OneIn(4) {
		attribute := resourcev1.FullyQualifiedName(difftest.Pick(r, "a.example.com/model", "x.example.com/bus"))
		constraint := resourcev1.DeviceConstraint{MatchAttribute: &attribute}
		if r.OneIn(6) {
			constraint = resourcev1.DeviceConstraint{DistinctAttribute: &attribute}
		}
		if r.Bool() {
			constraint.Requests = []string{"r0"}
		}
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, constraint)
	}
	if r.OneIn(4) {
		config := resourcev1.DeviceClaimConfiguration{DeviceConfiguration: opaque("claim")}
		if r.Bool() {
			config.Requests = []string{difftest.Pick(r, "r0", "r1", "r0/s0")}
		}
		c.Spec.Devices.Config = append(c.Spec.Devices.Config, config)
	}
	return c
}

func className(r *difftest.Source) string {
	switch {
	case r.OneIn(60):
		return "none"
	case r.OneIn(200):
		return ""
	case r.OneIn(20):
		return "broken"
	}
	return difftest.Pick(r, classNames[:3]...)
}

func cel(r *difftest.Source) []resourcev1.DeviceSelector {
	if !r.OneIn(3) {
		return nil
	}
	return mk.DeviceClass("", expression(r)).Spec.Selectors
}

func tolerations(r *difftest.Source) []resourcev1.DeviceToleration {
	switch r.IntN(4) {
	case 0:
		return []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	case 1:
		return []resourcev1.DeviceToleration{{Key: "hot", Operator: resourcev1.DeviceTolerationOpExists, Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	}
	return nil
}

func capacity(r *difftest.Source) *resourcev1.CapacityRequirements {
	if !r.OneIn(6) {
		return nil
	}
	return &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(difftest.Pick(r, "1Gi", "3Gi", "6Gi"))}}
}

func mode(r *difftest.Source) (resourcev1.DeviceAllocationMode, int64) {
	if r.OneIn(10) {
		return resourcev1.DeviceAllocationModeAll, 0
	}
	if r.OneIn(100) {
		return resourcev1.DeviceAllocationModeExactCount, 33
	}
	return resourcev1.DeviceAllocationModeExactCount, int64(difftest.Pick(r, 1, 1, 1, 2, 3))
}

func request(r *difftest.Source, name string) resourcev1.DeviceRequest {
	if r.OneIn(100) {
		return resourcev1.DeviceRequest{Name: name}
	}
	if r.OneIn(3) {
		list := resourcev1.DeviceRequest{Name: name}
		for i := range r.Range(1, 3) {
			sub := resourcev1.DeviceSubRequest{Name: fmt.Sprintf("s%d", i), DeviceClassName: className(r), Selectors: cel(r), Tolerations: tolerations(r), Capacity: capacity(r)}
			sub.AllocationMode, sub.Count = mode(r)
			list.FirstAvailable = append(list.FirstAvailable, sub)
		}
		return list
	}
	exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: className(r), Selectors: cel(r), Tolerations: tolerations(r), Capacity: capacity(r)}
	exactly.AllocationMode, exactly.Count = mode(r)
	if r.OneIn(12) {
		exactly.AdminAccess = ptr.To(true)
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: exactly}
}

func rule(r *difftest.Source, number int) *resourcev1alpha3.DeviceTaintRule {
	rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("rule%d", number)}}
	rule.Spec.Taint = resourcev1alpha3.DeviceTaint{Key: difftest.Pick(r, "hot", "old"), Effect: difftest.Pick(r, resourcev1alpha3.DeviceTaintEffectNoSchedule, resourcev1alpha3.DeviceTaintEffectNone)}
	if r.OneIn(5) {
		return rule
	}
	rule.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{}
	if r.Bool() {
		rule.Spec.DeviceSelector.Driver = ptr.To(difftest.Pick(r, drivers...))
	}
	if r.Bool() {
		rule.Spec.DeviceSelector.Pool = ptr.To(difftest.Pick(r, nodes...))
	}
	if r.OneIn(3) {
		rule.Spec.DeviceSelector.Device = ptr.To(fmt.Sprintf("s%d-0", r.IntN(6)))
	}
	return rule
}

func pod(r *difftest.Source, number int) *v1.Pod {
	b := mk.Pod(fmt.Sprintf("p%d", number))
	first := r.IntN(len(claimNames))
	for i := range difftest.Pick(r, 1, 1, 1, 2, 0) {
		b.ResourceClaim(claimNames[(first+i)%len(claimNames)]) // kube-scheduler cannot bind a pod that names a claim twice
	}
	if r.OneIn(2) {
		withResources(r, b)
	}
	p := b.Obj()
	if r.OneIn(20) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, v1.PodResourceClaim{Name: "t", ResourceClaimTemplateName: ptr.To("t")})
		if r.Bool() {
			p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "t", ResourceClaimName: difftest.Pick(r, nil, ptr.To("c1"))}}
		}
	}
	return p
}

// withResources gives a pod containers of all kinds that request extended resources.
func withResources(r *difftest.Source, b *mk.PodBuilder) {
	requests := func() v1.ResourceList {
		list := mk.Resources("cpu", "1")
		for range r.Range(0, 2) {
			list[difftest.Pick(r, resources...)] = resource.MustParse(difftest.Pick(r, "1", "1", "2", "3", "0"))
		}
		return list
	}
	for name, quantity := range requests() {
		b.Request(name, quantity.String())
	}
	for i := range r.IntN(4) {
		switch name := fmt.Sprintf("x%d", i); r.IntN(4) {
		case 0:
			b.Container(name, "", requests())
		case 1:
			b.Sidecar(name, requests())
		default:
			b.Init(name, requests())
		}
	}
}
