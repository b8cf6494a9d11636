package store

import (
	"fmt"

	"orrery/core/world"
)

// Replace takes in a full list of one kind, which is the truth even where it is older than what is held. It says what
// the list changes: first what is gone, in the order of names, then what is new or different, in the order of the list.
//
// An object that is refused is isolated: its error is returned, what was held under its name stays, and the rest of the
// list is taken in.
func (s *Store) Replace(l world.Listed) ([]Delta, []error) {
	sh := s.shelfToFill(l.Kind)
	if sh == nil {
		return nil, nil
	}
	var errs []error
	taken := make([]world.Object, 0, len(l.Objects))
	listed := make(map[objectName]struct{}, len(l.Objects))
	for _, object := range l.Objects {
		if err := sh.checkListed(object); err != nil {
			if errs = append(errs, err); !missing(object) {
				listed[nameOf(object)] = struct{}{}
			}
		} else if !ended(object) {
			taken = append(taken, object)
			listed[nameOf(object)] = struct{}{}
		}
	}
	deltas := sh.removeUnlisted(listed)
	for _, object := range taken {
		deltas = sh.applyListed(deltas, object)
	}
	return deltas, errs
}

func (sh *shelf) checkListed(object world.Object) error {
	if missing(object) {
		return fmt.Errorf("a list of %s came with an object missing", sh.entry.kind)
	}
	if kind := world.KindOf(object); kind != sh.entry.kind {
		return fmt.Errorf("a list of %s came with an object of type %T", sh.entry.kind, object)
	}
	return sh.check(object)
}

func (sh *shelf) removeUnlisted(listed map[objectName]struct{}) []Delta {
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

func (sh *shelf) applyListed(deltas []Delta, object world.Object) []Delta {
	held := sh.objects.get(object.GetNamespace(), object.GetName())
	switch {
	case held == nil:
		return append(deltas, sh.add(object))
	case ageOf(object, held) == same && held.GetUID() == object.GetUID():
		return deltas
	}
	return sh.replace(deltas, held, object)
}
