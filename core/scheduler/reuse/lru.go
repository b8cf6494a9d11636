package reuse

import "iter"

// LRU keeps values by signature. When they are too many, or take too much together, the least recently used ones go.
type LRU[T any] struct {
	items, size int // limits
	onEvict     func(T)
	bySignature map[string]*Entry[T]
	taken       int    // by all entries
	uses        uint64 // of all entries
	evicted     uint64
}

// Entry is a value with what it takes, in the unit of its LRU.
type Entry[T any] struct {
	Value   T
	key     string
	size    int
	lastUse uint64 // the number of the use, of all entries
}

// NewLRU makes an LRU for at most items values, which should be few, since the oldest is found by looking at all. They may take size
// together; one that was just used may take more. Unless onEvict is nil, it gets each value that is evicted.
func NewLRU[T any](items, size int, onEvict func(T)) LRU[T] {
	return LRU[T]{items: items, size: size, onEvict: onEvict, bySignature: map[string]*Entry[T]{}}
}

// Get returns the entry of a signature, which counts as a use, or nil.
func (l *LRU[T]) Get(signature Signature) *Entry[T] {
	e := l.bySignature[string(signature)]
	if e != nil {
		l.uses++
		e.lastUse = l.uses
	}
	return e
}

// Add adds a value for a signature that has none. It takes nothing before Resize.
func (l *LRU[T]) Add(signature Signature, value T) *Entry[T] {
	for len(l.bySignature) >= l.items {
		l.evict(l.oldest())
	}
	l.uses++
	e := &Entry[T]{Value: value, key: string(signature), lastUse: l.uses}
	l.bySignature[e.key] = e
	return e
}

// Has reports whether an entry was not evicted yet.
func (l *LRU[T]) Has(e *Entry[T]) bool { return l.bySignature[e.key] == e }

// All goes through the values, in no order. It counts as no use.
func (l *LRU[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, e := range l.bySignature {
			if !yield(e.Value) {
				return
			}
		}
	}
}

// Taken returns what the values take together.
func (l *LRU[T]) Taken() int { return l.taken }

// Size returns what an entry takes.
func (e *Entry[T]) Size() int { return e.size }

// Resize sets what an entry takes, and makes room for it.
func (l *LRU[T]) Resize(e *Entry[T], size int) {
	l.taken += size - e.size
	e.size = size
	l.makeRoom(e)
}

// Limit changes what the values may take together.
func (l *LRU[T]) Limit(size int) {
	l.size = size
	l.makeRoom(nil)
}

// makeRoom evicts the oldest entries until the others fit, but none that is not older than the one in use.
func (l *LRU[T]) makeRoom(inUse *Entry[T]) {
	for l.taken > l.size {
		oldest := l.oldest()
		// The cycle holds the entry in use and resizes it again, so it stays even where it alone takes too much.
		if oldest == nil || oldest == inUse {
			return
		}
		l.evict(oldest)
	}
}

func (l *LRU[T]) oldest() (oldest *Entry[T]) {
	for _, e := range l.bySignature {
		if oldest == nil || e.lastUse < oldest.lastUse {
			oldest = e
		}
	}
	return oldest
}

func (l *LRU[T]) evict(e *Entry[T]) {
	delete(l.bySignature, e.key)
	l.taken -= e.size
	l.evicted++
	if l.onEvict != nil {
		l.onEvict(e.Value)
	}
}
