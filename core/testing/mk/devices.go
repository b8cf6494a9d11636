package mk

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ResourceClaimBuilder builds a claim for devices; Obj hands it over.
type ResourceClaimBuilder struct{ claim *resourcev1.ResourceClaim }

// ResourceClaim starts a claim without requests.
func ResourceClaim(name string) *ResourceClaimBuilder {
	b := &ResourceClaimBuilder{&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}}}
	b.claim.UID = types.UID("resourceclaim/default/" + name)
	return b
}

// Obj is the claim as built so far.
func (b *ResourceClaimBuilder) Obj() *resourcev1.ResourceClaim { return b.claim }

// Request requests a number of devices of a class that every CEL expression selects.
func (b *ResourceClaimBuilder) Request(name, class string, count int64, cel ...string) *ResourceClaimBuilder {
	return b.request(resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count, Selectors: selectors(cel),
	}})
}

// All requests all devices of a class.
func (b *ResourceClaimBuilder) All(name, class string) *ResourceClaimBuilder {
	return b.request(resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeAll,
	}})
}

// First requests one device of the first class that has one. The sub-requests have the names of their classes.
func (b *ResourceClaimBuilder) First(name string, classes ...string) *ResourceClaimBuilder {
	var list []resourcev1.DeviceSubRequest
	for _, class := range classes {
		list = append(list, resourcev1.DeviceSubRequest{
			Name: class, DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1,
		})
	}
	return b.request(resourcev1.DeviceRequest{Name: name, FirstAvailable: list})
}

func (b *ResourceClaimBuilder) request(r resourcev1.DeviceRequest) *ResourceClaimBuilder {
	b.claim.Spec.Devices.Requests = append(b.claim.Spec.Devices.Requests, r)
	return b
}

// Matching lets the requests have only devices with the same value of an attribute.
func (b *ResourceClaimBuilder) Matching(attribute string, requests ...string) *ResourceClaimBuilder {
	name := resourcev1.FullyQualifiedName(attribute)
	b.claim.Spec.Devices.Constraints = append(b.claim.Spec.Devices.Constraints, resourcev1.DeviceConstraint{Requests: requests, MatchAttribute: &name})
	return b
}

// Allocated gives the claim a device for a request, which only one node reaches.
func (b *ResourceClaimBuilder) Allocated(node, request, driver, pool, device string) *ResourceClaimBuilder {
	b.claim.Finalizers = []string{resourcev1.Finalizer}
	b.claim.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: request, Driver: driver, Pool: pool, Device: device},
		}},
		NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}},
		}}},
	}
	return b
}

// ReservedFor makes pods of the namespace the users of the claim.
func (b *ResourceClaimBuilder) ReservedFor(pods ...string) *ResourceClaimBuilder {
	for _, pod := range pods {
		b.claim.Status.ReservedFor = append(b.claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: pod, UID: Pod(pod).Namespace(b.claim.Namespace).Obj().UID,
		})
	}
	return b
}

// DeviceClass is a class of the devices that every CEL expression selects.
func DeviceClass(name string, cel ...string) *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.DeviceClassSpec{Selectors: selectors(cel)}}
}

func selectors(cel []string) []resourcev1.DeviceSelector {
	var list []resourcev1.DeviceSelector
	for _, expression := range cel {
		list = append(list, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}})
	}
	return list
}

// ResourceSliceBuilder builds a ResourceSlice; Obj hands it over.
type ResourceSliceBuilder struct{ slice *resourcev1.ResourceSlice }

// ResourceSlice starts the only slice of a pool that no node reaches.
func ResourceSlice(name, driver, pool string) *ResourceSliceBuilder {
	return &ResourceSliceBuilder{&resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourcev1.ResourceSliceSpec{Driver: driver, Pool: resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}},
	}}
}

// Obj is the slice as built so far.
func (b *ResourceSliceBuilder) Obj() *resourcev1.ResourceSlice { return b.slice }

// Node lets one node reach the devices.
func (b *ResourceSliceBuilder) Node(name string) *ResourceSliceBuilder {
	b.slice.Spec.NodeName = &name
	return b
}

// AllNodes lets all nodes reach the devices.
func (b *ResourceSliceBuilder) AllNodes() *ResourceSliceBuilder {
	all := true
	b.slice.Spec.AllNodes = &all
	return b
}

// Pool sets the pool's generation, and the number of slices that it has.
func (b *ResourceSliceBuilder) Pool(generation, slices int64) *ResourceSliceBuilder {
	b.slice.Spec.Pool.Generation, b.slice.Spec.Pool.ResourceSliceCount = generation, slices
	return b
}

// Devices adds devices without attributes.
func (b *ResourceSliceBuilder) Devices(names ...string) *ResourceSliceBuilder {
	for _, name := range names {
		b.slice.Spec.Devices = append(b.slice.Spec.Devices, resourcev1.Device{Name: name})
	}
	return b
}

// Attribute gives the last device an attribute.
func (b *ResourceSliceBuilder) Attribute(name, value string) *ResourceSliceBuilder {
	last := &b.slice.Spec.Devices[len(b.slice.Spec.Devices)-1]
	if last.Attributes == nil {
		last.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}
	}
	last.Attributes[resourcev1.QualifiedName(name)] = resourcev1.DeviceAttribute{StringValue: &value}
	return b
}

// Taint taints the last device.
func (b *ResourceSliceBuilder) Taint(key string, effect resourcev1.DeviceTaintEffect) *ResourceSliceBuilder {
	last := &b.slice.Spec.Devices[len(b.slice.Spec.Devices)-1]
	last.Taints = append(last.Taints, resourcev1.DeviceTaint{Key: key, Effect: effect})
	return b
}
