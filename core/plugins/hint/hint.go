// Package hint reads the two objects that a queueing hint is given.
//
// An event that adds an object has no old one, an event that deletes it has no new one, and an update has both. A hint
// that cannot read its objects answers [fwk.Queue] with the error: a pod tried once too often costs little, a pod
// forgotten costs much.
package hint

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// Objects are the old and the new object of an event; either may be nil. An informer that missed a deletion delivers
// the last state it knew in a wrapper, which is taken off.
func Objects[T any](before, after any) (T, T, error) {
	if lost, ok := before.(cache.DeletedFinalStateUnknown); ok {
		before = lost.Obj
	}
	previous, err := object[T](before)
	if err != nil {
		return previous, previous, fmt.Errorf("reading the old object of an event: %w", err)
	}
	current, err := object[T](after)
	if err != nil {
		return previous, current, fmt.Errorf("reading the new object of an event: %w", err)
	}
	return previous, current, nil
}

func object[T any](o any) (T, error) {
	var none T
	if o == nil {
		return none, nil
	}
	typed, ok := o.(T)
	if !ok {
		return none, fmt.Errorf("it is a %T where a %T was expected", o, none)
	}
	return typed, nil
}
