package topology

import "orrery/core/scheduler/reuse"

// LRU keeps the most recently used values by signature.
type LRU[T any] struct {
	capacity int
	onEvict  func(T)
	index    map[string]int
	entries  []entry[T]
	clock    uint64
}

type entry[T any] struct {
	signature string
	value     T
	used      uint64
}

// NewLRU keeps at most capacity values and evicts the least recently used one.
func NewLRU[T any](most int, drop func(T)) *LRU[T] {
	return &LRU[T]{capacity: most, onEvict: drop, index: map[string]int{}}
}

// Get returns the value of a signature.
func (l *LRU[T]) Get(signature reuse.Signature) (value T, ok bool) {
	i, ok := l.index[string(signature)]
	if !ok {
		return value, false
	}
	l.clock++
	l.entries[i].used = l.clock
	return l.entries[i].value, true
}

// Add stores the value of a signature that is not in it.
func (l *LRU[T]) Add(signature reuse.Signature, value T) {
	l.clock++
	e := entry[T]{signature: string(signature), value: value, used: l.clock}
	if len(l.entries) < l.capacity {
		l.index[e.signature] = len(l.entries)
		l.entries = append(l.entries, e)
		return
	}
	oldest := 0
	for i := range l.entries {
		if l.entries[i].used < l.entries[oldest].used {
			oldest = i
		}
	}
	delete(l.index, l.entries[oldest].signature)
	l.onEvict(l.entries[oldest].value)
	l.index[e.signature] = oldest
	l.entries[oldest] = e
}
