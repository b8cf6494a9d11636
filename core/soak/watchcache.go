package soak

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// watchCache is what the cluster has told of so far. A scheduler that starts or reconnects lists from it, and so gets lists that are
// older than the cluster but never older than what it was told, as from an API server's watch cache.
type watchCache struct {
	objects map[world.Kind]map[types.NamespacedName]world.Object
	listed  map[world.Kind]bool
}

func newWatchCache() *watchCache {
	return &watchCache{objects: map[world.Kind]map[types.NamespacedName]world.Object{}, listed: map[world.Kind]bool{}}
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// Apply implements drive.Controller.
func (w *watchCache) Apply(in world.Input) {
	switch e := in.Event.(type) {
	case world.Listed:
		all := make(map[types.NamespacedName]world.Object, len(e.Objects))
		for _, o := range e.Objects {
			all[nameOf(o)] = o
		}
		w.objects[e.Kind], w.listed[e.Kind] = all, true
	case world.Changed:
		kind := memory.KindOf(e.Object)
		if e.Op == world.Deleted {
			delete(w.objects[kind], nameOf(e.Object))
		} else {
			w.objects[kind][nameOf(e.Object)] = e.Object
		}
	}
}

// Effects implements drive.Controller.
func (*watchCache) Effects() []world.Effect { return nil }

// NextWake implements drive.Controller.
func (*watchCache) NextWake() (time.Time, bool) { return time.Time{}, false }

// lists returns a list of every kind, from the kind of a number on and around. Before the first list of pods there are none: the
// kinds come in one order, in which pods are not the first.
func (w *watchCache) lists(from int) (all []world.Listed) {
	if !w.listed[world.Pod] {
		return nil
	}
	kinds := world.Kinds()
	for i := range kinds {
		kind := kinds[(from+i)%len(kinds)]
		if !w.listed[kind] {
			continue
		}
		list := world.Listed{Kind: kind, Objects: make([]world.Object, 0, len(w.objects[kind]))}
		for _, o := range w.objects[kind] {
			list.Objects = append(list.Objects, o)
		}
		slices.SortFunc(list.Objects, func(a, b world.Object) int {
			return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
		})
		all = append(all, list)
	}
	return all
}
