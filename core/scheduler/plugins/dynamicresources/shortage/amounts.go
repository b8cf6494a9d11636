package shortage

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/devices/allocate"
)

// shortAmount is a counter of a pool, or a capacity of a shared device, of which too little is left.
type shortAmount struct {
	name string // "counter memory of set gpu-0", "capacity memory"
	says string
}

// poolCounters are the counters of a pool: all of it, and what the devices that are taken leave.
type poolCounters struct {
	all, left map[string]map[string]resource.Quantity
	negative  bool // whether one is overdrawn: the allocator takes no device that consumes any then
}

// countersOf computes the counters of a pool once.
func (in *Inspection) countersOf(p *devicePool) *poolCounters {
	if p.counters != nil {
		return p.counters
	}
	c := &poolCounters{map[string]map[string]resource.Quantity{}, map[string]map[string]resource.Quantity{}, false}
	p.counters = c
	for set, counters := range p.counterSets() {
		c.all[set], c.left[set] = map[string]resource.Quantity{}, map[string]resource.Quantity{}
		for name, counter := range counters {
			c.all[set][name], c.left[set][name] = counter.Value.DeepCopy(), counter.Value.DeepCopy()
		}
	}
	for d := range p.current {
		if len(d.ConsumesCounters) > 0 && len(in.takers(d)) > 0 {
			c.consume(d)
		}
	}
	return c
}

func (c *poolCounters) consume(d *poolDevice) {
	for _, consumed := range d.ConsumesCounters {
		for name, counter := range consumed.Counters {
			if left, has := c.left[consumed.CounterSet][name]; has {
				left.Sub(counter.Value)
				c.left[consumed.CounterSet][name] = left
				c.negative = c.negative || left.Sign() < 0
			}
		}
	}
}

// shortCounter is the first counter of which too little is left for a device; nil if there is enough. Who shares a device that
// is shared already consumes no more.
func (in *Inspection) shortCounter(d *poolDevice) *shortAmount {
	if len(d.ConsumesCounters) == 0 || in.isShared(d) && len(in.inventory.holders[d.id]) > 0 {
		return nil
	}
	counters := in.countersOf(d.slice.pool)
	for _, consumed := range d.ConsumesCounters {
		for _, name := range slices.Sorted(maps.Keys(consumed.Counters)) {
			needed, left := consumed.Counters[name].Value, counters.left[consumed.CounterSet][name]
			if left.Cmp(needed) < 0 {
				all := counters.all[consumed.CounterSet][name]
				return &shortAmount{
					"counter " + name + " of set " + consumed.CounterSet,
					fmt.Sprintf("consumes %s of counter %s of set %s, of which %s of %s is left", &needed, name, consumed.CounterSet, &left, &all),
				}
			}
		}
	}
	if counters.negative {
		return &shortAmount{"another counter of the pool", "consumes counters of a pool of which more is allocated than it has"}
	}
	return nil
}

func (in *Inspection) isShared(d *poolDevice) bool {
	return in.inventory.features.ConsumableCapacity && ptr.Deref(d.AllowMultipleAllocations, false)
}

// shortCapacity is the first capacity of which a device has, or has left, too little for a request; nil if it has enough.
func (in *Inspection) shortCapacity(r *Request, d *poolDevice) *shortAmount {
	for _, name := range slices.Sorted(maps.Keys(r.capacity)) {
		if _, has := d.Capacity[name]; !has {
			wanted := r.capacity[name]
			return &shortAmount{"capacity " + string(name), fmt.Sprintf("has no capacity %s, of which the request needs %s", name, &wanted)}
		}
	}
	used := in.allocated.Capacity[allocate.MakeDeviceID(d.id.driver, d.id.pool, d.id.device)]
	for _, name := range slices.Sorted(maps.Keys(d.Capacity)) {
		capacity := d.Capacity[name]
		wanted, named := r.capacity[name]
		needed, allowed := in.Features.Need(wanted, named, &capacity)
		left := capacity.Value.DeepCopy()
		if amount, has := used[name]; has {
			left.Sub(amount)
		}
		switch {
		case !allowed:
			return &shortAmount{"capacity " + string(name), fmt.Sprintf("does not give out %s of its capacity %s in one part", &needed, name)}
		case left.Cmp(needed) < 0:
			return &shortAmount{
				"capacity " + string(name),
				fmt.Sprintf("has %s of %s of its capacity %s left, and the request needs %s", &left, &capacity.Value, name, &needed),
			}
		}
	}
	return nil
}
