package allocate

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Devices of a pool may be parts of the same hardware: each consumes counters, and their sums must not exceed what there is.

// counterKey names the counters of a pool: up to 1.36, pools of one name share them, whatever their drivers.
type counterKey PoolID

func (a *Allocator) counterKeyOf(p *pool) counterKey {
	if a.countersByDriver {
		return counterKey(p.id)
	}
	return counterKey{Pool: p.id.Pool}
}

// amounts are amounts of counters, by set and name.
type amounts map[[2]string]resource.Quantity

// leftover is what is left of the counters of pools.
type leftover struct {
	amounts
	overdrawn bool // claims have more of a counter than there is
}

// available is what is left of a pool's counters by devices that claims have. It is found out at the first node that asks, and holds for
// all nodes of the allocator.
func (a *Allocator) available(p *pool) leftover {
	key := a.counterKeyOf(p)
	if known, has := a.left[key]; has {
		return known
	}
	left := amounts{}
	for set, counters := range p.counters {
		for name, counter := range counters {
			left[[2]string{set, name}] = counter.Value
		}
	}
	for _, some := range [][]*Slice{p.slices, p.elsewhere} {
		for _, s := range some {
			for i := range s.Spec.Devices {
				id := s.devices[i].id
				if a.taken.Has(id) || a.sharesCount && a.taken.InUse(id) {
					left.each(candidate{slice: s, index: i}, func(have, consumed resource.Quantity, known bool) (resource.Quantity, bool) {
						return minus(have, consumed), known
					})
				}
			}
		}
	}
	made := leftover{amounts: left}
	for _, amount := range left {
		made.overdrawn = made.overdrawn || amount.Sign() < 0
	}
	a.left[key] = made
	return made
}

// each replaces the amounts of the counters that a device consumes; a change reports whether the new one is kept.
func (all amounts) each(c candidate, change func(have, consumed resource.Quantity, known bool) (resource.Quantity, bool)) {
	for _, set := range c.device().ConsumesCounters {
		for name, counter := range set.Counters {
			key := [2]string{set.CounterSet, name}
			have, known := all[key]
			if have, keep := change(have, counter.Value, known); keep {
				all[key] = have
			}
		}
	}
}

// reserveCounters takes the counters of a device, if the pool has enough of them: a counter that claims have overdrawn keeps every
// device from being chosen.
func (s *search) reserveCounters(c candidate) bool {
	left, key := s.available(c.pool), s.counterKeyOf(c.pool)
	if left.overdrawn {
		return false
	}
	consumed := s.counters[key]
	if consumed == nil {
		consumed = amounts{}
		s.counters[key] = consumed
	}
	consumed.each(c, func(have, more resource.Quantity, _ bool) (resource.Quantity, bool) { return plus(have, more), true })
	for _, set := range c.device().ConsumesCounters {
		for name := range set.Counters {
			counter := [2]string{set.CounterSet, name}
			if amount, counts := left.amounts[counter]; counts && amount.Cmp(consumed[counter]) < 0 {
				s.returnCounters(c)
				return false
			}
		}
	}
	return true
}

func (s *search) returnCounters(c candidate) {
	s.counters[s.counterKeyOf(c.pool)].each(c, func(have, less resource.Quantity, _ bool) (resource.Quantity, bool) { return minus(have, less), true })
}
