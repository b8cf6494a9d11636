package store

import (
	"cmp"

	"orrery/core/world"
)

// kindStore holds the objects of one kind, the tombstones of deleted ones, and the kind's informer.
type kindStore struct {
	kind       world.Kind
	objects    sortedObjects
	tombstones tombstones
	informer   *informer  // nil until a plugin requests it
	changes    *changeLog // nil until a plugin reads it
}

func newKindStore(kind world.Kind) *kindStore {
	return &kindStore{kind: kind, objects: newSortedObjects()}
}

func (sh *kindStore) fork() *kindStore {
	return &kindStore{kind: sh.kind, objects: sh.objects.fork(), tombstones: sh.tombstones.fork()}
}

// add, modify and remove change the objects and notify the handlers; they return the delta.

func (sh *kindStore) add(object world.Object) Delta {
	sh.objects.put(object.GetNamespace(), object.GetName(), object)
	return sh.notify(Delta{Kind: sh.kind, Op: world.Added, New: object})
}

func (sh *kindStore) modify(held, object world.Object) Delta {
	sh.objects.put(object.GetNamespace(), object.GetName(), object)
	return sh.notify(Delta{Kind: sh.kind, Op: world.Modified, Old: held, New: object})
}

// remove removes held. last is the latest known state, whose version the tombstone gets.
func (sh *kindStore) remove(held, last world.Object) Delta {
	namespace, name := held.GetNamespace(), held.GetName()
	sh.objects.remove(namespace, name)
	sh.tombstones.add(namespace, name, laterVersion(held, last))
	return sh.notify(Delta{Kind: sh.kind, Op: world.Deleted, Old: held})
}

func (sh *kindStore) notify(d Delta) Delta {
	if sh.changes != nil {
		sh.changes.add(cmp.Or(d.New, d.Old))
	}
	if sh.informer != nil {
		sh.informer.notify(d)
	}
	return d
}

type objectName struct{ namespace, name string }

func nameOf(o world.Object) objectName { return objectName{o.GetNamespace(), o.GetName()} }
