package volumes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Check compares the state with one that is made anew from the store, and looks for assumptions about versions that the store
// no longer has. It visits every volume, so it is for tests and debugging.
func (s *State) Check() error {
	again := newIndex()
	for object := range s.store.Objects(world.PersistentVolume) {
		if pv, ok := object.(*v1.PersistentVolume); ok && !s.given(pv) {
			again.add(pv)
		}
	}
	return errors.Join(
		s.volumes.check(), s.claims.check(),
		checkLists("volumes of class", s.index.unclaimed, again.unclaimed, func(a, b *Candidate) bool { return a.Volume == b.Volume }),
		checkLists("volumes that name claim", s.index.named, again.named, func(a, b *v1.PersistentVolume) bool { return a == b }),
	)
}

func (a *assumptions[T]) check() error {
	var errs []error
	for name, one := range a.by {
		if one.from != a.held(name) {
			errs = append(errs, fmt.Errorf("something is assumed of %s %q in a version that the store does not have", a.resource, keyOf(name)))
		}
	}
	return inOrder(errs)
}

// checkLists compares lists of the index with those that are made anew.
func checkLists[K comparable, T any](what string, held, again map[K]list[T], equal func(a, b T) bool) error {
	same := func(a, b list[T]) bool { return slices.EqualFunc(a.items, b.items, equal) }
	if maps.EqualFunc(held, again, same) {
		return nil
	}
	var errs []error
	for key := range again {
		if !same(held[key], again[key]) {
			errs = append(errs, fmt.Errorf("%s %v: %d are listed, not the %d of the store", what, key, len(held[key].items), len(again[key].items)))
		}
	}
	for key := range held {
		if _, ok := again[key]; !ok {
			errs = append(errs, fmt.Errorf("%s %v: %d are listed, and the store has none", what, key, len(held[key].items)))
		}
	}
	return inOrder(errs)
}

// inOrder joins errors of a map's entries by their texts.
func inOrder(errs []error) error {
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
