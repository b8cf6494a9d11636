package volumes

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// CodeState codes what is assumed, after the store was coded. The index is made of the store's volumes.
func (s *State) CodeState(c *codec.Coder) {
	s.volumes.codeState(c)
	s.claims.codeState(c)
	codec.Uint(c, &s.Errors.Predicate)
	codec.Uint(c, &s.Errors.Assume)
	codec.Uint(c, &s.Errors.Bind)
	if !c.Reading() {
		return
	}
	for object := range s.store.Objects(world.PersistentVolume) {
		if pv, ok := object.(*v1.PersistentVolume); ok && !s.given(pv) {
			s.index.add(pv)
		}
	}
}

func (a *assumptions[T]) codeState(c *codec.Coder) {
	codec.MapBy(c, &a.by, compareNames, func(name *types.NamespacedName, one *assumption[T]) {
		c.Name(name)
		codec.Object(c, &one.from)
		if codec.Object(c, &one.state); c.OK() {
			c.Check(one.from == a.held(*name) && nameOf(one.state) == *name, "what is assumed of %s %q is of another version", a.resource, keyOf(*name))
		}
	})
}

func compareNames(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
