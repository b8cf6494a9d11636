// Package heap is a binary heap in a slice.
package heap

// Heap has its least item first. Of items that Less does not order, which one comes first depends on how they were
// pushed and removed: where that must not show, Less orders them all.
type Heap[T any] struct {
	// Items may be read in any order, and replaced by a copy.
	Items []T
	Less  func(a, b T) bool
	// Moved, unless nil, gets the index of every item that was put at one, for Remove and Fix.
	Moved func(item T, index int)
}

// Push adds an item.
func (h *Heap[T]) Push(item T) {
	h.Items = append(h.Items, item)
	h.up(len(h.Items)-1, item)
}

// Pop removes and returns the first item, of which there must be one.
func (h *Heap[T]) Pop() T {
	first := h.Items[0]
	h.Remove(0)
	return first
}

// Remove removes the item at an index.
func (h *Heap[T]) Remove(index int) {
	var none T
	end := len(h.Items) - 1
	last := h.Items[end]
	h.Items[end] = none
	h.Items = h.Items[:end]
	if index < end {
		h.settle(index, last)
	}
}

// Fix moves the item at an index to its place, after it changed.
func (h *Heap[T]) Fix(index int) { h.settle(index, h.Items[index]) }

// settle puts an item at its place in a heap whose item at an index is replaced by it.
func (h *Heap[T]) settle(index int, item T) {
	if at := h.down(index, item); at == index {
		h.up(index, item)
	}
}

func (h *Heap[T]) up(i int, item T) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Less(item, h.Items[parent]) {
			break
		}
		h.put(h.Items[parent], i)
		i = parent
	}
	h.put(item, i)
}

// down returns the index that the item came to.
func (h *Heap[T]) down(i int, item T) int {
	for {
		child := 2*i + 1
		if child >= len(h.Items) {
			break
		}
		if right := child + 1; right < len(h.Items) && h.Less(h.Items[right], h.Items[child]) {
			child = right
		}
		if !h.Less(h.Items[child], item) {
			break
		}
		h.put(h.Items[child], i)
		i = child
	}
	h.put(item, i)
	return i
}

func (h *Heap[T]) put(item T, index int) {
	h.Items[index] = item
	if h.Moved != nil {
		h.Moved(item, index)
	}
}
