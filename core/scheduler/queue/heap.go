package queue

// A pod has an index in the heap of its queue and, in unschedulablePods, in a heap for the leftover flush.
const (
	slotQueue = iota
	slotLeftover
	slots
)

// podHeap is a binary heap whose pods know their index, so that removing or moving one needs no search.
type podHeap struct {
	pods []*Pod
	slot int
	less func(a, b *Pod) bool
}

func (h *podHeap) len() int { return len(h.pods) }

func (h *podHeap) head() *Pod {
	if len(h.pods) == 0 {
		return nil
	}
	return h.pods[0]
}

func (h *podHeap) push(p *Pod) {
	p.at[h.slot] = len(h.pods)
	h.pods = append(h.pods, p)
	h.up(p.at[h.slot])
}

func (h *podHeap) remove(p *Pod) {
	i, last := p.at[h.slot], len(h.pods)-1
	h.swap(i, last)
	h.pods[last] = nil
	h.pods = h.pods[:last]
	if i < last {
		h.sift(i)
	}
}

func (h *podHeap) fix(p *Pod) { h.sift(p.at[h.slot]) }

func (h *podHeap) sift(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *podHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.pods[i], h.pods[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *podHeap) down(i int) (moved bool) {
	for {
		child := 2*i + 1
		if child >= len(h.pods) {
			return moved
		}
		if right := child + 1; right < len(h.pods) && h.less(h.pods[right], h.pods[child]) {
			child = right
		}
		if !h.less(h.pods[child], h.pods[i]) {
			return moved
		}
		h.swap(i, child)
		i, moved = child, true
	}
}

func (h *podHeap) swap(i, j int) {
	h.pods[i], h.pods[j] = h.pods[j], h.pods[i]
	h.pods[i].at[h.slot] = i
	h.pods[j].at[h.slot] = j
}
