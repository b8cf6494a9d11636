package store

import (
	"errors"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Apply takes in one event and says what it means for what is held: nothing (it is repeated, late, or of a kind that is
// not kept), one change, or two where another object has taken a name over. The changes are valid until the next call.
// An error says that the object was refused, and that the store is as it was.
func (s *Store) Apply(c world.Changed) ([]Delta, error) {
	if missing(c.Object) {
		return nil, errors.New("an event came without an object")
	}
	sh := s.shelfFor(c.Object)
	if sh == nil {
		return nil, nil
	}
	check := sh.check
	if c.Op == world.Deleted {
		check = sh.checkIdentity // whatever else is wrong with it, it is gone
	}
	if err := check(c.Object); err != nil {
		return nil, err
	}
	deltas := s.applied[:0]
	held := sh.objects.get(c.Object.GetNamespace(), c.Object.GetName())
	switch {
	case c.Op == world.Deleted:
		return sh.applyDeleted(deltas, held, c.Object), nil
	case ended(c.Object):
		return sh.applyEnded(deltas, held, c.Object), nil
	}
	return sh.applyPresent(deltas, held, c.Object), nil
}

// applyPresent takes in a state of an object that was there when the state was seen.
func (sh *shelf) applyPresent(deltas []Delta, held, object world.Object) []Delta {
	if held == nil {
		if sh.graves.cover(object.GetNamespace(), object.GetName(), object.GetResourceVersion()) {
			return deltas
		}
		return append(deltas, sh.add(object))
	}
	switch ageOf(object, held) {
	case older:
		return deltas
	case same:
		if held.GetUID() == object.GetUID() {
			return deltas
		}
	}
	return sh.replace(deltas, held, object)
}

// applyDeleted takes in that an object is gone. A UID is deleted once and for all, so that its age does not matter; a
// namesake with another UID was deleted too if the deletion is later than it.
func (sh *shelf) applyDeleted(deltas []Delta, held, object world.Object) []Delta {
	switch {
	case held == nil:
		sh.graves.bury(object.GetNamespace(), object.GetName(), object.GetResourceVersion())
	case held.GetUID() == object.GetUID(), ageOf(object, held) == newer:
		return append(deltas, sh.remove(held, object))
	}
	return deltas
}

// applyEnded takes in a pod that has run to its end, which to a scheduler is as good as deleted. It may be an earlier
// state than the one that is held.
func (sh *shelf) applyEnded(deltas []Delta, held, object world.Object) []Delta {
	if held == nil {
		sh.graves.bury(object.GetNamespace(), object.GetName(), object.GetResourceVersion())
		return deltas
	}
	switch ageOf(object, held) {
	case newer, unknown:
		return append(deltas, sh.remove(held, object))
	}
	return deltas
}

// replace puts object where held was: as a later state of it, or as another object that has taken its name.
func (sh *shelf) replace(deltas []Delta, held, object world.Object) []Delta {
	if held.GetUID() == object.GetUID() {
		return append(deltas, sh.modify(held, object))
	}
	deltas = append(deltas, sh.remove(held, held))
	return append(deltas, sh.add(object))
}

// ended tells whether an object is a pod that has run to its end.
func ended(object world.Object) bool {
	pod, ok := object.(*v1.Pod)
	return ok && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
}
