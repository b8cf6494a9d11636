package devices

import (
	"cmp"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// CodeState codes what is in flight and what is assumed, after the store was coded. The rest is made of that and of the store.
func (s *State) CodeState(c *codec.Coder) {
	codec.Map(c, &s.inFlight, func(uid *types.UID, claim **resourcev1.ResourceClaim) {
		codec.Text(c, uid)
		codec.Object(c, claim)
	})
	codec.Map(c, &s.abandoned, func(uid *types.UID, version *string) {
		codec.Text(c, uid)
		codec.Text(c, version)
	})
	codec.MapBy(c, &s.assumed, compareNames, func(name *types.NamespacedName, one *assumption) {
		c.Name(name)
		codec.Object(c, &one.stored)
		codec.Object(c, &one.state)
		codec.Text(c, &one.written)
		if c.OK() {
			c.Check(one.stored == s.StoredClaim(name.Namespace, name.Name) && nameOf(one.state) == *name && one.state.UID == one.stored.UID,
				"what is assumed of resource claim %q is of another version", name)
		}
	})
	if c.Reading() && c.OK() {
		s.derive()
	}
}

// derive makes what follows from claims, slices, rules and classes.
func (s *State) derive() {
	for _, claim := range s.Claims() {
		s.replaceTaken(nil, claim)
	}
	for _, uid := range s.inFlightInOrder() {
		s.replaceTaken(nil, s.inFlight[uid])
	}
	for object := range s.store.Objects(world.ResourceClaim) {
		claim, _ := object.(*resourcev1.ResourceClaim)
		s.extended.replace(nil, claim)
	}
	if s.gates.DeviceTaintRules {
		s.slices.rulesChanged(s.store, s.gates.RulesNeedSelector)
	}
	if s.gates.ExtendedResources {
		s.classes = classesByResource(s.store)
	}
	s.generation++
}

func compareNames(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
