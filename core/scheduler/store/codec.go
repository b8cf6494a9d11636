package store

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// CodeState codes the objects and the tombstones. Handlers are told of objects that are read.
func (s *Store) CodeState(c *codec.Coder) {
	kinds := slices.DeleteFunc(s.Kinds(), func(kind world.Kind) bool { return s.byKind[kind].isUntouched() })
	codec.Slice(c, &kinds, func(kind *world.Kind) {
		codec.Text(c, kind)
		sh := s.kindStore(*kind)
		if sh == nil || c.Reading() && !sh.isUntouched() {
			c.Fail(fmt.Errorf("there is no kind %q to have objects of, or it comes twice", printable.Line(string(*kind), 40)))
			return
		}
		sh.codeState(c)
	})
}

// isUntouched reports whether there is and was no object, as far as is remembered.
func (sh *kindStore) isUntouched() bool {
	return sh.objects.len() == 0 && len(sh.tombstones.young) == 0 && len(sh.tombstones.old) == 0
}

func (sh *kindStore) codeState(c *codec.Coder) {
	objects := make([]world.Object, 0, sh.objects.len())
	sh.objects.all(func(o world.Object) bool {
		objects = append(objects, o)
		return true
	})
	codec.Slice(c, &objects, func(o *world.Object) {
		if codec.Object(c, o); c.Reading() && c.OK() {
			sh.read(c, *o)
		}
	})
	for _, buried := range []*map[objectName]string{&sh.tombstones.young, &sh.tombstones.old} {
		codec.MapBy(c, buried, compareNames, func(name *objectName, version *string) {
			codec.Text(c, &name.namespace)
			codec.Text(c, &name.name)
			codec.Text(c, version)
		})
	}
}

// read takes in an object that was read.
func (sh *kindStore) read(c *codec.Coder, o world.Object) {
	if holds, err := sh.checkListed(o); !holds {
		c.Fail(err)
		return
	}
	c.Check(!world.IsTerminated(o) && sh.objects.get(o.GetNamespace(), o.GetName()) == nil,
		"%s %q comes twice, or has terminated", sh.kind, o.GetNamespace()+"/"+o.GetName())
	if c.OK() {
		sh.add(o)
	}
}

func compareNames(a, b objectName) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
}
