package allocate

import (
	"k8s.io/utils/ptr"

	resourcev1 "k8s.io/api/resource/v1"
)

// request is a request of a claim, or an alternative of one.
type request struct {
	name       string
	parent     *string // nil unless it is an alternative
	className  string
	mode       resourcev1.DeviceAllocationMode
	count      int64
	admin      bool
	adminGiven bool
	selectors  []resourcev1.DeviceSelector
	tolerates  []resourcev1.DeviceToleration
	capacity   *resourcev1.CapacityRequirements

	class   *resourcev1.DeviceClass
	wants   int
	all     []candidate // the devices for a request for all
	matches []answer    // by the number of the device
}

// answer is whether a device matches a request, once that was found out.
type answer uint8

const (
	unknown answer = iota
	matching
	different
)

// slot is a request of a claim with its alternatives; the request itself, if it is exact.
type slot struct {
	of        []*request
	prefers   bool // whether it has alternatives
	preferred int  // the alternative that was chosen
}

// chosen is the request, or the alternative that was chosen.
func (s *slot) chosen() *request { return s.of[s.preferred] }

func newSlot(spec *resourcev1.DeviceRequest) *slot {
	if len(spec.FirstAvailable) == 0 {
		return &slot{of: []*request{exact(spec)}}
	}
	s := &slot{prefers: true}
	for i := range spec.FirstAvailable {
		sub := &spec.FirstAvailable[i]
		s.of = append(s.of, &request{
			name: sub.Name, parent: &spec.Name, className: sub.DeviceClassName, mode: sub.AllocationMode, count: sub.Count,
			selectors: sub.Selectors, tolerates: sub.Tolerations, capacity: sub.Capacity,
		})
	}
	return s
}

// exact reads an exact request. One of a kind that is not known has no class.
func exact(spec *resourcev1.DeviceRequest) *request {
	e := spec.Exactly
	if e == nil {
		return &request{name: spec.Name}
	}
	return &request{
		name: spec.Name, className: e.DeviceClassName, mode: e.AllocationMode, count: e.Count, admin: ptr.Deref(e.AdminAccess, false),
		adminGiven: e.AdminAccess != nil, selectors: e.Selectors, tolerates: e.Tolerations, capacity: e.Capacity,
	}
}

// base is the name of the request, or of the one that it is an alternative of.
func (r *request) base() string { return ptr.Deref(r.parent, r.name) }

// alternative is the name of an alternative; "" for others.
func (r *request) alternative() string {
	if r.parent == nil {
		return ""
	}
	return r.name
}

// full is the name by which results and configurations refer to it.
func (r *request) full() string {
	if r.parent == nil {
		return r.name
	}
	return *r.parent + "/" + r.name
}

func (r *request) wantsAll() bool { return r.mode == resourcev1.DeviceAllocationModeAll }
