package tui

import (
	"slices"

	"orrery/views"
)

// overviewCursor is the selected row of the focused pane of the overview. It follows what the row is about; when that is gone, it
// stays where it was.
type overviewCursor struct {
	key string // empty for none
	at  int    // among the pane's rows
}

// focusedRows returns the rows of the focused pane as they were drawn, from the top to the bottom.
func (s *Screen) focusedRows() []views.OverviewRow {
	var rows []views.OverviewRow
	for _, r := range s.hits.Rows {
		if r.In == s.focus {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b views.OverviewRow) int { return a.Rect.Y - b.Rect.Y })
	return rows
}

// onOverview reports whether the overview is on the screen, with no page of text over it.
func (s *Screen) onOverview() bool { return s.keyPane() == views.Overview }

// selectedRow returns the selected row of the overview; nil if there is none.
func (s *Screen) selectedRow() *views.OverviewRow {
	if s.row.key == "" || !s.onOverview() {
		return nil
	}
	rows := s.focusedRows()
	if i := slices.IndexFunc(rows, func(r views.OverviewRow) bool { return r.Key == s.row.key }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// followRow puts the cursor on the row that is about the same after a drawing, or else on the one that stands there now. It
// reports whether the cursor is on another row than was drawn.
func (s *Screen) followRow() (moved bool) {
	if s.row.key == "" {
		return false
	}
	rows := s.focusedRows()
	if i := slices.IndexFunc(rows, func(r views.OverviewRow) bool { return r.Key == s.row.key }); i >= 0 {
		s.row.at = i
		return false
	}
	if len(rows) == 0 {
		s.row = overviewCursor{}
		return false
	}
	s.row.at = min(s.row.at, len(rows)-1)
	s.row.key = rows[s.row.at].Key
	return true
}

// moveRow moves the cursor within the focused pane: the first step down enters it. It reports whether there was a row to go to;
// from the first row one goes up to the pane itself.
func (s *Screen) moveRow(by int) bool {
	rows, to := s.focusedRows(), 0
	if s.row.key != "" {
		to = s.row.at + by
	} else if by < 0 {
		return false
	}
	switch {
	case to < 0:
		s.row = overviewCursor{}
		return true
	case to >= len(rows):
		return false
	}
	s.row = overviewCursor{rows[to].Key, to}
	return true
}

// openRow opens what the selected row is about, or the focused pane if no row is selected.
func (s *Screen) openRow() {
	r := s.selectedRow()
	if r == nil {
		s.openPane(s.focus)
		return
	}
	next := navEntry{pane: r.Opens}
	if pane(r.Opens).About == views.AboutNode {
		next.node = r.Node
	} else {
		next.pod, _ = parseRef(r.Pod)
	}
	s.push(next)
}
