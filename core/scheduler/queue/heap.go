package queue

import "orrery/core/safe/heap"

// A pod has an index in the heap of its queue and, in unschedulablePods, in a heap for the leftover flush.
const (
	slotQueue = iota
	slotLeftover
	slots
)

// podHeap is a heap whose pods know their index, so that removing or moving one needs no search.
type podHeap struct {
	heap.Heap[*Pod]
	slot int
}

func queueHeap(less func(a, b *Pod) bool) podHeap {
	return podHeap{heap.Heap[*Pod]{Less: less, Moved: func(p *Pod, index int) { p.at[slotQueue] = index }}, slotQueue}
}

func leftoverHeap(less func(a, b *Pod) bool) podHeap {
	return podHeap{heap.Heap[*Pod]{Less: less, Moved: func(p *Pod, index int) { p.at[slotLeftover] = index }}, slotLeftover}
}

func (h *podHeap) head() *Pod {
	if len(h.Items) == 0 {
		return nil
	}
	return h.Items[0]
}

func (h *podHeap) remove(p *Pod) { h.Remove(p.at[h.slot]) }

func (h *podHeap) fix(p *Pod) { h.Fix(p.at[h.slot]) }
