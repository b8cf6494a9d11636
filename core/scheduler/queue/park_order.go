package queue

import "iter"

// parkOrder lists the pods of unschedulablePods in the order of arrival. A removed pod leaves a gap; blocks count their
// gated and other pods, so that a window far down the order skips whole blocks.
type parkOrder struct {
	pods   []*Pod // nil for a removed pod
	blocks []blockCount
	count  int
}

// blockCount counts a block's pods: first those not gated, then those gated.
type blockCount [2]int32

const parkBlock = 256

func blockIndex(place State) int {
	if place == Gated {
		return 1
	}
	return 0
}

func (l *parkOrder) push(p *Pod) {
	p.position = len(l.pods)
	l.pods = append(l.pods, p)
	l.count++
	if len(l.pods) > len(l.blocks)*parkBlock {
		l.blocks = append(l.blocks, blockCount{})
	}
}

// countPod changes the count of a listed pod's block.
func (l *parkOrder) countPod(p *Pod, change int32) {
	l.blocks[p.position/parkBlock][blockIndex(p.queuedIn)] += change
}

// remove removes a pod after countPod, and compacts the list when most of it is gaps.
func (l *parkOrder) remove(p *Pod) {
	l.pods[p.position] = nil
	if l.count--; len(l.pods) > 2*l.count+parkBlock {
		l.compact()
	}
}

func (l *parkOrder) compact() {
	rest := l.pods[:0]
	for _, p := range l.pods {
		if p != nil {
			p.position = len(rest)
			rest = append(rest, p)
		}
	}
	clear(l.pods[len(rest):])
	l.pods = rest
	l.blocks = l.blocks[:(len(rest)+parkBlock-1)/parkBlock]
	clear(l.blocks)
	for _, p := range rest {
		l.countPod(p, 1)
	}
}

func (l *parkOrder) all() iter.Seq[*Pod] {
	return func(yield func(*Pod) bool) {
		for _, p := range l.pods {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// window appends n pods of one state, from the first-th on.
func (l *parkOrder) window(into []*Pod, place State, first, n int) []*Pod {
	kind := blockIndex(place)
	for b := 0; b < len(l.blocks) && n > 0; b++ {
		if held := int(l.blocks[b][kind]); first >= held {
			first -= held
			continue
		}
		for _, p := range l.pods[b*parkBlock : min((b+1)*parkBlock, len(l.pods))] {
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
