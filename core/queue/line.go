package queue

import "iter"

// line is the parked pods in the order in which they were parked. A pod that leaves leaves a gap; blocks of places count
// how many pods of each kind they hold, so that whoever wants to see some far down the line steps over the others.
type line struct {
	pods   []*Pod // nil where one has left
	blocks []blockCount
	live   int
}

// blockCount is how many pods in a block are not gated, and how many are.
type blockCount [2]int32

const lineBlock = 256

func kindOf(place State) int {
	if place == Gated {
		return 1
	}
	return 0
}

func (l *line) push(p *Pod) {
	p.turn = len(l.pods)
	l.pods = append(l.pods, p)
	l.live++
	if len(l.pods) > len(l.blocks)*lineBlock {
		l.blocks = append(l.blocks, blockCount{})
	}
}

// count notes that a pod in the line has become one of its place, or is one no more.
func (l *line) count(p *Pod, change int32) {
	l.blocks[p.turn/lineBlock][kindOf(p.place)] += change
}

// drop takes a pod out that is not counted any more, and closes the gaps when they are more than the pods.
func (l *line) drop(p *Pod) {
	l.pods[p.turn] = nil
	if l.live--; len(l.pods) > 2*l.live+lineBlock {
		l.closeUp()
	}
}

func (l *line) closeUp() {
	rest := l.pods[:0]
	for _, p := range l.pods {
		if p != nil {
			p.turn = len(rest)
			rest = append(rest, p)
		}
	}
	clear(l.pods[len(rest):])
	l.pods = rest
	l.blocks = l.blocks[:(len(rest)+lineBlock-1)/lineBlock]
	clear(l.blocks)
	for _, p := range rest {
		l.count(p, 1)
	}
}

// all goes through the pods in their order.
func (l *line) all() iter.Seq[*Pod] {
	return func(yield func(*Pod) bool) {
		for _, p := range l.pods {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// window appends n pods of one kind, from the first-th on.
func (l *line) window(into []*Pod, place State, first, n int) []*Pod {
	kind := kindOf(place)
	for b := 0; b < len(l.blocks) && n > 0; b++ {
		if held := int(l.blocks[b][kind]); first >= held {
			first -= held
			continue
		}
		for _, p := range l.pods[b*lineBlock : min((b+1)*lineBlock, len(l.pods))] {
			switch {
			case p == nil || kindOf(p.place) != kind || n == 0:
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
