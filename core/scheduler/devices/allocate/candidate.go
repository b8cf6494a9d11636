package allocate

import (
	"fmt"
	"iter"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
)

// candidate is a device of a pool that a node reaches.
type candidate struct {
	pool   *pool
	slice  *Slice
	index  int // in the slice
	number int // of all devices that the node reaches
}

func (c candidate) device() *resourcev1.Device { return &c.slice.Spec.Devices[c.index] }
func (c candidate) facts() *deviceFacts        { return &c.slice.devices[c.index] }
func (c candidate) id() DeviceID               { return c.slice.devices[c.index].id }

// devicesOf visits the devices of a slice of a pool, from one on.
func (s *search) devicesOf(p *pool, slice, from int) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i := from; i < len(p.slices[slice].devices); i++ {
			if !yield(candidate{p, p.slices[slice], i, p.first[slice] + i}) {
				return
			}
		}
	}
}

// chosenDevice is a device that a request is given.
type chosenDevice struct {
	candidate
	request  *request
	shared   *types.UID
	consumed Consumed
}

// inUse reports whether a claim has a device for itself, or is being given it.
func (s *search) inUse(id DeviceID) bool { return s.taken.Has(id) || len(s.taking[id]) > 0 }

func (s *search) isTaking(id DeviceID, claim int) bool { return slices.Contains(s.taking[id], claim) }

// isShared reports whether claims have parts of a device, or are being given some: its counters are consumed by then.
func (s *search) isShared(id DeviceID) bool {
	_, consumed := s.taken.Capacity[id]
	_, part := s.taken.Shared[id]
	_, taking := s.consumed[id]
	return consumed || taking || s.partsWithoutCount && part
}

// step is what is to be undone of a device that was taken.
type undo struct {
	counters    bool
	constraints int
	taking      bool
	consumed    Consumed
	wasShared   bool
}

// take gives a device to a request if counters, taints, constraints and capacity allow it, and returns how it is given back; nil if
// they do not. A device that the request cannot do without (all) may be an error.
func (s *search) take(g goal, r *request, d candidate, must bool) (giveBack func(), err error) {
	var u undo
	taken, err := s.takeInSteps(g, r, d, must, &u)
	if err != nil || !taken {
		if s.rollback {
			s.undo(g, r, d, u)
		}
		return nil, err
	}
	claim := s.claims[g.claim]
	before := len(claim.results)
	one := chosenDevice{candidate: d, request: r}
	if u.consumed != nil {
		one.shared, one.consumed = new(types.UID), u.consumed
	}
	claim.results = append(claim.results, one)
	if !s.rollback {
		u = s.leavesBehind(d, u)
	}
	return func() {
		s.undo(g, r, d, u)
		claim.results = claim.results[:before]
	}, nil
}

func (s *search) takeInSteps(g goal, r *request, d candidate, must bool, u *undo) (bool, error) {
	shareable := s.shareable(d)
	if r.admin && !shareable && s.isTaking(d.id(), g.claim) || !r.admin && s.inUse(d.id()) {
		return false, nil
	}
	if counters := len(d.device().ConsumesCounters) > 0; counters && !s.PartitionableDevices {
		return false, nil
	} else if counters && !(shareable && s.isShared(d.id())) {
		if must && !s.alternativesAll {
			return false, s.refused("the allocator failed: request %s is for all devices, and device %s consumes counters, which is not supported up to 1.35", r.full(), d.id())
		}
		if u.counters = s.reserveCounters(d); !u.counters {
			return false, nil
		}
	}
	if s.DeviceTaints && s.repels(d, r) {
		return false, nil
	}
	if allowed, err := s.constrain(g, r, d, must, u); err != nil || !allowed {
		return false, err
	}
	if !shareable {
		s.taking[d.id()] = append(s.taking[d.id()], g.claim)
		u.taking = true
	}
	if !s.ConsumableCapacity {
		return true, nil
	}
	return s.consume(g, r, d, shareable, u)
}

// consume takes the capacity of a device that is shared.
func (s *search) consume(g goal, r *request, d candidate, shareable bool, u *undo) (bool, error) {
	enough, err := s.hasCapacity(r, d)
	if err != nil {
		return false, s.deviceError(g, r, d, "rechecking capacity", err)
	}
	if !enough || !shareable {
		return enough, nil
	}
	if u.consumed, err = s.needsOf(r, d); err != nil {
		return false, s.deviceError(g, r, d, "computing consumed capacity", err)
	}
	_, u.wasShared = s.consumed[d.id()]
	s.consumed.Insert(d.id(), u.consumed)
	return true, nil
}

// constrain adds a device to the constraints of its claim.
func (s *search) constrain(g goal, r *request, d candidate, must bool, u *undo) (bool, error) {
	all := s.claims[g.claim].constraints
	for i, c := range all {
		if c.add(r, d) {
			u.constraints++
			continue
		}
		if must {
			return false, fmt.Errorf("claim %s, request %s: cannot add device %s because a claim constraint would not be satisfied", klog.KObj(s.claims[g.claim].ResourceClaim), r.name, d.id())
		}
		if !s.rollback {
			for _, before := range all[:i] {
				before.remove(r)
			}
		}
		return false, nil
	}
	return true, nil
}

// leavesBehind is what up to 1.35 is undone of a device that is given back: the counters of one that can be shared stay consumed, and
// one that has no capacity stays shared.
func (s *search) leavesBehind(d candidate, u undo) undo {
	if u.consumed != nil {
		u.counters, u.wasShared = false, false
		if len(u.consumed) == 0 {
			u.consumed = nil
		}
	}
	return u
}

// undo gives back what was taken of a device.
func (s *search) undo(g goal, r *request, d candidate, u undo) {
	if u.consumed != nil {
		s.consumed.Remove(d.id(), u.consumed)
		if _, still := s.consumed[d.id()]; u.wasShared && !still {
			s.consumed[d.id()] = Consumed{} // another part of it consumes nothing
		}
	}
	if u.taking {
		id := d.id()
		at := slices.Index(s.taking[id], g.claim)
		s.taking[id] = slices.Delete(s.taking[id], at, at+1)
	}
	for i := u.constraints - 1; i >= 0; i-- {
		s.claims[g.claim].constraints[i].remove(r)
	}
	if u.counters {
		s.returnCounters(d)
	}
}

// repels reports whether a device has a taint that a request does not tolerate.
func (s *search) repels(d candidate, r *request) bool {
	for _, taint := range d.device().Taints {
		known := taint.Effect == resourcev1.DeviceTaintEffectNoExecute || taint.Effect == resourcev1.DeviceTaintEffectNoSchedule
		if known && !slices.ContainsFunc(r.tolerates, func(t resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) }) {
			return true
		}
	}
	return false
}

func (s *search) deviceError(g goal, r *request, d candidate, doing string, err error) error {
	return fmt.Errorf("claim %s, request %s: %s for device %s: %w", klog.KObj(s.claims[g.claim].ResourceClaim), r.name, doing, d.id(), err)
}
