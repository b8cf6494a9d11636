package nodevolumelimits

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// readObject identifies an object that a usage was read from, whether it existed or not, by a hash of its kind and name: there
// are hundreds of thousands of them. Of two objects with the same hash, a change of one has the usages of both measured anew.
type readObject uint64

// readKind is a kind by its place in changingKinds.
type readKind uint8

const (
	aClaim readKind = iota
	aVolume
	aCSINode
	aClass
	anAttachment
)

// changingKinds are the kinds whose changes matter. Readers are remembered for the first three: a class changes so rarely
// that all usages may be measured anew, and an attachment names its node.
var changingKinds = [...]world.Kind{
	aClaim: world.PersistentVolumeClaim, aVolume: world.PersistentVolume, aCSINode: world.CSINode,
	aClass: world.StorageClass, anAttachment: world.VolumeAttachment,
}

// readObjectOf hashes with FNV-1a.
func readObjectOf(kind readKind, name types.NamespacedName) readObject {
	const start, prime = 14695981039346656037, 1099511628211
	hash := (uint64(start) ^ uint64(kind)) * prime
	for _, text := range [...]string{name.Namespace, "/", name.Name} {
		for i := range len(text) {
			hash = (hash ^ uint64(text[i])) * prime
		}
	}
	return readObject(hash)
}

// readObjects are the objects of one usage, in the order in which they were read; some repeatedly.
type readObjects []readObject

func (r *readObjects) add(kind readKind, namespace, name string) {
	if r != nil {
		*r = append(*r, readObjectOf(kind, types.NamespacedName{Namespace: namespace, Name: name}))
	}
}

// readers are the entries whose usages were read from an object, once for each time that it was read. Most objects have one.
type readers struct {
	first  map[readObject]*entry
	others map[readObject][]*entry
}

func newReaders() *readers {
	return &readers{first: map[readObject]*entry{}, others: map[readObject][]*entry{}}
}

// replace makes an entry the reader of other objects than before. Pods of a node keep their order, so that most objects are in
// the same place of both lists.
func (r *readers) replace(e *entry, before, now readObjects) {
	for i := range max(len(before), len(now)) {
		if i < len(before) && i < len(now) && before[i] == now[i] {
			continue
		}
		if i < len(before) {
			r.remove(e, before[i])
		}
		if i < len(now) {
			r.add(e, now[i])
		}
	}
}

func (r *readers) add(e *entry, object readObject) {
	if r.first[object] == nil {
		r.first[object] = e
		return
	}
	r.others[object] = append(r.others[object], e)
}

func (r *readers) remove(e *entry, object readObject) {
	others := r.others[object]
	last := len(others) - 1
	switch {
	case last < 0:
		delete(r.first, object)
		return
	case r.first[object] == e:
		r.first[object] = others[last]
	default:
		others[slices.Index(others, e)] = others[last]
	}
	others[last] = nil
	if r.others[object] = others[:last]; last == 0 {
		delete(r.others, object)
	}
}

// of calls do with each reader of an object.
func (r *readers) of(object readObject, do func(*entry)) {
	if e := r.first[object]; e != nil {
		do(e)
	}
	for _, e := range r.others[object] {
		do(e)
	}
}
