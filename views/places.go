package views

import "slices"

// Places remembers which row of a list of the latest shows what, so that a row stays where it is until it is the oldest. The
// next thing that happens is written over that one, as on the tape of a flight recorder, and a mark shows where the tape is:
// above it is what came before, below it is the oldest. What only changes is written where it stands.
//
// A list that shows the latest first moves on by a row whenever something happens, which nobody can read while it plays, and
// every line of it has to be written again.
type Places struct{ moves, nodes, searches ring }

// deed is what a row is about.
type deed struct {
	name string
	at   int64
}

// ring is the rows of one list.
type ring struct {
	rows []deed
	head int   // the row of the latest
	at   []int // which of the latest each row shows, -1 for none
}

// place gives each of n rows one of the latest, of which there are so many, the first being the latest of all: at holds for
// every row which one it shows. Rows are filled from above, the oldest first, where there is nothing to remember, and where
// more has changed than could be followed.
func (r *ring) place(n, items int, of func(i int) deed) (at []int) {
	items = min(items, n)
	if len(r.rows) != n || !r.keep(items, of) {
		r.rows = slices.Grow(r.rows[:0], n)[:n]
		r.at = slices.Grow(r.at[:0], n)[:n]
		for row := range n {
			r.rows[row], r.at[row] = deed{}, -1
			if row < items {
				r.at[row] = items - 1 - row
				r.rows[row] = of(r.at[row])
			}
		}
	}
	r.head = max(slices.Index(r.at, 0), 0)
	return r.at
}

// keep finds the rows of what is shown already, and writes what is new over the oldest. It gives up where half of it is new,
// or the oldest is: then time went back.
func (r *ring) keep(items int, of func(i int) deed) bool {
	for row := range r.at {
		r.at[row] = -1
	}
	news := 0
	for i := range items {
		row := slices.Index(r.rows, of(i))
		if row < 0 {
			news++
			continue
		}
		r.at[row] = i
	}
	if news > (len(r.rows)+1)/2 || news > 0 && items > 1 && !slices.Contains(r.at, items-1) {
		return false
	}
	row := r.head
	for i := items - 1; i >= 0 && news > 0; i-- {
		if slices.Contains(r.at, i) {
			continue
		}
		for row = (row + 1) % len(r.rows); r.at[row] >= 0; {
			row = (row + 1) % len(r.rows)
		}
		r.at[row], r.rows[row] = i, of(i)
		news--
	}
	for row := range r.rows {
		if r.at[row] < 0 {
			r.rows[row] = deed{}
		}
	}
	return true
}

// places is the scene's memory, or one that is forgotten at once.
func (s *scene) places() *Places {
	if s.ui.Places != nil {
		return s.ui.Places
	}
	return &Places{}
}

// ringGutter is the room for the mark at the left of a list of the latest.
const ringGutter = 2
