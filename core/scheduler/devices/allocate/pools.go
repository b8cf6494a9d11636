package allocate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// pool is what a node reaches of a pool.
type pool struct {
	id         PoolID
	incomplete bool // slices are missing
	invalid    bool // the driver made a mistake
	slices     []*Slice
	first      []int    // the number of the first device of each slice, among all of the node
	elsewhere  []*Slice // of the pool, which the node does not reach
	counters   counterSets
}

// usable reports whether devices of the pool may be chosen.
func (p *pool) usable() bool { return !p.incomplete && !p.invalid }

// gather finds the pools that a node reaches, in order, and numbers their devices. It fails for a node selector that cannot be read.
func (a *Allocator) gather(node *v1.Node) (pools []*pool, devices int, err error) {
	reached, err := a.reached(node)
	if err != nil {
		return nil, 0, fmt.Errorf("gather pool information: %w", err)
	}
	byID := map[PoolID][]*Slice{}
	var ids []PoolID
	for _, s := range reached {
		same := byID[s.Pool]
		switch {
		case same == nil:
			ids = append(ids, s.Pool)
			byID[s.Pool] = []*Slice{s}
		case s.Spec.Pool.Generation > same[0].Spec.Pool.Generation:
			byID[s.Pool] = []*Slice{s}
		case s.Spec.Pool.Generation == same[0].Spec.Pool.Generation:
			byID[s.Pool] = append(same, s)
		}
	}
	for _, id := range ids {
		if p := a.build(id, byID[id]); p != nil {
			pools = append(pools, p)
		}
	}
	slices.SortFunc(pools, func(x, y *pool) int {
		if a.poolsBySort {
			if order := cmp.Compare(flag(x.hasConditions()), flag(y.hasConditions())); order != 0 {
				return order
			}
		}
		return x.id.Compare(y.id)
	})
	for _, p := range pools {
		p.first = make([]int, len(p.slices))
		for i, s := range p.slices {
			p.first[i] = devices
			devices += len(s.devices)
		}
	}
	return pools, devices, nil
}

func (p *pool) hasConditions() bool {
	return p.usable() && slices.ContainsFunc(p.slices, func(s *Slice) bool { return s.conditions })
}

// reached lists the slices that a node reaches, in the order in which they are taken in: where slices of a pool disagree on how many
// they are, the first one counts.
func (a *Allocator) reached(node *v1.Node) ([]*Slice, error) {
	var first, last []*Slice
	for _, s := range a.slices {
		here, err := a.reaches(node, s)
		switch own := s.nodes.name != "" && (a.countersAnywhere || len(s.Spec.SharedCounters) == 0); {
		case err != nil:
			return nil, err
		case !here:
		case a.conditionsLast && s.conditions && len(s.Spec.SharedCounters) == 0, a.ownFirst && !own:
			last = append(last, s)
		default:
			first = append(first, s)
		}
	}
	return append(first, last...), nil
}

// reaches reports whether a node reaches a slice, or any of its devices.
func (a *Allocator) reaches(node *v1.Node, s *Slice) (bool, error) {
	counters := len(s.Spec.SharedCounters) > 0
	if !a.PartitionableDevices && (s.Spec.PerDeviceNodeSelection != nil || counters && !a.oldest) {
		return false, nil
	}
	if counters && !a.oldest && !a.countersAnywhere {
		return true, nil
	}
	if s.nodes.selects() {
		here, err := s.nodes.matches(node)
		if err != nil {
			return false, fmt.Errorf("failed to perform node selection for slice %s: %w", s.Name, err)
		}
		return here, nil
	}
	for i := range s.each {
		here, err := s.each[i].matches(node)
		if err != nil {
			return false, fmt.Errorf("failed to perform node selection for device %s in slice %s: %w", s.Spec.Devices[i].Name, s.Name, err)
		}
		if here {
			return true, nil
		}
	}
	return false, nil
}

