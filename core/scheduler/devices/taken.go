package devices

import (
	"iter"
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/devices/allocate"
)

// taken are the devices that claims have. Devices allocated with admin access count as free.
type taken struct {
	shares  bool // whether devices may be shared, by their capacity
	by      allocate.Taken
	more    map[allocate.DeviceID]int // claims beyond the first that have a device
	parts   map[allocate.DeviceID]int // how many parts claims have of a device
	changed []allocate.DeviceID       // by the last replacement
}

func newTaken(shares bool) taken {
	return taken{
		shares: shares, more: map[allocate.DeviceID]int{}, parts: map[allocate.DeviceID]int{},
		by: allocate.Taken{Devices: map[allocate.DeviceID]struct{}{}, Shared: map[allocate.DeviceID]struct{}{}, Capacity: allocate.Parts{}},
	}
}

func (t *taken) fork() taken {
	return taken{shares: t.shares, by: t.by.Clone(), more: maps.Clone(t.more), parts: maps.Clone(t.parts)}
}

// replace takes the devices of a claim's new version instead of those of its old one; either may be nil. It returns the
// devices of which more or less is taken. Those that both versions have are never free in between.
func (t *taken) replace(was, is *resourcev1.ResourceClaim) []allocate.DeviceID {
	if was != nil && is != nil && was.Status.Allocation == is.Status.Allocation {
		return nil
	}
	t.changed = t.changed[:0]
	t.each(was, func(allocate.DeviceID) {}, t.giveBack)
	t.each(is, t.take, t.consume)
	t.each(was, t.free, func(allocate.DeviceID, allocate.Consumed) {})
	return t.changed
}

func (t *taken) giveBack(id allocate.DeviceID, part allocate.Consumed) {
	if t.parts[id]--; t.parts[id] == 0 {
		delete(t.parts, id)
		delete(t.by.Shared, id)
	}
	if part != nil {
		t.by.Capacity.Remove(id, part)
	}
	t.changed = append(t.changed, id)
}

func (t *taken) consume(id allocate.DeviceID, part allocate.Consumed) {
	t.parts[id]++
	t.by.Shared[id] = struct{}{}
	if part != nil {
		t.by.Capacity.Insert(id, part)
	}
	t.changed = append(t.changed, id)
}

func (t *taken) take(id allocate.DeviceID) {
	if t.by.Has(id) {
		t.more[id]++
		return
	}
	t.by.Devices[id] = struct{}{}
	t.changed = append(t.changed, id)
}

func (t *taken) free(id allocate.DeviceID) {
	switch t.more[id] {
	case 0:
		delete(t.by.Devices, id)
		t.changed = append(t.changed, id)
	case 1:
		delete(t.more, id)
	default:
		t.more[id]--
	}
}

// each visits the devices that a claim has: those of its own, and its part of those that it shares, whose capacity may be nil.
func (t *taken) each(claim *resourcev1.ResourceClaim, own func(allocate.DeviceID), shared func(allocate.DeviceID, allocate.Consumed)) {
	for result := range results(claim) {
		id := allocate.MakeDeviceID(result.Driver, result.Pool, result.Device)
		if !t.shares || result.ShareID == nil {
			own(id)
			continue
		}
		shared(id, result.ConsumedCapacity)
	}
}

// results visits what a claim was allocated without admin access.
func results(claim *resourcev1.ResourceClaim) func(func(*resourcev1.DeviceRequestAllocationResult) bool) {
	return func(yield func(*resourcev1.DeviceRequestAllocationResult) bool) {
		if claim == nil || claim.Status.Allocation == nil {
			return
		}
		all := claim.Status.Allocation.Devices.Results
		for i := range all {
			if !ptr.Deref(all[i].AdminAccess, false) && !yield(&all[i]) {
				return
			}
		}
	}
}

// Allocated returns what is taken, for an allocator. It is valid until the state changes, and must not be changed itself.
func (s *State) Allocated() allocate.Taken {
	all := s.taken.by
	if s.gates.AllocatedParts {
		return all
	}
	all.Shared = map[allocate.DeviceID]struct{}{}
	for result := range s.sharedInFlight() {
		all.Shared[allocate.MakeDeviceID(result.Driver, result.Pool, result.Device)] = struct{}{}
	}
	return all
}

// sharedInFlight visits the parts of shared devices that claims in flight have.
func (s *State) sharedInFlight() iter.Seq[*resourcev1.DeviceRequestAllocationResult] {
	return s.partsOf(maps.Values(s.inFlight))
}

// sharedParts visits the parts of shared devices that count as taken, those of a claim in flight twice if it is allocated by now.
func (s *State) sharedParts() iter.Seq[*resourcev1.DeviceRequestAllocationResult] {
	if !s.gates.AllocatedParts {
		return s.sharedInFlight()
	}
	return s.partsOf(slices.Values(append(s.Claims(), slices.Collect(maps.Values(s.inFlight))...)))
}

func (s *State) partsOf(claims iter.Seq[*resourcev1.ResourceClaim]) iter.Seq[*resourcev1.DeviceRequestAllocationResult] {
	return func(yield func(*resourcev1.DeviceRequestAllocationResult) bool) {
		if !s.gates.ConsumableCapacity {
			return
		}
		for claim := range claims {
			for result := range results(claim) {
				if result.ShareID != nil && !yield(result) {
					return
				}
			}
		}
	}
}
