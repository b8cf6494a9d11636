package store

import (
	"slices"
	"strings"

	"orrery/core/world"
)

// chunkSize bounds the objects of one chunk: few enough that making room in the middle is cheap, many enough that the
// directory of a hundred thousand objects stays in the processor's cache.
const chunkSize = 128

// sortedObjects holds objects in the order of (namespace, name): a directory of chunks, each a sorted run.
//
//	directory   ▢ ▢ ▢ ▢
//	            │ │ │ └────────────── …
//	chunk       │ │ └─ web/a … web/k
//	            │ └─── kube-system/m … monitoring/x
//	            └───── default/a … kube-system/l
//
// One order serves everything: a lookup is two binary searches, a namespace is one run, listing is the same on every
// machine. A copy shares the chunks; a write to a chunk that it does not own goes to a copy.
type sortedObjects struct {
	directory []*chunk
	count     int
	owner     *owner
}

type chunk struct {
	items []item
	owner *owner
}

type item struct {
	namespace, name string
	object          world.Object
}

// owner identifies the owner of a chunk by its address; it has a size because addresses of empty values may be equal.
type owner struct{ _ byte }

func newSortedObjects() sortedObjects { return sortedObjects{owner: new(owner)} }

// fork returns a copy that shares every chunk. Afterwards neither owns any of them.
func (o *sortedObjects) fork() sortedObjects {
	o.owner = new(owner)
	return sortedObjects{directory: slices.Clone(o.directory), count: o.count, owner: new(owner)}
}

func (o *sortedObjects) len() int { return o.count }

// get returns the object of that name, or nil.
func (o *sortedObjects) get(namespace, name string) world.Object {
	if c, i, found := o.find(namespace, name); found {
		return o.directory[c].items[i].object
	}
	return nil
}

// put adds the object or replaces the one of its name.
func (o *sortedObjects) put(namespace, name string, object world.Object) {
	c, i, found := o.find(namespace, name)
	if found {
		o.writableChunk(c).items[i].object = object
		return
	}
	o.count++
	entry := item{namespace, name, object}
	if len(o.directory) == 0 {
		o.directory = append(o.directory, o.newChunk(entry))
		return
	}
	if items := o.directory[c].items; len(items) == chunkSize {
		if c == len(o.directory)-1 && i == chunkSize {
			o.directory = append(o.directory, o.newChunk(entry)) // objects that come in order fill their chunks
			return
		}
		o.split(c)
		if i > chunkSize/2 {
			c, i = c+1, i-chunkSize/2
		}
	}
	mine := o.writableChunk(c)
	mine.items = slices.Insert(mine.items, i, entry)
}

// remove removes the object of that name, if there is one.
func (o *sortedObjects) remove(namespace, name string) {
	c, i, found := o.find(namespace, name)
	if !found {
		return
	}
	o.count--
	mine := o.writableChunk(c)
	mine.items = slices.Delete(mine.items, i, i+1)
	if len(mine.items) == 0 {
		o.directory = slices.Delete(o.directory, c, c+1)
		return
	}
	o.mergeWithNext(c)
	o.mergeWithNext(c - 1)
}

// mergeWithNext merges two small chunks, so that a directory does not fill with chunks of a few objects.
func (o *sortedObjects) mergeWithNext(c int) {
	if c < 0 || c+1 >= len(o.directory) || len(o.directory[c].items)+len(o.directory[c+1].items) > chunkSize/2 {
		return
	}
	mine := o.writableChunk(c)
	mine.items = append(mine.items, o.directory[c+1].items...)
	o.directory = slices.Delete(o.directory, c+1, c+2)
}

// all yields every object in order, and reports whether it reached the end.
func (o *sortedObjects) all(yield func(world.Object) bool) bool {
	for _, c := range o.directory {
		for i := range c.items {
			if !yield(c.items[i].object) {
				return false
			}
		}
	}
	return true
}

// from yields the objects from an index on. It costs a look at each chunk before it.
func (o *sortedObjects) from(first int, yield func(world.Object) bool) {
	for _, c := range o.directory {
		if first >= len(c.items) {
			first -= len(c.items)
			continue
		}
		for i := first; i < len(c.items); i++ {
			if !yield(c.items[i].object) {
				return
			}
		}
		first = 0
	}
}

// in yields the objects of one namespace in order.
func (o *sortedObjects) in(namespace string, yield func(world.Object) bool) {
	c, i, _ := o.find(namespace, "")
	for ; c < len(o.directory); c, i = c+1, 0 {
		for ; i < len(o.directory[c].items); i++ {
			entry := &o.directory[c].items[i]
			if entry.namespace != namespace || !yield(entry.object) {
				return
			}
		}
	}
}

// find returns the position of a name, or where it would be inserted: the chunk, and the index in it.
func (o *sortedObjects) find(namespace, name string) (c, i int, found bool) {
	after, _ := slices.BinarySearchFunc(o.directory, 0, func(ch *chunk, _ int) int {
		if ch.items[0].compare(namespace, name) > 0 {
			return 1
		}
		return -1
	})
	c = max(after-1, 0)
	if len(o.directory) == 0 {
		return 0, 0, false
	}
	items := o.directory[c].items
	lo, hi := 0, len(items)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if items[mid].compare(namespace, name) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return c, lo, lo < len(items) && items[lo].compare(namespace, name) == 0
}

// writableChunk is a chunk that may be written to.
func (o *sortedObjects) writableChunk(c int) *chunk {
	if o.directory[c].owner != o.owner {
		o.directory[c] = o.newChunk(o.directory[c].items...)
	}
	return o.directory[c]
}

// split makes two chunks of a full one.
func (o *sortedObjects) split(c int) {
	left := o.writableChunk(c)
	right := o.newChunk(left.items[chunkSize/2:]...)
	clear(left.items[chunkSize/2:])
	left.items = left.items[:chunkSize/2]
	o.directory = slices.Insert(o.directory, c+1, right)
}

func (o *sortedObjects) newChunk(items ...item) *chunk {
	return &chunk{items: append(make([]item, 0, max(len(items), 4)), items...), owner: o.owner}
}

func (e *item) compare(namespace, name string) int {
	if order := strings.Compare(e.namespace, namespace); order != 0 {
		return order
	}
	return strings.Compare(e.name, name)
}
