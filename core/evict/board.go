package evict

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Board is the record of departures. What has ended is kept for a while; what has not is kept until it has.
type Board struct {
	open  map[key]*Departure
	ended []Departure // oldest first
}

// key tells two departures of one pod apart by their causes.
type key struct {
	uid   types.UID
	cause Cause
}

// endedMost is how many departures are remembered after their end.
const endedMost = 4096

// NewBoard is an empty board.
func NewBoard() *Board { return &Board{open: map[key]*Departure{}} }

// Write puts a departure on the board, in place of what was said of that pod and cause before. When it was first
// noticed is kept. One that has left or was cancelled is closed.
func (b *Board) Write(d Departure) {
	k := key{d.Pod.UID, d.Cause}
	if was := b.open[k]; was != nil && !was.Noticed.IsZero() {
		d.Noticed = was.Noticed
	}
	if d.Phase != Left && d.Phase != Cancelled {
		b.open[k] = &d
		return
	}
	delete(b.open, k)
	b.ended = append(b.ended, d)
	if len(b.ended) >= 2*endedMost {
		b.ended = slices.Clone(b.ended[len(b.ended)-endedMost:])
	}
}

// Find is what the board says of a pod and a cause, if it is not over.
func (b *Board) Find(pod types.UID, cause Cause) (Departure, bool) {
	if d := b.open[key{pod, cause}]; d != nil {
		return *d, true
	}
	return Departure{}, false
}

// Open lists the departures that are not over, the earliest deadline first; those without one come last.
func (b *Board) Open() []Departure {
	list := make([]Departure, 0, len(b.open))
	for _, d := range b.open {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(x, y Departure) int {
		if x.Deadline.IsZero() != y.Deadline.IsZero() {
			if x.Deadline.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(x.Deadline.Compare(y.Deadline), cmp.Compare(x.Pod.String(), y.Pod.String()),
			cmp.Compare(x.Pod.UID, y.Pod.UID), cmp.Compare(x.Cause, y.Cause))
	})
	return list
}

// Ended lists the departures that are over, the oldest first.
func (b *Board) Ended() []Departure {
	return b.ended[max(0, len(b.ended)-endedMost):]
}

// Fork is a copy that goes its own way.
func (b *Board) Fork() *Board {
	f := &Board{open: make(map[key]*Departure, len(b.open)), ended: slices.Clone(b.ended)}
	for k, d := range b.open {
		twin := *d
		f.open[k] = &twin
	}
	return f
}
