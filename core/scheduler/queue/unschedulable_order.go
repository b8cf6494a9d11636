package queue

import "iter"

// unschedulableOrder lists the pods of unschedulablePods in the order of arrival. A removed pod leaves a gap; blocks count their
// gated and other pods, so that a window far down the order skips whole blocks.
type unschedulableOrder struct {
	pods   []*Pod // nil for a removed pod
	blocks []blockCount
	count  int
}

// blockCount counts a block's pods: first those not gated, then those gated.
type blockCount [2]int32

const orderBlock = 256

func blockIndex(place State) int {
	if place == Gated {
		return 1
	}
	return 0
}

func (l *unschedulableOrder) push(p *Pod) {
	p.position = len(l.pods)
	l.pods = append(l.pods, p)
	l.count++
	if len(l.pods) > len(l.blocks)*orderBlock {
		l.blocks = append(l.blocks, blockCount{})
	}
}

// countPod changes the count of a listed pod's block.
func (l *unschedulableOrder) countPod(p *Pod, change int32) {
	l.blocks[p.position/orderBlock][blockIndex(p.queuedIn)] += change
}

// remove removes a pod after countPod, and compacts the list when most of it is gaps.
func (l *unschedulableOrder) remove(p *Pod) {
	l.pods[p.position] = nil
	if l.count--; len(l.pods) > 2*l.count+orderBlock {
		l.compact()
	}
}

func (l *unschedulableOrder) compact() {
	rest := l.pods[:0]
	for _, p := range l.pods {
		if p != nil {
			p.position = len(rest)
			rest = append(rest, p)
		}
	}
	clear(l.pods[len(rest):])
	l.pods = rest
	l.blocks = l.blocks[:(len(rest)+orderBlock-1)/orderBlock]
	clear(l.blocks)
	for _, p := range rest {
		l.countPod(p, 1)
	}
}

func (l *unschedulableOrder) all() iter.Seq[*Pod] {
	return func(yield func(*Pod) bool) {
		for _, p := range l.pods {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// window appends n pods of one state, from the first-th on.
func (l *unschedulableOrder) window(into []*Pod, place State, first, n int) []*Pod {
	kind := blockIndex(place)
	for b := 0; b < len(l.blocks) && n > 0; b++ {
		if held := int(l.blocks[b][kind]); first >= held {
			first -= held
			continue
		}
		for _, p := range l.pods[b*orderBlock : min((b+1)*orderBlock, len(l.pods))] {
			switch {
			case p == nil || blockIndex(p.queuedIn) != kind || n == 0:
			case first > 0:
				first--
			default:
				into = append(into, p)
				n--
			}
		}
	}
	return into
}
