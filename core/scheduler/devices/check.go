package devices

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/world"
)

// Check compares the state with one that is made anew from the store, and looks for assumptions about versions that the store
// no longer has. It visits every claim and slice, so it is for tests and debugging.
func (s *State) Check() error {
	var errs []error
	for name, one := range s.assumed {
		if one.stored != s.StoredClaim(name.Namespace, name.Name) {
			errs = append(errs, fmt.Errorf("something is assumed of resource claim %s in a version that the store does not have", name))
		}
	}
	for uid := range s.abandoned {
		if s.inFlight[uid] == nil {
			errs = append(errs, fmt.Errorf("claim %s is abandoned, and not in flight", uid))
		}
	}
	extended := extendedClaims{}
	again := newTaken(s.gates.ConsumableCapacity)
	for _, claim := range s.Claims() {
		again.replace(nil, claim)
		extended.replace(nil, claim)
	}
	if !maps.EqualFunc(s.extended, extended, slices.Equal) {
		errs = append(errs, errors.New("the claims for extended resources are not those of the store"))
	}
	for _, uid := range s.inFlightInOrder() {
		again.replace(nil, s.inFlight[uid])
	}
	switch {
	case !maps.Equal(s.taken.by.Devices, again.by.Devices) || !maps.Equal(s.taken.more, again.more):
		errs = append(errs, fmt.Errorf("%d devices are taken, not the %d of the claims", len(s.taken.by.Devices), len(again.by.Devices)))
	case !maps.Equal(s.taken.parts, again.parts) || !maps.Equal(s.taken.by.Shared, again.by.Shared):
		errs = append(errs, fmt.Errorf("parts of %d devices are taken, not of the %d of the claims", len(s.taken.parts), len(again.parts)))
	case !equality.Semantic.DeepEqual(s.taken.by.Capacity, again.by.Capacity):
		errs = append(errs, errors.New("the shared capacity that is taken is not that of the claims"))
	}
	anew := newSlices()
	if s.gates.DeviceTaintRules {
		anew.rulesChanged(s.store, s.gates.RulesNeedSelector)
	}
	if !maps.EqualFunc(s.slices.tainted, anew.tainted, func(a, b *resourcev1.ResourceSlice) bool { return equality.Semantic.DeepEqual(a, b) }) {
		errs = append(errs, fmt.Errorf("rules taint %d slices, not the %d of the store", len(s.slices.tainted), len(anew.tainted)))
	}
	if len(s.Slices()) != s.store.Len(world.ResourceSlice) {
		errs = append(errs, fmt.Errorf("%d slices are listed, and the store has %d", len(s.Slices()), s.store.Len(world.ResourceSlice)))
	}
	if s.index != nil && !s.index.same(newPoolIndex(s.Slices())) {
		errs = append(errs, errors.New("the index of pools is not that of the slices"))
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// same reports whether two indexes have the same slices in the same pools, at the same nodes. Their numbers of changes differ.
func (x *poolIndex) same(other *poolIndex) bool {
	samePool := func(a, b *pool) bool {
		return a.id == b.id && reflect.DeepEqual(a.poolFacts, b.poolFacts) && slices.Equal(a.slices, b.slices)
	}
	sameNodes := func(a, b *poolIndex) bool {
		for name, own := range a.byNode {
			if also := b.byNode[name]; len(own.pools) > 0 && (also == nil || !slices.EqualFunc(own.pools, also.pools, samePool)) {
				return false
			}
		}
		return true
	}
	return maps.EqualFunc(x.byID, other.byID, samePool) && sameNodes(x, other) && sameNodes(other, x) &&
		maps.EqualFunc(x.wide.pools, other.wide.pools, samePool) && maps.Equal(x.entangled, other.entangled)
}
