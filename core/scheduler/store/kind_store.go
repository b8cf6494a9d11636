package store

import (
	"cmp"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/changelog"
	"orrery/core/world"
)

// kindStore holds the objects of one kind, the tombstones of deleted ones, and the kind's informer.
type kindStore struct {
	kind       world.Kind
	objects    sortedObjects
	tombstones tombstones
	informer   atomic.Pointer[informer] // nil until a plugin requests it
	guard      *guard                   // the store's
	// changes are the names of objects that changed; nil until a plugin reads them.
	changes *changelog.Log[types.NamespacedName]
}

func newKindStore(kind world.Kind, g *guard) *kindStore {
	return &kindStore{kind: kind, objects: newSortedObjects(), guard: g}
}

func (sh *kindStore) fork(g *guard) *kindStore {
	return &kindStore{kind: sh.kind, objects: sh.objects.fork(), tombstones: sh.tombstones.fork(), guard: g}
}

// add, modify and remove change the objects and notify the handlers; they return the delta.

func (sh *kindStore) add(object world.Object) Delta {
	return sh.put(Delta{Kind: sh.kind, Op: world.Added, New: object})
}

func (sh *kindStore) modify(held, object world.Object) Delta {
	return sh.put(Delta{Kind: sh.kind, Op: world.Modified, Old: held, New: object})
}

func (sh *kindStore) put(d Delta) Delta {
	sh.guard.change(func() {
		sh.objects.put(d.New.GetNamespace(), d.New.GetName(), d.New)
		sh.updateIndexes(d)
	})
	return sh.notify(d)
}

// remove removes held. last is the latest known state, whose version the tombstone gets.
func (sh *kindStore) remove(held, last world.Object) Delta {
	d := Delta{Kind: sh.kind, Op: world.Deleted, Old: held}
	namespace, name := held.GetNamespace(), held.GetName()
	sh.guard.change(func() {
		sh.objects.remove(namespace, name)
		sh.updateIndexes(d)
	})
	sh.tombstones.add(namespace, name, laterVersion(held, last))
	return sh.notify(d)
}

func (sh *kindStore) updateIndexes(d Delta) {
	if in := sh.informer.Load(); in != nil {
		in.updateIndexes(d)
	}
}

func (sh *kindStore) notify(d Delta) Delta {
	sh.logChange(cmp.Or(d.New, d.Old))
	if in := sh.informer.Load(); in != nil {
		in.notify(d)
	}
	return d
}

type objectName struct{ namespace, name string }

func nameOf(o world.Object) objectName { return objectName{o.GetNamespace(), o.GetName()} }
