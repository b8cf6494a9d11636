package shortage

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
)

// inventory is all devices, by the nodes that reach them.
type inventory struct {
	features allocate.Features
	pools    []*devicePool // by driver and name
	local    map[string][]*deviceSlice
	shared   []*deviceSlice // those of more than one node
	holders  map[deviceID][]*holder
}

// deviceID names a device as slices do.
type deviceID struct{ driver, pool, device string }

func (id deviceID) String() string { return id.driver + "/" + id.pool + "/" + id.device }

// short is the name of a device for a reader who knows the driver.
func (id deviceID) short() string { return id.pool + "/" + id.device }

// devicePool is one pool in all its generations.
type devicePool struct {
	driver, name string
	newest       int64
	sizes        map[int64]int // the number of slices, by generation
	slices       []*deviceSlice
	counters     *poolCounters // once they were needed
	invalid      *string       // why the newest generation is invalid, once it was checked; empty if it is not
}

type deviceSlice struct {
	*resourcev1.ResourceSlice
	pool    *devicePool
	devices []*poolDevice
}

// poolDevice is a device with what was found out about it, by request.
type poolDevice struct {
	*resourcev1.Device
	slice    *deviceSlice
	id       deviceID
	verdicts []deviceVerdict
}

// newInventory indexes the slices. Those that the feature gates make the allocator ignore are left out.
func newInventory(all []*resourcev1.ResourceSlice, holders map[deviceID][]*holder, features allocate.Features) *inventory {
	v := &inventory{features: features, local: map[string][]*deviceSlice{}, holders: holders}
	pools := map[[2]string]*devicePool{}
	for _, slice := range all {
		key := [2]string{slice.Spec.Driver, slice.Spec.Pool.Name}
		pool := pools[key]
		if pool == nil {
			pool = &devicePool{driver: key[0], name: key[1], sizes: map[int64]int{}}
			pools[key], v.pools = pool, append(v.pools, pool)
		}
		pool.newest = max(pool.newest, slice.Spec.Pool.Generation)
		pool.sizes[slice.Spec.Pool.Generation]++
		s := &deviceSlice{ResourceSlice: slice, pool: pool}
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			s.devices = append(s.devices, &poolDevice{Device: device, slice: s, id: deviceID{key[0], key[1], device.Name}})
		}
		pool.slices = append(pool.slices, s)
		switch node := ptr.Deref(slice.Spec.NodeName, ""); {
		case !features.PartitionableDevices && isPartitioned(slice):
		case node != "" && len(slice.Spec.SharedCounters) == 0:
			v.local[node] = append(v.local[node], s)
		default:
			v.shared = append(v.shared, s)
		}
	}
	slices.SortFunc(v.pools, func(a, b *devicePool) int {
		return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name))
	})
	return v
}

// isPartitioned reports whether only an allocator of partitionable devices reads the slice.
func isPartitioned(slice *resourcev1.ResourceSlice) bool {
	return slice.Spec.PerDeviceNodeSelection != nil || len(slice.Spec.SharedCounters) > 0
}

// poolState is whether devices of a pool can be allocated on a node.
type poolState uint8

const (
	poolComplete   poolState = iota
	poolIncomplete           // slices are missing
	poolOutdated             // there are slices of a newer generation
	poolInvalid
)

// poolOn is a pool with those of its devices that a node reaches.
type poolOn struct {
	*devicePool
	state      poolState
	generation int64
	slices     []*deviceSlice
	devices    []*poolDevice
}

// on returns the pools that a node reaches, by driver and name.
func (v *inventory) on(node *v1.Node) []*poolOn {
	var pools []*poolOn
	for _, s := range v.local[node.Name] {
		pools = addSlice(pools, s)
	}
	for _, s := range v.shared {
		if v.reaches(node, s) {
			pools = addSlice(pools, s)
		}
	}
	for _, pool := range pools {
		pool.state = pool.check()
		for _, s := range pool.slices {
			for _, device := range s.devices {
				if !ptr.Deref(s.Spec.PerDeviceNodeSelection, false) || v.matches(node, device.NodeName, device.AllNodes, device.NodeSelector) {
					pool.devices = append(pool.devices, device)
				}
			}
		}
	}
	pools = slices.DeleteFunc(pools, func(pool *poolOn) bool { return len(pool.devices) == 0 })
	slices.SortFunc(pools, func(a, b *poolOn) int {
		return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name))
	})
	return pools
}

