package views

import "time"

// The times of the orrery's movements, in the model's time. They are for the eye: a search takes microseconds. A search that
// follows another one sooner than its sweep takes sweeps as fast as that.
const (
	sweepTime = 400 * time.Millisecond
	flashTime = 900 * time.Millisecond
	flashBeat = 150 * time.Millisecond

	// RecentEvictionTime is how long the eviction of a pod is drawn.
	RecentEvictionTime = 1200 * time.Millisecond
)

// sweep is how far the hand has come on its way over the nodes of the last search.
type sweep struct {
	first, examined, nodes int
	// swept is the number of nodes behind the hand, in thousandths.
	swept int
	// flash means that the chosen node is drawn reversed.
	flash bool
}

// sweepOf returns the sweep of the last search at the model's time. Where time does not run by frames, in a paused recording
// and on a cluster, the hand is at the end of its way.
func sweepOf(v *Orrery, s *drawCtx) sweep {
	nodes := len(v.Bodies)
	if v.Last == nil || v.Last.Nodes != nodes || nodes == 0 {
		return sweep{first: v.Start, nodes: nodes}
	}
	w := sweep{first: v.Last.Start, examined: v.Last.Examined, nodes: nodes, swept: 1000 * v.Last.Examined}
	if s.Timeline == nil || s.Timeline.Paused {
		return w
	}
	age, length := s.now.Sub(v.Last.At), min(v.Since, sweepTime)
	if age < length && age >= 0 {
		w.swept = int(int64(w.swept) * int64(age) / int64(length))
		return w
	}
	since := age - length
	w.flash = since < flashTime && since/flashBeat%2 == 0
	return w
}

// done reports whether the hand is at the end of its way.
func (w *sweep) done() bool { return w.swept == 1000*w.examined }

// passed reports whether the hand has passed a node. One outside the range, such as a nominated node that was examined
// before all others, counts as passed.
func (w *sweep) passed(node int) bool {
	if w.done() {
		return true
	}
	offset := (node - w.first%w.nodes + w.nodes) % w.nodes
	return offset >= w.examined || 1000*offset < w.swept
}

// at returns the index that the hand points at, and the thousandths of the way to the next. At the end of its way it points
// at the next start index.
func (w *sweep) at(start int) (index, thousandths int) {
	if w.done() {
		return start % max(w.nodes, 1), 0
	}
	return (w.first + w.swept/1000) % w.nodes, w.swept % 1000
}
