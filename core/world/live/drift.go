package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/store"
	"orrery/core/world"
)

// Drift is by how many objects of a kind a list differs from what is held.
type Drift struct {
	Kind world.Kind
	// Gone are held and not listed, New listed and not held, Changed held in another state.
	Gone, New, Changed int
}

// None tells whether there is no difference.
func (d Drift) None() bool { return d.Sum() == 0 }

// Sum counts the objects that differ.
func (d Drift) Sum() int { return d.Gone + d.New + d.Changed }

// driftOf compares a list with what a store holds.
func driftOf(s *store.Store, list world.Listed) Drift {
	d := Drift{Kind: list.Kind}
	both := 0
	for _, object := range list.Objects {
		held := s.Object(list.Kind, object.GetNamespace(), object.GetName())
		switch {
		case held == nil:
			if !over(object) {
				d.New++
			}
			continue
		case over(object):
			d.Gone++
		case held.GetUID() != object.GetUID() || held.GetResourceVersion() != object.GetResourceVersion():
			d.Changed++
		}
		both++
	}
	d.Gone += s.Len(list.Kind) - both
	return d
}

// over tells whether an object is a pod that has run to its end, which stores do not hold.
func over(o world.Object) bool {
	pod, ok := o.(*v1.Pod)
	return ok && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
}

// lookAgainAfter is how long a difference may last that is only a watch event on its way.
const lookAgainAfter = 2 * time.Second

// Compare reads pods and nodes from the API server and compares them with what the engine holds; and has the engine check
// itself. Differences that are gone when it looks again are events on their way and not reported.
func (d *Drive) Compare(ctx context.Context) ([]string, error) {
	first, err := d.differences(ctx)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	select {
	case <-time.After(lookAgainAfter):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	second, err := d.differences(ctx)
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

func (d *Drive) differences(ctx context.Context) (map[string]bool, error) {
	found := map[string]bool{}
	for _, kind := range []world.Kind{world.Node, world.Pod} {
		objects, err := d.World.List(ctx, kind)
		if err != nil {
			return nil, fmt.Errorf("comparing the cache with the API server: %w", err)
		}
		err = d.Look(ctx, func(e *engine.Engine) {
			compareWith(e.Store(), kind, objects, found)
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

// compareWith notes which objects of a kind are not the same here and there.
func compareWith(s *store.Store, kind world.Kind, objects []world.Object, found map[string]bool) {
	listed := make(map[string]bool, len(objects))
	for _, object := range objects {
		if over(object) {
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