// build makes a pool of the slices that the node reaches, which are of one generation. It is nil if there is a newer one elsewhere.
func (a *Allocator) build(id PoolID, reached []*Slice) *pool {
	spec := &reached[0].Spec.Pool
	all := reached
	p := &pool{id: id}
	if int64(len(reached)) != spec.ResourceSliceCount {
		all = nil
		for _, s := range a.slices {
			switch {
			case s.Pool != id || s.Spec.Pool.Generation < spec.Generation:
			case s.Spec.Pool.Generation > spec.Generation:
				return nil
			default:
				all = append(all, s)
			}
		}
		p.incomplete = int64(len(all)) != spec.ResourceSliceCount
	}
	if p.incomplete && !a.oldest {
		return p
	}
	if a.ownFirst {
		slices.SortFunc(reached, func(x, y *Slice) int { return cmp.Compare(x.Name, y.Name) })
	}
	a.fill(p, reached, all)
	return p
}

// fill has the pool hold the slices with devices, and their counters. It is invalid if devices or sets of counters have the same
// name, or counters are consumed that do not exist.
func (a *Allocator) fill(p *pool, reached, all []*Slice) {
	if !a.PartitionableDevices {
		p.slices, p.invalid = reached, sameNames(reached)
		return
	}
	var sets []*Slice
	p.slices, sets = split(reached)
	if len(reached) < len(all) {
		p.elsewhere = without(all, reached)
	}
	consumers := reached
	if a.countersAnywhere {
		var more []*Slice
		p.elsewhere, more = split(p.elsewhere)
		sets, consumers = append(sets, more...), p.slices
	}
	var err error
	p.counters, err = newCounterSets(sets)
	p.invalid = sameNames(p.slices) || err != nil || p.counters.lacks(consumers) || p.counters.lacks(p.elsewhere)
	if p.invalid {
		p.slices, p.elsewhere = nil, nil
	}
}

// split parts slices with devices from those with sets of counters.
func split(all []*Slice) (devices, sets []*Slice) {
	for _, s := range all {
		if len(s.Spec.SharedCounters) > 0 {
			sets = append(sets, s)
		} else {
			devices = append(devices, s)
		}
	}
	return devices, sets
}

func without(all, some []*Slice) []*Slice {
	var left []*Slice
	for _, s := range all {
		if !slices.ContainsFunc(some, func(other *Slice) bool { return other.Name == s.Name }) {
			left = append(left, s)
		}
	}
	return left
}

func sameNames(all []*Slice) bool {
	n := 0
	for _, s := range all {
		n += len(s.devices)
	}
	seen := make(map[DeviceID]struct{}, n)
	for _, s := range all {
		for i := range s.devices {
			seen[s.devices[i].id] = struct{}{}
		}
	}
	return len(seen) < n
}

// errSameSet is the error of two sets of counters with one name.
var errSameSet = errors.New("two sets of counters have the same name")

// counterSets are counters by the name of their set.
type counterSets map[string]map[string]resourcev1.Counter

func newCounterSets(all []*Slice) (counterSets, error) {
	sets := counterSets{}
	for _, s := range all {
		for i := range s.Spec.SharedCounters {
			set := &s.Spec.SharedCounters[i]
			if _, twice := sets[set.Name]; twice {
				return nil, errSameSet
			}
			sets[set.Name] = set.Counters
		}
	}
	return sets, nil
}

// lacks reports whether devices consume counters that are not in the sets.
func (sets counterSets) lacks(all []*Slice) bool {
	for _, s := range all {
		for i := range s.Spec.Devices {
			for _, consumed := range s.Spec.Devices[i].ConsumesCounters {
				set, known := sets[consumed.CounterSet]
				if !known {
					return true
				}
				for name := range consumed.Counters {
					if _, known := set[name]; !known {
						return true
					}
				}
			}
		}
	}
	return false
}
