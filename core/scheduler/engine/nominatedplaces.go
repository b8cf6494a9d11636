package engine

import (
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/reuse"
)

// nominatedPlaces marks the positions of the nodes with nominated pods, so that a search looks up no names.
type nominatedPlaces struct{ marks reuse.Bitmap }

// mark marks the nodes that pods are nominated for now.
func (p *nominatedPlaces) mark(q *queue.Queue, s *cache.Snapshot) reuse.Bitmap {
	p.marks = p.marks.Zeroed(s.NumNodes())
	for name := range q.NominatedNodesUnordered() {
		if place, ok := s.PlaceOf(name); ok {
			p.marks.Set(place.Position)
		}
	}
	return p.marks
}
