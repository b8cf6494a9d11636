// Package hint reads the two objects that a queueing hint function receives, and words its answer.
//
// An event that adds an object has no old one, an event that deletes it has no new one, and an update has both. A hint
// function that cannot read its objects returns [fwk.Queue] with the error: an extra attempt costs little, a pod that is
// never requeued costs much.
package hint

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Of makes a hint function of one that says whether an event helps. The previous object of an addition is nil, and so is the current
// one of a deletion.
func Of[T any](helps func(pod *v1.Pod, previous, current T) bool) fwk.QueueingHintFn {
	return func(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
		previous, current, err := Objects[T](before, after)
		if err != nil {
			return fwk.Queue, err
		}
		return QueueIf(helps(pod, previous, current)), nil
	}
}

// QueueIf is Queue if an event may make a pod schedulable, and QueueSkip if it cannot.
func QueueIf(helps bool) fwk.QueueingHint {
	if helps {
		return fwk.Queue
	}
	return fwk.QueueSkip
}

// Objects returns the old and the new object of an event; either may be nil. It unwraps the last known state that an
// informer delivers for a deletion it missed.
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