// reaches reports whether a node reaches any device of a slice. One with counters belongs to its pool everywhere.
func (v *inventory) reaches(node *v1.Node, s *deviceSlice) bool {
	if len(s.Spec.SharedCounters) > 0 {
		return true
	}
	if ptr.Deref(s.Spec.PerDeviceNodeSelection, false) {
		return slices.ContainsFunc(s.devices, func(d *poolDevice) bool {
			return v.matches(node, d.NodeName, d.AllNodes, d.NodeSelector)
		})
	}
	return v.matches(node, s.Spec.NodeName, s.Spec.AllNodes, s.Spec.NodeSelector)
}

func (v *inventory) matches(node *v1.Node, name *string, all *bool, selector *v1.NodeSelector) bool {
	yes, err := allocate.NodeMatches(node, name, all, selector)
	return err == nil && yes
}

// addSlice adds a slice to its pool, of which the newest generation counts that the node reaches.
func addSlice(pools []*poolOn, s *deviceSlice) []*poolOn {
	at := slices.IndexFunc(pools, func(p *poolOn) bool { return p.devicePool == s.pool })
	if at < 0 {
		return append(pools, &poolOn{devicePool: s.pool, generation: s.Spec.Pool.Generation, slices: []*deviceSlice{s}})
	}
	pool := pools[at]
	switch {
	case s.Spec.Pool.Generation > pool.generation:
		pool.generation, pool.slices = s.Spec.Pool.Generation, []*deviceSlice{s}
	case s.Spec.Pool.Generation == pool.generation:
		pool.slices = append(pool.slices, s)
	}
	return pools
}

// check compares the slices that are there with how many the pool has.
func (p *poolOn) check() poolState {
	want := p.slices[0].Spec.Pool.ResourceSliceCount
	switch {
	case int64(len(p.slices)) == want:
	case p.generation < p.newest:
		return poolOutdated
	case int64(p.sizes[p.generation]) != want:
		return poolIncomplete
	}
	if p.problem() != "" {
		return poolInvalid
	}
	return poolComplete
}

// all visits every device of every generation.
func (v *inventory) all(yield func(*poolDevice) bool) {
	for _, pool := range v.pools {
		for _, s := range pool.slices {
			for _, d := range s.devices {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// current visits the devices of the newest generation.
func (p *devicePool) current(yield func(*poolDevice) bool) {
	for _, s := range p.generationSlices(p.newest) {
		for _, d := range s.devices {
			if !yield(d) {
				return
			}
		}
	}
}

func (p *devicePool) generationSlices(generation int64) []*deviceSlice {
	var of []*deviceSlice
	for _, s := range p.slices {
		if s.Spec.Pool.Generation == generation {
			of = append(of, s)
		}
	}
	return of
}

// complete reports whether the newest generation can be allocated from.
func (p *devicePool) complete() bool {
	newest := p.generationSlices(p.newest)
	return int64(len(newest)) == newest[0].Spec.Pool.ResourceSliceCount && p.problem() == ""
}

// says is why no device of the pool is allocated.
func (p *poolOn) says() string {
	name := fmt.Sprintf("pool %s of driver %s ", p.name, p.driver)
	switch p.state {
	case poolIncomplete:
		return name + fmt.Sprintf("is incomplete: %d of %s of generation %d exist", p.sizes[p.generation],
			plural.Count(int(p.slices[0].Spec.Pool.ResourceSliceCount), "slice"), p.generation)
	case poolOutdated:
		return name + fmt.Sprintf("is being replaced: the slices for the node are of generation %d, and the newest is %d", p.generation, p.newest)
	case poolInvalid:
		return name + "is invalid: " + p.problem()
	}
	return ""
}

// problem is what makes the newest generation invalid; empty if nothing does.
func (p *devicePool) problem() string {
	if p.invalid == nil {
		text := p.findProblem()
		p.invalid = &text
	}
	return *p.invalid
}

func (p *devicePool) findProblem() string {
	names := map[string]bool{}
	for d := range p.current {
		if names[d.Name] {
			return "two devices have the name " + d.Name
		}
		names[d.Name] = true
	}
	newest := p.generationSlices(p.newest)
	plain := make([]*resourcev1.ResourceSlice, len(newest))
	for i, s := range newest {
		plain[i] = s.ResourceSlice
	}
	return devices.CounterProblem(plain)
}

// counterSets are the counters of the newest generation, by set.
func (p *devicePool) counterSets() map[string]map[string]resourcev1.Counter {
	sets := map[string]map[string]resourcev1.Counter{}
	for _, s := range p.generationSlices(p.newest) {
		for i := range s.Spec.SharedCounters {
			sets[s.Spec.SharedCounters[i].Name] = s.Spec.SharedCounters[i].Counters
		}
	}
	return sets
}
