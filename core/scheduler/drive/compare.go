package drive

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// recheckAfter is how long a difference may last that only awaits a watch event.
const recheckAfter = 2 * time.Second

// Compare compares the pods and nodes of the API server with the engine's, and runs the engine's Check. Differences
// that are gone on the second comparison were watch events in transit and are not reported.
func (r *RealTime) Compare(ctx context.Context) ([]string, error) {
	first, err := r.differences(ctx)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	select {
	case <-time.After(recheckAfter):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	second, err := r.differences(ctx)
	if err != nil {
		return nil, err
	}
	var lasting []string
	for what := range second {
		if first[what] {
			lasting = append(lasting, what)
		}
	}
	slices.Sort(lasting)
	return lasting, nil
}

func (r *RealTime) differences(ctx context.Context) (map[string]bool, error) {
	found := map[string]bool{}
	for _, kind := range []world.Kind{world.Node, world.Pod} {
		objects, err := r.World.List(ctx, kind)
		if err != nil {
			return nil, fmt.Errorf("comparing the cache with the API server: %w", err)
		}
		err = r.Inspect(ctx, func(e *engine.Engine) {
			compareObjects(e.Store(), kind, objects, found)
			if err := e.Check(); err != nil && kind == world.Pod {
				found[err.Error()] = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// compareObjects records the objects of a kind that differ between the list and the store.
func compareObjects(s store.View, kind world.Kind, objects []world.Object, found map[string]bool) {
	listed := make(map[string]bool, len(objects))
	for _, object := range objects {
		if world.IsTerminated(object) {
			continue
		}
		name := fmt.Sprintf("%s %q", kind, object.GetNamespace()+"/"+object.GetName())
		listed[name] = true
		held := s.Object(kind, object.GetNamespace(), object.GetName())
		switch {
		case held == nil:
			found[name+" is missing in the cache"] = true
		case held.GetUID() != object.GetUID():
			found[name+" is another one in the cache"] = true
		case nodeOf(held) != nodeOf(object):
			found[fmt.Sprintf("%s is on node %q, and on %q in the cache", name, nodeOf(object), nodeOf(held))] = true
		}
	}
	for held := range s.Objects(kind) {
		if name := fmt.Sprintf("%s %q", kind, held.GetNamespace()+"/"+held.GetName()); !listed[name] {
			found[name+" is in the cache and nowhere else"] = true
		}
	}
}

func nodeOf(o world.Object) string {
	if pod, ok := o.(*v1.Pod); ok {
		return pod.Spec.NodeName
	}
	return ""
}
