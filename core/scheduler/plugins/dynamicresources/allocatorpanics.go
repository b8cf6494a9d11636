package dynamicresources

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

// allocateSafely returns a panic of the allocator as an error, with its cause. That of a stepLimit is a timeout.
func (pl *DynamicResources) allocateSafely(ctx context.Context, allocator structured.Allocator, node *v1.Node, claims []*resourcev1.ResourceClaim) (results []resourcev1.AllocationResult, err error) {
	defer func() {
		switch failure := recover(); failure {
		case nil:
		case errOutOfSteps:
			results, err = nil, context.DeadlineExceeded
		default:
			err = fmt.Errorf("allocating devices on node %q: %s", node.Name, pl.panicCause(failure, claims))
		}
	}()
	return allocator.Allocate(ctx, node, claims)
}

// panicCause names the class with a selector that the allocator cannot take, which no API server stores. Else it panics on some requests
// for all devices that consume counters.
func (pl *DynamicResources) panicCause(failure any, claims []*resourcev1.ResourceClaim) string {
	for _, claim := range claims {
		for i := range claim.Spec.Devices.Requests {
			for _, class := range classesOf(&claim.Spec.Devices.Requests[i]) {
				if cause := pl.emptySelector(class); cause != "" {
					return cause
				}
			}
		}
	}
	return fmt.Sprintf("the allocator failed: %v; it cannot allocate all devices if they consume counters", failure)
}

// classesOf are the classes that a request names.
func classesOf(request *resourcev1.DeviceRequest) []string {
	if request.Exactly != nil {
		return []string{request.Exactly.DeviceClassName}
	}
	var classes []string
	for i := range request.FirstAvailable {
		classes = append(classes, request.FirstAvailable[i].DeviceClassName)
	}
	return classes
}

// emptySelector names the first selector of a class that has no expression; empty without one.
func (pl *DynamicResources) emptySelector(name string) string {
	class := pl.devices.Class(name)
	if class == nil {
		return ""
	}
	isEmpty := func(s resourcev1.DeviceSelector) bool { return s.CEL == nil }
	if i := slices.IndexFunc(class.Spec.Selectors, isEmpty); i >= 0 {
		return fmt.Sprintf("class %s: selector #%d: no CEL expression", name, i)
	}
	return ""
}
