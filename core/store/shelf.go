package store

import "orrery/core/world"

// shelf holds the objects of one kind, what is remembered of those that are gone, and who listens.
type shelf struct {
	entry    *kindEntry
	objects  ordered
	graves   graves
	informer *informer // nil until somebody asks for it
}

func newShelf(entry *kindEntry) *shelf { return &shelf{entry: entry, objects: newOrdered()} }

func (sh *shelf) fork() *shelf {
	return &shelf{entry: sh.entry, objects: sh.objects.fork(), graves: sh.graves.fork()}
}

// add, modify and remove change what is held and tell those who listen; the delta says the same to the caller.

func (sh *shelf) add(object world.Object) Delta {
	sh.objects.put(object.GetNamespace(), object.GetName(), object)
	return sh.tell(Delta{Kind: sh.entry.kind, Op: world.Added, New: object})
}

func (sh *shelf) modify(held, object world.Object) Delta {
	sh.objects.put(object.GetNamespace(), object.GetName(), object)
	return sh.tell(Delta{Kind: sh.entry.kind, Op: world.Modified, Old: held, New: object})
}

// remove takes held out. last is the latest that was heard of it, which dates the grave.
func (sh *shelf) remove(held, last world.Object) Delta {
	namespace, name := held.GetNamespace(), held.GetName()
	sh.objects.remove(namespace, name)
	sh.graves.bury(namespace, name, later(held, last))
	return sh.tell(Delta{Kind: sh.entry.kind, Op: world.Deleted, Old: held})
}

func (sh *shelf) tell(d Delta) Delta {
	if sh.informer != nil {
		sh.informer.notify(d)
	}
	return d
}

type objectName struct{ namespace, name string }

func nameOf(o world.Object) objectName { return objectName{o.GetNamespace(), o.GetName()} }
