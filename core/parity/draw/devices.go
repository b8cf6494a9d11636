package draw

import (
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
)

// ResourceClaim draws a claim to devices.
func (r Filler) ResourceClaim() *resourcev1.ResourceClaim {
	o := &resourcev1.ResourceClaim{}
	r.Meta(o, "default")
	for i := range r.Range(1, 2) {
		request := resourcev1.DeviceRequest{Name: string(rune('a' + i)), Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "a"}}
		for range r.IntN(3) {
			e := request.Exactly
			r.Field(difftest.Pick[any](r.Source, &e.DeviceClassName, &e.AllocationMode, &e.Count, &e.Selectors, &e.Tolerations, &request.Name))
		}
		o.Spec.Devices.Requests = append(o.Spec.Devices.Requests, request)
	}
	if r.OneIn(3) {
		r.Field(&o.Spec.Devices.Constraints)
	}
	return o
}

// DeviceClass draws one.
func (r Filler) DeviceClass() *resourcev1.DeviceClass {
	o := &resourcev1.DeviceClass{}
	r.Meta(o, "")
	r.Field(&o.Spec.Selectors)
	return o
}

// ResourceSlice draws one.
func (r Filler) ResourceSlice() *resourcev1.ResourceSlice {
	o := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		Driver: pick(r, "a", "gpu.example.com", "", "x y"), NodeName: ptr.To("a"), Pool: resourcev1.ResourcePool{Name: "a", ResourceSliceCount: 1},
	}}
	r.Meta(o, "")
	for i := range r.IntN(3) {
		d := resourcev1.Device{Name: string(rune('a' + i))}
		for range r.IntN(3) {
			r.Field(difftest.Pick[any](r.Source, &d.Name, &d.Attributes, &d.Taints, &d.AllowMultipleAllocations))
		}
		o.Spec.Devices = append(o.Spec.Devices, d)
	}
	if r.atEdge() {
		r.Field(difftest.Pick[any](r.Source, &o.Spec.Pool, &o.Spec.NodeName, &o.Spec.AllNodes, &o.Spec.NodeSelector))
	}
	return o
}

// Workload draws one.
func (r Filler) Workload() *schedulingv1alpha1.Workload {
	o := &schedulingv1alpha1.Workload{}
	r.Meta(o, "default")
	for i := range r.Range(1, 2) {
		g := schedulingv1alpha1.PodGroup{Name: string(rune('a' + i))}
		g.Policy.Gang = &schedulingv1alpha1.GangSchedulingPolicy{MinCount: pick(r, int32(1), 2, 0, -1)}
		if r.atEdge() {
			g.Name = r.text("")
		}
		if r.atEdge() {
			g.Policy = difftest.Pick(r.Source, schedulingv1alpha1.PodGroupPolicy{}, schedulingv1alpha1.PodGroupPolicy{Basic: &schedulingv1alpha1.BasicSchedulingPolicy{}, Gang: g.Policy.Gang})
		}
		o.Spec.PodGroups = append(o.Spec.PodGroups, g)
	}
	if r.OneIn(3) {
		r.Field(&o.Spec.ControllerRef)
	}
	return o
}
