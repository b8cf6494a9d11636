package allocate

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// search is one allocation. Its functions are the levels of the search; each returns true once all that is left has devices.
type search struct {
	*Allocator
	ctx     context.Context
	limit   *Limit
	node    *v1.Node
	pools   []*pool
	devices int // of all pools
	claims  []*claimState

	taking   map[DeviceID][]int // the claims that are given a device for themselves
	counters map[counterKey]amounts
	consumed Parts
}

// errTooMany ends the search for a request with which the claim would have more devices than fit into its status. An earlier
// alternative may want fewer.
var errTooMany = errors.New("allocation max size exceeded")

// place is where the search for a device begins, by position of pool, slice and device.
type place struct{ pool, slice, device int }

// goal is the device that is searched for: which one of which request.
type goal struct {
	claim, slot int
	sub         int // the alternative
	device      int
}

// step takes a step of the limit.
func (s *search) step() error {
	if s.ctx.Err() != nil {
		return fmt.Errorf("filter operation aborted: %w", context.Cause(s.ctx))
	}
	return s.limit.step()
}

// claim allocates a claim and those after it.
func (s *search) claim(at int) (bool, error) {
	return s.slot(goal{claim: at})
}

// slot allocates a request and all after it.
func (s *search) slot(g goal) (bool, error) {
	if err := s.step(); err != nil {
		return false, err
	}
	if g.claim >= len(s.claims) {
		return true, nil
	}
	slots := s.claims[g.claim].slots
	if g.slot >= len(slots) {
		found, err := s.claim(g.claim + 1)
		if errors.Is(err, errTooMany) {
			return false, nil // another choice for this claim may leave the next one an alternative with fewer devices
		}
		return found, err
	}
	if slots[g.slot].prefers {
		return s.alternatives(g)
	}
	return s.device(g, place{})
}

// alternatives allocates the first alternative with which all that is left has devices.
func (s *search) alternatives(g goal) (bool, error) {
	slot, tooMany := s.claims[g.claim].slots[g.slot], true
	for i := range slot.of {
		g.sub = i
		found, err := s.next(g, place{})
		if errors.Is(err, errTooMany) {
			continue
		}
		tooMany = false
		if err != nil {
			return false, err
		}
		if found {
			slot.preferred = i
			return true, nil
		}
	}
	if tooMany {
		return false, errTooMany
	}
	return false, nil
}

// next takes a step and goes on to a device of the same request.
func (s *search) next(g goal, from place) (bool, error) {
	if err := s.step(); err != nil {
		return false, err
	}
	return s.device(g, from)
}

// device allocates a device for a request and all that is left.
func (s *search) device(g goal, from place) (bool, error) {
	claim := s.claims[g.claim]
	r := claim.slots[g.slot].of[g.sub]
	if r.wantsAll() && len(r.all) == 0 {
		return false, nil
	}
	if g.device >= r.wants {
		return s.slot(goal{claim: g.claim, slot: g.slot + 1})
	}
	if s.tooMany(len(claim.results), r.wants-g.device) {
		if s.oldest {
			return false, nil
		}
		return false, errTooMany
	}
	if r.wantsAll() {
		return s.nextOfAll(g, r)
	}
	for i := from.pool; i < len(s.pools); i++ {
		p := s.pools[i]
		if !p.usable() {
			continue
		}
		for j := range p.slices {
			first := 0
			switch {
			case i > from.pool || j > from.slice:
			case j < from.slice:
				continue
			default:
				first = from.device
			}
			for d := range s.devicesOf(p, j, first) {
				if done, found, err := s.try(g, r, d, place{i, j, d.index + 1}); done {
					return found, err
				}
			}
		}
	}
	return false, nil
}

// tooMany reports whether a claim would have more devices than it can. Up to 1.36.3, the sum may overflow, and then it is not.
func (s *search) tooMany(has, more int) bool {
	if s.limitByRequest {
		return more > resourcev1.AllocationResultsMaxSize-has
	}
	return has+more > resourcev1.AllocationResultsMaxSize
}

// nextOfAll allocates the next one of all devices. If one cannot be had, the request cannot be met.
func (s *search) nextOfAll(g goal, r *request) (bool, error) {
	giveBack, err := s.take(g, r, r.all[g.device], true)
	if giveBack == nil || err != nil {
		return false, err
	}
	after := goal{claim: g.claim, slot: g.slot, device: g.device + 1}
	if s.alternativesAll {
		after.sub = g.sub
	}
	found, err := s.next(after, place{})
	if !found || err != nil {
		giveBack()
	}
	return found, err
}

// try takes a device if it serves a request, and allocates all that is left. It is done if that succeeds or fails for good.
func (s *search) try(g goal, r *request, d candidate, after place) (done, found bool, err error) {
	serves, err := s.serves(g, r, d)
	if err != nil || !serves {
		return err != nil, false, err
	}
	giveBack, err := s.take(g, r, d, false)
	if giveBack == nil || err != nil {
		return err != nil, false, err
	}
	if !s.combinations {
		after = place{}
	}
	g.device++
	if found, err = s.next(g, after); found && err == nil {
		return true, true, nil
	}
	giveBack()
	return err != nil, false, err
}

// serves reports whether a device is free for a request, is selected by it, and has the capacity.
func (s *search) serves(g goal, r *request, d candidate) (bool, error) {
	if r.admin && s.isTaking(d.id(), g.claim) || !r.admin && s.inUse(d.id()) {
		return false, nil
	}
	is, err := s.isSelected(g.claim, r, d)
	if err != nil || !is || !s.ConsumableCapacity {
		return is, err
	}
	if is, err = s.hasCapacity(r, d); err != nil {
		return false, s.deviceError(g, r, d, "checking capacity", err)
	}
	return is, nil
}

// isSelected reports whether the selectors of a request and of its class match a device, and the node reaches it.
func (s *search) isSelected(claim int, r *request, d candidate) (bool, error) {
	if !s.DeviceBindingAndStatus && len(d.device().BindingConditions) > 0 {
		return false, nil
	}
	if r.matches == nil {
		r.matches = make([]answer, s.devices)
	}
	known := &r.matches[d.number]
	if *known != unknown {
		return *known == matching, nil
	}
	is, err := s.match(claim, r.class, r.class.Spec.Selectors, d)
	if is && err == nil {
		is, err = s.match(claim, nil, r.selectors, d)
	}
	if is && err == nil && d.slice.each != nil {
		is, err = d.slice.each[d.index].matches(s.node)
	}
	if err != nil {
		return false, err
	}
	if *known = different; is {
		*known = matching
	}
	return is, nil
}
