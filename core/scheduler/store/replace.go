package store

import (
	"fmt"

	"orrery/core/world"
)

// Replace takes in a full list of one kind, which is authoritative even if it is older than the store. It returns the
// changes: first deletions by name, then additions and updates in the list's order.
//
// A rejected object is isolated: its error is returned, the held object of its name stays, and the rest of the list is
// taken in. An object that is used without a field has an error, too.
func (s *Store) Replace(l world.Listed) ([]Delta, []error) {
	sh := s.kindStore(l.Kind)
	if sh == nil {
		return nil, nil
	}
	var errs []error
	taken := make([]world.Object, 0, len(l.Objects))
	listed := make(map[objectName]struct{}, len(l.Objects))
	for _, object := range l.Objects {
		holds, err := sh.checkListed(object)
		if err != nil {
			errs = append(errs, err)
		}
		if isNil(object) || holds && world.IsTerminated(object) {
			continue
		}
		listed[nameOf(object)] = struct{}{}
		if holds {
			taken = append(taken, object)
		}
	}
	deltas := sh.removeUnlisted(listed)
	for _, object := range taken {
		deltas = sh.applyListed(deltas, object)
	}
	sh.tombstones = tombstones{} // what the watch tells of after the list has happened after it
	return deltas, errs
}

func (sh *kindStore) checkListed(object world.Object) (holds bool, err error) {
	if isNil(object) {
		return false, fmt.Errorf("a list of %s came with an object missing", sh.kind)
	}
	if kind := world.KindOf(object); kind != sh.kind {
		return false, fmt.Errorf("a list of %s came with an object of type %T", sh.kind, object)
	}
	return check(sh.kind, object, sh.objects.get(object.GetNamespace(), object.GetName()))
}

func (sh *kindStore) removeUnlisted(listed map[objectName]struct{}) []Delta {
	var gone []world.Object
	sh.objects.all(func(held world.Object) bool {
		if _, stays := listed[nameOf(held)]; !stays {
			gone = append(gone, held)
		}
		return true
	})
	var deltas []Delta
	for _, held := range gone {
		deltas = append(deltas, sh.remove(held, held))
	}
	return deltas
}

func (sh *kindStore) applyListed(deltas []Delta, object world.Object) []Delta {
	held := sh.objects.get(object.GetNamespace(), object.GetName())
	switch {
	case held == nil:
		return append(deltas, sh.add(object))
	case compareAge(object, held) == same && held.GetUID() == object.GetUID():
		return deltas
	}
	return sh.replace(deltas, held, object)
}
