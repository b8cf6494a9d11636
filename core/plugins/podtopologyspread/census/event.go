package census

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// EventObjects gives the objects of a cluster event, as queueing hints are told of them, their type. The one that the
// event does not have is nil.
func EventObjects[T any](oldObj, newObj any) (before, after T, err error) {
	var ok bool
	if newObj != nil {
		if after, ok = newObj.(T); !ok {
			return before, after, fmt.Errorf("expected %T, but got %T", after, newObj)
		}
	}
	if oldObj == nil {
		return before, after, nil
	}
	if last, unknown := oldObj.(cache.DeletedFinalStateUnknown); unknown {
		oldObj = last.Obj
	}
	if before, ok = oldObj.(T); !ok {
		return before, after, fmt.Errorf("expected %T, but got %T", before, oldObj)
	}
	return before, after, nil
}
