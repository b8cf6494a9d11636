package engine

import (
	"orrery/core/cache"
	"orrery/core/queue"
)

// nominatedPlaces marks the nodes with nominated pods by the numbers of their places, so that a search looks up no names.
type nominatedPlaces struct {
	marks   []bool
	numbers []int32 // those marked
}

// mark marks the nodes that pods are nominated for now.
func (p *nominatedPlaces) mark(q *queue.Queue, s *cache.Snapshot) {
	for _, number := range p.numbers {
		p.marks[number] = false
	}
	p.numbers = p.numbers[:0]
	if more := len(s.Amounts()) - len(p.marks); more > 0 {
		p.marks = append(p.marks, make([]bool, more)...)
	}
	for name := range q.NominatedNodesUnordered() {
		if place, ok := s.PlaceOf(name); ok {
			p.marks[place.Number] = true
			p.numbers = append(p.numbers, place.Number)
		}
	}
}
