package dynamicresources_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
)

// slice draws a slice of one of few pools, so that pools have several, of several generations, and two drivers have pools of
// the same name.
func (r *reuse) slice(name string) *resourcev1.ResourceSlice {
	node := reuseNodes[r.IntN(len(reuseNodes))]
	pool := []string{node, node, "shared"}[r.IntN(3)]
	b := mk.ResourceSlice(name, []string{"a.example.com", "b.example.com"}[r.IntN(2)], pool).Pool(1+int64(r.IntN(8)/7), []int64{1, 1, 1, 2, 3}[r.IntN(5)])
	spec := &b.Obj().Spec
	switch r.IntN(7) {
	case 0:
		b.AllNodes()
	case 1:
		spec.NodeSelector = zoneSelector(r.IntN(2))
	case 2:
		spec.PerDeviceNodeSelection = ptr.To(true)
	default:
		b.Node(node)
	}
	if r.IntN(6) == 0 {
		spec.SharedCounters = []resourcev1.CounterSet{{Name: fmt.Sprint("set", r.IntN(2)), Counters: counter("8")}}
		return b.Obj()
	}
	for i := range 1 + r.IntN(3) {
		spec.Devices = append(spec.Devices, r.device(fmt.Sprint(name, "-", i), spec))
	}
	return b.Obj()
}

func (r *reuse) device(name string, spec *resourcev1.ResourceSliceSpec) resourcev1.Device {
	d := resourcev1.Device{Name: name}
	if r.IntN(20) == 0 {
		d.Name = "twin"
	}
	if r.IntN(2) == 0 {
		d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: ptr.To("big")}}
	}
	if r.IntN(3) == 0 {
		d.AllowMultipleAllocations = ptr.To(true)
		d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("8Gi")}}
	}
	if r.IntN(5) == 0 {
		d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: fmt.Sprint("set", r.IntN(2)), Counters: counter("5")}}
	}
	if r.IntN(8) == 0 {
		d.BindingConditions, d.BindsToNode = []string{"ready"}, ptr.To(r.IntN(2) == 0)
	}
	if ptr.Deref(spec.PerDeviceNodeSelection, false) {
		switch r.IntN(3) {
		case 0:
			d.AllNodes = ptr.To(true)
		case 1:
			d.NodeName = ptr.To(reuseNodes[r.IntN(len(reuseNodes))])
		default:
			d.NodeSelector = zoneSelector(r.IntN(2))
		}
	}
	return d
}

func counter(value string) map[string]resourcev1.Counter {
	return map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(value)}}
}

func zoneSelector(zone int) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{fmt.Sprint("z", zone)}},
	}}}}
}

// claim draws one of few claims, so that different ones request the same.
func (r *reuse) claim(name string) *resourcev1.ResourceClaim {
	class, b := fmt.Sprint("class", r.IntN(2)), mk.ResourceClaim(name)
	switch r.IntN(6) {
	case 0:
		b.All("r", class)
	case 1:
		b.First("r", "class0", "class1")
	case 2:
		b.Request("r", class, 2)
	default:
		b.Request("r", class, 1)
	}
	if request := b.Obj().Spec.Devices.Requests[0].Exactly; request != nil && r.IntN(6) == 0 {
		request.AdminAccess = ptr.To(true)
	}
	return b.Obj()
}

func (r *reuse) rule() *resourcev1alpha3.DeviceTaintRule {
	driver := []string{"a.example.com", "b.example.com", "c.example.com"}[r.IntN(3)]
	return &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule"}, Spec: resourcev1alpha3.DeviceTaintRuleSpec{
		DeviceSelector: &resourcev1alpha3.DeviceTaintSelector{Driver: &driver},
		Taint:          resourcev1alpha3.DeviceTaint{Key: "broken", Effect: resourcev1alpha3.DeviceTaintEffectNoSchedule},
	}}
}
