package devices

import (
	"maps"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// taken are the devices that claims have. Devices allocated with admin access count as free.
type taken struct {
	shares   bool // whether devices may be shared, by their capacity
	ids      sets.Set[structured.DeviceID]
	more     map[structured.DeviceID]int // claims beyond the first that have a device
	capacity structured.ConsumedCapacityCollection
	changed  []structured.DeviceID // by the last replacement
}

func newTaken(shares bool) taken {
	return taken{
		shares: shares, ids: sets.New[structured.DeviceID](), more: map[structured.DeviceID]int{},
		capacity: structured.NewConsumedCapacityCollection(),
	}
}

func (t *taken) fork() taken {
	return taken{shares: t.shares, ids: t.ids.Clone(), more: maps.Clone(t.more), capacity: t.capacity.Clone()}
}

// replace takes the devices of a claim's new version instead of those of its old one; either may be nil. It returns the
// devices of which more or less is taken. Those that both versions have are never free in between.
func (t *taken) replace(was, is *resourcev1.ResourceClaim) []structured.DeviceID {
	if was != nil && is != nil && was.Status.Allocation == is.Status.Allocation {
		return nil
	}
	t.changed = t.changed[:0]
	t.each(was, func(structured.DeviceID) {}, t.giveBack)
	t.each(is, t.take, t.consume)
	t.each(was, t.free, func(structured.DeviceConsumedCapacity) {})
	return t.changed
}

func (t *taken) giveBack(part structured.DeviceConsumedCapacity) {
	t.capacity.Remove(part)
	t.changed = append(t.changed, part.DeviceID)
}

func (t *taken) consume(part structured.DeviceConsumedCapacity) {
	t.capacity.Insert(part)
	t.changed = append(t.changed, part.DeviceID)
}

func (t *taken) take(id structured.DeviceID) {
	if t.ids.Has(id) {
		t.more[id]++
		return
	}
	t.ids.Insert(id)
	t.changed = append(t.changed, id)
}

func (t *taken) free(id structured.DeviceID) {
	switch t.more[id] {
	case 0:
		t.ids.Delete(id)
		t.changed = append(t.changed, id)
	case 1:
		delete(t.more, id)
	default:
		t.more[id]--
	}
}

// each visits the devices that a claim has: those of its own, and its part of those that it shares.
func (t *taken) each(claim *resourcev1.ResourceClaim, own func(structured.DeviceID), shared func(structured.DeviceConsumedCapacity)) {
	for result := range results(claim) {
		id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
		switch {
		case !t.shares || result.ShareID == nil:
			own(id)
		case result.ConsumedCapacity != nil:
			shared(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
		}
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
func (s *State) Allocated() structured.AllocatedState {
	shares := sets.New[structured.SharedDeviceID]()
	if s.gates.ConsumableCapacity {
		for _, claim := range s.inFlight {
			for result := range results(claim) {
				if result.ShareID != nil {
					shares.Insert(shareOf(result.Driver, result.Pool, result.Device, result.ShareID))
				}
			}
		}
	}
	return structured.AllocatedState{AllocatedDevices: s.taken.ids, AllocatedSharedDeviceIDs: shares, AggregatedCapacity: s.taken.capacity}
}

func shareOf(driver, pool, device string, share *types.UID) structured.SharedDeviceID {
	return structured.MakeSharedDeviceID(structured.MakeDeviceID(driver, pool, device), share)
}
