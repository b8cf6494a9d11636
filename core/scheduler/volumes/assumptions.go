package volumes

import (
	"fmt"
	"maps"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// assumptions are assumed states of the objects of one kind.
type assumptions[T object] struct {
	resource string                       // the plural name of the kind, for errors
	held     func(types.NamespacedName) T // the store's object, or nil
	by       map[types.NamespacedName]assumption[T]
}

type object interface {
	world.Object
	comparable
}

// assumption is an assumed state. It holds as long as the store has the version that it was made from.
type assumption[T object] struct{ from, state T }

func newAssumptions[T object](resource string, held func(types.NamespacedName) T) assumptions[T] {
	return assumptions[T]{resource: resource, held: held, by: map[types.NamespacedName]assumption[T]{}}
}

// fork copies the assumptions, for another store.
func (a *assumptions[T]) fork(held func(types.NamespacedName) T) assumptions[T] {
	return assumptions[T]{resource: a.resource, held: held, by: maps.Clone(a.by)}
}

// get returns the assumed state of an object, else the store's.
func (a *assumptions[T]) get(name types.NamespacedName) T {
	held := a.held(name)
	if state, is := a.assumed(name, held); is {
		return state
	}
	return held
}

// assumed returns the assumed state of the object that the store holds under a name, and whether there is one.
func (a *assumptions[T]) assumed(name types.NamespacedName, held T) (state T, is bool) {
	one, ok := a.by[name]
	return one.state, ok && one.from == held
}

// assume makes state the state of its object, unless the store's version is another.
func (a *assumptions[T]) assume(state T) error {
	var none T
	name := nameOf(state)
	held := a.held(name)
	switch {
	case held == none:
		return apierrors.NewNotFound(v1.Resource(a.resource), keyOf(name))
	case held.GetResourceVersion() != state.GetResourceVersion():
		return fmt.Errorf("%q is out of sync (stored: %s, assume: %s)", keyOf(name), held.GetResourceVersion(), state.GetResourceVersion())
	}
	a.by[name] = assumption[T]{from: held, state: state}
	return nil
}

// restore ends an assumption, unless it was made from another version.
func (a *assumptions[T]) restore(state T) {
	name := nameOf(state)
	if one, ok := a.by[name]; ok && one.from.GetResourceVersion() == state.GetResourceVersion() {
		delete(a.by, name)
	}
}

// changed drops the assumption about an object whose version the store no longer has.
func (a *assumptions[T]) changed(name types.NamespacedName) {
	if one, ok := a.by[name]; ok && one.from != a.held(name) {
		delete(a.by, name)
	}
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// keyOf is an object's name in errors, as client-go writes it: without a namespace if it has none.
func keyOf(name types.NamespacedName) string { return strings.TrimPrefix(name.String(), "/") }
