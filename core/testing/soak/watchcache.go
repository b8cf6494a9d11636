package soak

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// watchCache is what the cluster has delivered so far. A scheduler that starts or reconnects lists from it, and so gets lists that are
// older than the cluster but never older than what it received, as from an API server's watch cache. One that is behind has lists from
// up to a minute ago.
type watchCache struct {
	// base is what was delivered before the log.
	base map[world.Kind]map[types.NamespacedName]world.Object
	log  []delivery
}

// delivery is an event of a kind, and when it came.
type delivery struct {
	at    time.Time
	kind  world.Kind
	event world.Event
}

// farthestBehind is how old a list may be.
const farthestBehind = time.Minute

func newWatchCache() *watchCache {
	return &watchCache{base: map[world.Kind]map[types.NamespacedName]world.Object{}}
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// Apply implements drive.Controller.
func (w *watchCache) Apply(in world.Input) {
	if kind, ok := kindOf(in.Event); ok {
		w.log = append(w.log, delivery{in.At, kind, in.Event})
	}
	old := 0
	for ; old < len(w.log) && in.At.Sub(w.log[old].at) > farthestBehind; old++ {
		one := w.log[old]
		w.base[one.kind] = one.changes(w.base[one.kind])
	}
	w.log = slices.Delete(w.log, 0, old)
}

// kindOf returns the kind that an event of a watch is of.
func kindOf(event world.Event) (world.Kind, bool) {
	switch e := event.(type) {
	case world.Listed:
		return e.Kind, true
	case world.Changed:
		return memory.KindOf(e.Object), true
	}
	return "", false
}

// changes applies the event to the objects of its kind.
func (t delivery) changes(objects map[types.NamespacedName]world.Object) map[types.NamespacedName]world.Object {
	switch e := t.event.(type) {
	case world.Listed:
		objects = make(map[types.NamespacedName]world.Object, len(e.Objects))
		for _, o := range e.Objects {
			objects[nameOf(o)] = o
		}
	case world.Changed:
		if e.Op == world.Deleted {
			delete(objects, nameOf(e.Object))
		} else {
			objects[nameOf(e.Object)] = e.Object
		}
	}
	return objects
}

// Effects implements drive.Controller.
func (*watchCache) Effects() []world.Effect { return nil }

// NextWake implements drive.Controller.
func (*watchCache) NextWake() (time.Time, bool) { return time.Time{}, false }

// lists returns a list of every kind, each as it was at a time, and the events that have come since. The kinds come from that of a number
// on and around. Before the first list of pods there is none: the kinds come in one order, in which pods are not the first.
func (w *watchCache) lists(from int, asOf func(world.Kind) time.Time) (lists []world.Listed, since []world.Event) {
	kinds, times := world.Kinds(), map[world.Kind]time.Time{}
	for i := range kinds {
		kind := kinds[(from+i)%len(kinds)]
		times[kind] = asOf(kind)
		if list, ok := w.list(kind, times[kind]); ok {
			lists = append(lists, list)
		}
	}
	if !slices.ContainsFunc(lists, func(l world.Listed) bool { return l.Kind == world.Pod }) {
		return nil, nil
	}
	for _, one := range w.log {
		if one.at.After(times[one.kind]) {
			since = append(since, one.event)
		}
	}
	return lists, since
}

func (w *watchCache) list(kind world.Kind, asOf time.Time) (world.Listed, bool) {
	objects := maps.Clone(w.base[kind])
	for _, one := range w.log {
		if one.kind == kind && !one.at.After(asOf) {
			objects = one.changes(objects)
		}
	}
	if objects == nil {
		return world.Listed{}, false
	}
	list := world.Listed{Kind: kind, Objects: slices.Collect(maps.Values(objects))}
	slices.SortFunc(list.Objects, func(a, b world.Object) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list, true
}
