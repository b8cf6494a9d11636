package allocate

import (
	"fmt"
	"math"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
)

// claimState is a claim with how far its allocation is.
type claimState struct {
	*resourcev1.ResourceClaim
	slots       []*slot
	constraints []*constraint
	results     []chosenDevice
}

// check reads the claims, and finds out how many devices each request wants. It is an error if a request cannot be met anywhere.
func (s *search) check(claims []*resourcev1.ResourceClaim) error {
	for i, spec := range claims {
		claim := &claimState{ResourceClaim: spec}
		s.claims = append(s.claims, claim)
		least := 0
		for j := range spec.Spec.Devices.Requests {
			least1, err := s.checkSlot(i, &spec.Spec.Devices.Requests[j])
			if err != nil {
				return err
			}
			if s.limitByRequest && least1 > resourcev1.AllocationResultsMaxSize-least {
				return fmt.Errorf("claim %s, request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for",
					klog.KObj(spec), spec.Spec.Devices.Requests[j].Name, least1, resourcev1.AllocationResultsMaxSize, least)
			}
			least += least1
		}
		if least > resourcev1.AllocationResultsMaxSize {
			return fmt.Errorf("claim %s: number of requested devices %d exceeds the claim limit of %d", klog.KObj(spec), least, resourcev1.AllocationResultsMaxSize)
		}
		if least < 0 {
			return s.refused("claim %s: the counts of its requests add up to %d devices", klog.KObj(spec), least)
		}
		var err error
		if claim.constraints, err = s.constraintsOf(spec); err != nil {
			return err
		}
	}
	for _, claim := range s.claims {
		for _, slot := range claim.slots {
			for _, r := range slot.of {
				r.matches = nil // the search finds it out once more, and pays for it
			}
		}
	}
	return nil
}

// checkSlot checks a request and its alternatives, and returns how many devices it takes at least.
func (s *search) checkSlot(claim int, spec *resourcev1.DeviceRequest) (least int, err error) {
	c := s.claims[claim]
	of := newSlot(spec)
	c.slots = append(c.slots, of)
	if of.prefers && !s.PrioritizedList {
		return 0, fmt.Errorf("claim %s, request %s: has subrequests, but the DRAPrioritizedList feature is disabled", klog.KObj(c.ResourceClaim), spec.Name)
	}
	if err := s.checkCapacity(c, spec); err != nil {
		return 0, err
	}
	least = math.MaxInt
	for i, r := range of.of {
		if i == 1 && !s.alternativesAll {
			r.matches = of.of[0].matches // up to 1.35, the second takes what matches the first, if both are for all devices
		}
		if err := s.checkRequest(claim, r); err != nil {
			return 0, err
		}
		least = min(least, r.wants)
	}
	return least, nil
}

// checkCapacity refuses a request for capacity without the gate. Allocators that do not know capacity pass over it.
func (s *search) checkCapacity(c *claimState, spec *resourcev1.DeviceRequest) error {
	if s.ConsumableCapacity || !s.late {
		return nil
	}
	if spec.Exactly != nil && spec.Exactly.Capacity != nil {
		return fmt.Errorf("claim %s, request %s: has capacity requests, but the DRAConsumableCapacity feature is disabled", klog.KObj(c.ResourceClaim), spec.Name)
	}
	for i := range spec.FirstAvailable {
		if sub := &spec.FirstAvailable[i]; sub.Capacity != nil {
			return fmt.Errorf("claim %s, subrequest %s: has capacity requests, but the DRAConsumableCapacity feature is disabled", klog.KObj(c.ResourceClaim), sub.Name)
		}
	}
	return nil
}

// checkRequest finds the class of a request, and how many devices it wants.
func (s *search) checkRequest(claim int, r *request) error {
	c := s.claims[claim]
	for i := range r.selectors {
		if r.selectors[i].CEL == nil {
			return fmt.Errorf("claim %s, request %s, selector #%d: CEL expression empty (unsupported selector type?)", klog.KObj(c.ResourceClaim), r.name, i)
		}
	}
	if !s.AdminAccess && r.adminGiven {
		return fmt.Errorf("claim %s, request %s: admin access is requested, but the feature is disabled", klog.KObj(c.ResourceClaim), r.name)
	}
	if r.className == "" {
		return fmt.Errorf("claim %s, request %s: missing device class name (unsupported request type?)", klog.KObj(c.ResourceClaim), r.name)
	}
	class, err := s.classes.Get(r.className)
	if err != nil {
		return fmt.Errorf("claim %s, request %s: could not retrieve device class %s: %w", klog.KObj(c.ResourceClaim), r.name, r.className, err)
	}
	r.class = class
	switch r.mode {
	case resourcev1.DeviceAllocationModeExactCount:
		r.wants = int(r.count)
		return nil
	case resourcev1.DeviceAllocationModeAll:
		return s.findAll(claim, r)
	}
	return fmt.Errorf("claim %s, request %s: unsupported count mode %s", klog.KObj(c.ResourceClaim), r.name, r.mode)
}

// findAll finds the devices for a request for all. Until a pool is whole, that is not known.
func (s *search) findAll(claim int, r *request) error {
	c := s.claims[claim]
	for _, p := range s.pools {
		switch {
		case p.incomplete:
			return fmt.Errorf("claim %s, request %s: asks for all devices, but resource pool %s is currently being updated", klog.KObj(c.ResourceClaim), r.name, p.id)
		case p.invalid:
			return fmt.Errorf("claim %s, request %s: asks for all devices, but resource pool %s is currently invalid", klog.KObj(c.ResourceClaim), r.name, p.id)
		}
		for at := range p.slices {
			for d := range s.devicesOf(p, at, 0) {
				is, err := s.isSelected(claim, r, d)
				if err != nil {
					return err
				}
				if is {
					is, err = s.countsForAll(claim, r, d)
				}
				if err != nil {
					return err
				}
				if is {
					r.all = append(r.all, d)
				}
			}
		}
	}
	r.wants = len(r.all)
	return nil
}

// countsForAll reports whether a device has the capacity for a request for all devices. Without the rest of its capacity that claims have, it
// is not one of all up to 1.36. Since then it keeps the request from being met.
func (s *search) countsForAll(claim int, r *request, d candidate) (bool, error) {
	if !s.ConsumableCapacity {
		return true, nil
	}
	taken, taking := s.taken.Capacity[d.id()], s.consumed[d.id()]
	if s.staticCapacity {
		taken, taking = nil, nil
	}
	is, err := s.suffices(r, d, taken, taking)
	if err != nil {
		return false, fmt.Errorf("claim %s, request %s: checking capacity for device %s: %w", klog.KObj(s.claims[claim].ResourceClaim), r.name, d.device().Name, err)
	}
	return is, nil
}
