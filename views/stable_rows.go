package views

import (
	"slices"

	"orrery/themes"
	"orrery/views/draw"
)

// StableRows maps screen rows to the newest items of a list; a row keeps its item until that is the oldest. The next
// item overwrites the oldest, as in a ring buffer, and a mark shows the newest: the rows above it are older, and the
// row below it is the oldest. An item that only changes is redrawn in place.
//
// On the dashboard, a list that scrolls at every item is unreadable during playback and costs more bytes than a frame may have there. So the
// newest decision is on top, in a row of its own, and these are those before it; nodes are in these rows alone. In the panes the newest
// is on top, and the others below it.
type StableRows struct{ decisions, nodes rowRing }

// rowID identifies the item of a row.
type rowID struct {
	name string
	at   int64
}

// rowRing is the rows of one list.
type rowRing struct {
	rows []rowID
	head int   // the row of the newest item
	at   []int // the index of each row's item, -1 for none
}

// assign maps n rows to the newest items and returns the index of each row's item; item 0 is the newest. It fills the
// rows from the top, the oldest item first, if the number of rows changed or reuse fails.
func (r *rowRing) assign(n, items int, of func(i int) rowID) (at []int) {
	items = min(items, n)
	if len(r.rows) != n || !r.reuse(items, of) {
		r.rows = slices.Grow(r.rows[:0], n)[:n]
		r.at = slices.Grow(r.at[:0], n)[:n]
		for row := range n {
			r.rows[row], r.at[row] = rowID{}, -1
			if row < items {
				r.at[row] = items - 1 - row
				r.rows[row] = of(r.at[row])
			}
		}
	}
	r.head = max(slices.Index(r.at, 0), 0)
	return r.at
}

// reuse keeps the rows of items that are shown already, and puts new items over the oldest. It fails if more than
// half of the items are new, or the oldest item is new: then time went back.
func (r *rowRing) reuse(items int, of func(i int) rowID) bool {
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
			r.rows[row] = rowID{}
		}
	}
	return true
}

// stableRows returns the state's StableRows, or an empty one for this drawing.
func (s *drawCtx) stableRows() *StableRows {
	if s.ui.StableRows != nil {
		return s.ui.StableRows
	}
	return &StableRows{}
}

// ringGutter is the width of the mark at the left of a list of the newest items.
const ringGutter = 2

// newest marks the newest item of a list, and before the newest of those below it.
const newest, before = '▸', '·'

// newestRow returns a row without its gutter, which has a mark if the row is the ring's newest.
func newestRow(row draw.Area, r *rowRing, y int, mark rune) draw.Area {
	if y == r.head {
		return markedRow(row, mark)
	}
	return unmarkedRow(row)
}

// markedRow returns a row without its gutter, which has a mark.
func markedRow(row draw.Area, mark rune) draw.Area {
	row.Set(0, 0, themes.Focus.With(themes.Bold), mark)
	return unmarkedRow(row)
}

// unmarkedRow returns a row without its gutter.
func unmarkedRow(row draw.Area) draw.Area {
	_, row.Rect = row.Rect.Left(ringGutter)
	return row
}
