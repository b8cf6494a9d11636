package queue

import "slices"

// headWalkLimit is how far into a heap a window is found by walking from its head. Beyond it the window is selected
// from the whole heap.
const headWalkLimit = 1024

// Window appends at most n pods of one state, from the first-th on, in the order of that state: Active, Backoff,
// Unschedulable, Gated or InFlight. Backoff includes pods after errors. The cost is that of the pods returned, near the
// head of a heap and anywhere in unschedulablePods. The pods are the queue's own: read-only, and valid until the queue
// changes.
func (q *Queue) Window(into []*Pod, part State, first, n int) []*Pod {
	if first < 0 || n <= 0 {
		return into
	}
	switch part {
	case InFlight:
		for i := range q.inFlightEvents.list {
			switch p := q.inFlightEvents.list[i].pod; {
			case p == nil || n == 0:
			case first > 0:
				first--
			default:
				into, n = append(into, p), n-1
			}
		}
	case Active:
		return q.heapWindow(into, first, n, &q.active)
	case Backoff, ErrorBackoff:
		return q.heapWindow(into, first, n, &q.backoff, &q.errored)
	case Unschedulable, Gated:
		return q.unschedulablePods.order.window(into, part, first, n)
	}
	return into
}

// Pods appends all pods of one state as in Window, in no particular order.
func (q *Queue) Pods(into []*Pod, part State) []*Pod {
	switch part {
	case Active:
		return append(into, q.active.Items...)
	case Backoff, ErrorBackoff:
		return append(append(into, q.backoff.Items...), q.errored.Items...)
	}
	return q.Window(into, part, 0, len(q.inFlightEvents.list)+q.unschedulablePods.len())
}

// heapWindow is a window of heaps with a common order.
func (q *Queue) heapWindow(into []*Pod, first, n int, heaps ...*podHeap) []*Pod {
	total := 0
	for _, h := range heaps {
		total += len(h.Items)
	}
	if n = min(n, total-first); n <= 0 {
		return into
	}
	if first+n <= headWalkLimit {
		return q.walkFromHead(into, first, n, heaps)
	}
	q.scratch = q.scratch[:0]
	for _, h := range heaps {
		q.scratch = append(q.scratch, h.Items...)
	}
	order := heaps[0].Less
	SortWindow(q.scratch, first, n, func(a, b *Pod) int { return byLess(order, a, b) })
	return append(into, q.scratch[first:first+n]...)
}

// walkFromHead walks down from the heads: the next pod in order is a child of an earlier one.
func (q *Queue) walkFromHead(into []*Pod, first, n int, heaps []*podHeap) []*Pod {
	less := heaps[0].Less
	front := q.scratch[:0]
	for _, h := range heaps {
		if p := h.head(); p != nil {
			front = insertSorted(front, p, less)
		}
	}
	for len(front) > 0 && n > 0 {
		p := front[len(front)-1]
		front = front[:len(front)-1]
		if first > 0 {
			first--
		} else {
			into, n = append(into, p), n-1
		}
		h := heaps[0]
		if p.queuedIn == ErrorBackoff {
			h = heaps[1]
		}
		for child := 2*p.at[slotQueue] + 1; child <= 2*p.at[slotQueue]+2 && child < len(h.Items); child++ {
			front = insertSorted(front, h.Items[child], less)
		}
	}
	q.scratch = front[:0]
	return into
}

// insertSorted inserts a pod into a list in reverse order.
func insertSorted(list []*Pod, p *Pod, less func(a, b *Pod) bool) []*Pod {
	at, _ := slices.BinarySearchFunc(list, p, func(x, p *Pod) int { return byLess(less, p, x) })
	return slices.Insert(list, at, p)
}

func byLess(less func(a, b *Pod) bool, a, b *Pod) int {
	switch {
	case less(a, b):
		return -1
	case less(b, a):
		return 1
	}
	return 0
}

// Compare is the order of Window within one state.
func (q *Queue) Compare(a, b *Pod) int {
	switch a.queuedIn {
	case Active:
		return byLess(q.active.Less, a, b)
	case Backoff, ErrorBackoff:
		return byLess(q.backoff.Less, a, b)
	case Unschedulable, Gated:
		return byUnschedulableSeq(a, b)
	}
	return 0
}

// SortWindow places the n items from the first-th on as a full sort would. The items before and after them are in no
// order. It is much cheaper than a full sort if compare tells all items apart.
func SortWindow[T any](items []T, first, n int, compare func(a, b T) int) {
	end := min(first+n, len(items))
	lo, hi := 0, len(items)
	for hi-lo > 64 && (lo < first || hi > end) {
		at := partition(items[lo:hi], compare) + lo
		switch {
		case at < first:
			lo = at + 1
		case at >= end:
			hi = at
		default: // the pivot is in the window: each side has a part of it
			SortWindow(items[lo:at], first-lo, at-first, compare)
			SortWindow(items[at+1:hi], 0, end-at-1, compare)
			return
		}
	}
	slices.SortFunc(items[lo:hi], compare)
}

// partition moves the items that are less than a pivot before it, and returns the pivot's index.
func partition[T any](items []T, compare func(a, b T) int) int {
	last := len(items) - 1
	a, b, c := 0, last/2, last
	if compare(items[a], items[b]) > 0 {
		a, b = b, a
	}
	if compare(items[b], items[c]) > 0 {
		if b = c; compare(items[a], items[b]) > 0 {
			b = a
		}
	}
	items[b], items[last] = items[last], items[b]
	at := 0
	for i := range last {
		if compare(items[i], items[last]) < 0 {
			items[i], items[at] = items[at], items[i]
			at++
		}
	}
	items[at], items[last] = items[last], items[at]
	return at
}
