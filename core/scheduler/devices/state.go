package devices

import (
	"maps"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Gates are the feature gates that change what is taken, and what slices and classes say.
type Gates struct {
	ConsumableCapacity, DeviceTaintRules, ExtendedResources bool
	// RulesNeedSelector says that a DeviceTaintRule without a selector taints no device; otherwise it taints all.
	RulesNeedSelector bool
	// AllocatedParts says that devices of which allocated claims have parts are shared, whatever these consume; otherwise those of claims in
	// flight are.
	AllocatedParts bool
}

// State is the state of all devices. It is not safe for concurrent use.
type State struct {
	store      store.View
	gates      Gates
	inFlight   map[types.UID]*resourcev1.ResourceClaim
	abandoned  map[types.UID]string        // of those in flight, see Abandon
	freed      []*resourcev1.ResourceClaim // see TakeFreed
	assumed    map[types.NamespacedName]assumption
	taken      taken
	slices     sliceList
	extended   extendedClaims
	index      *poolIndex // nil until it is asked for
	classes    map[v1.ResourceName]*resourcev1.DeviceClass
	generation uint64
	guard      *sync.RWMutex // of assumed, while it changes; nil unless other goroutines read it, see Shared
}

// New returns the state of a store without devices.
func New(s store.View, gates Gates) *State {
	return &State{
		store: s, gates: gates,
		inFlight: map[types.UID]*resourcev1.ResourceClaim{}, abandoned: map[types.UID]string{}, assumed: map[types.NamespacedName]assumption{},
		extended: extendedClaims{}, taken: newTaken(gates.ConsumableCapacity), slices: newSlices(), classes: map[v1.ResourceName]*resourcev1.DeviceClass{},
	}
}

// Fork returns an independent copy, for a fork of the store.
func (s *State) Fork(with store.View) *State {
	return &State{
		store: with, gates: s.gates, inFlight: maps.Clone(s.inFlight), abandoned: maps.Clone(s.abandoned), assumed: maps.Clone(s.assumed),
		extended: maps.Clone(s.extended), taken: s.taken.fork(), slices: s.slices.fork(), classes: maps.Clone(s.classes), generation: s.generation,
	}
}

// Generation changes with everything that decides which devices a claim gets.
func (s *State) Generation() uint64 { return s.generation }

// Changed takes in a change of the store. A change of a rule may change the taints of slices, which it returns.
func (s *State) Changed(d store.Delta) (retainted []SliceChange) {
	switch d.Kind {
	case world.ResourceClaim:
		was, _ := d.Old.(*resourcev1.ResourceClaim)
		is, _ := d.New.(*resourcev1.ResourceClaim)
		s.claimChanged(was, is)
		s.extended.replace(was, is)
	case world.ResourceSlice:
		s.sliceChanged(d)
	case world.DeviceTaintRule:
		if !s.gates.DeviceTaintRules {
			return nil
		}
		retainted = s.slices.rulesChanged(s.store, s.gates.RulesNeedSelector)
		s.replaceSlices(retainted)
	case world.DeviceClass:
		if s.gates.ExtendedResources {
			s.classes = classesByResource(s.store)
		}
	case world.Node:
		if d.New == nil && s.index != nil {
			s.index.forgetNode(d.Old.GetName())
		}
		return nil
	default:
		return nil
	}
	s.generation++
	return retainted
}
