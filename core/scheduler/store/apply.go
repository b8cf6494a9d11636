package store

import (
	"errors"

	"orrery/core/world"
)

// Apply takes in one event and returns its changes: none (it is repeated, late, or of a kind that is not kept), one, or two
// if another object has taken over a name. They are valid until the next call. An error without changes means that the object
// was rejected and the store is unchanged; one with changes names a field that the object is used without.
func (s *Store) Apply(c world.Changed) ([]Delta, error) {
	if isNil(c.Object) {
		return nil, errors.New("an event came without an object")
	}
	sh := s.kindStore(world.KindOf(c.Object))
	if sh == nil {
		return nil, nil
	}
	namespace, name := c.Object.GetNamespace(), c.Object.GetName()
	held := sh.objects.get(namespace, name)
	deltas := s.deltas[:0]
	if c.Op == world.Deleted {
		if err := validateIdentity(sh.kind, c.Object); err != nil { // no other field of a deleted object matters
			return nil, err
		}
		return sh.applyDeleted(deltas, held, c.Object), nil
	}
	holds, err := check(sh.kind, c.Object, held)
	switch {
	case !holds:
		return nil, err
	case world.IsTerminated(c.Object):
		return sh.applyTerminated(deltas, held, c.Object), nil
	}
	if deltas = sh.applyPresent(deltas, held, c.Object); len(deltas) == 0 {
		return deltas, nil // what it does without matters as little as the event
	}
	return deltas, err
}

// applyPresent takes in a state of an existing object.
func (sh *kindStore) applyPresent(deltas []Delta, held, object world.Object) []Delta {
	if held == nil {
		if sh.tombstones.covers(object.GetNamespace(), object.GetName(), object.GetResourceVersion()) {
			return deltas
		}
		return append(deltas, sh.add(object))
	}
	switch compareAge(object, held) {
	case older:
		return deltas
	case same:
		if held.GetUID() == object.GetUID() {
			return deltas
		}
	}
	return sh.replace(deltas, held, object)
}

// applyDeleted takes in a deletion. A UID is deleted only once, so its version does not matter; an object of the same name
// with another UID was deleted too if the deletion is newer.
func (sh *kindStore) applyDeleted(deltas []Delta, held, object world.Object) []Delta {
	switch {
	case held == nil:
		sh.tombstones.add(object.GetNamespace(), object.GetName(), object.GetResourceVersion())
	case held.GetUID() == object.GetUID(), compareAge(object, held) == newer:
		return append(deltas, sh.remove(held, object))
	}
	return deltas
}

// applyTerminated takes in a terminal pod, which the store treats as deleted. The state may be older than the held one.
func (sh *kindStore) applyTerminated(deltas []Delta, held, object world.Object) []Delta {
	if held == nil {
		sh.tombstones.add(object.GetNamespace(), object.GetName(), object.GetResourceVersion())
		return deltas
	}
	switch compareAge(object, held) {
	case newer, unknown:
		return append(deltas, sh.remove(held, object))
	}
	return deltas
}

// replace puts object in the place of held: a newer state of it, or another object of its name.
func (sh *kindStore) replace(deltas []Delta, held, object world.Object) []Delta {
	if held.GetUID() == object.GetUID() {
		return append(deltas, sh.modify(held, object))
	}
	deltas = append(deltas, sh.remove(held, held))
	return append(deltas, sh.add(object))
}
