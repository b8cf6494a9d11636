package views

import (
	"math"
	"slices"

	"orrery/themes"
	"orrery/views/draw"
)

// shownColumns hides the columns that the user does not want to see.
func (s *drawCtx) shownColumns(columns []draw.Column) []draw.Column {
	wanted := s.ui.Columns[s.pane.ID]
	if len(wanted) == 0 || !s.full {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		if c := &columns[i]; c.Long != "" && !slices.Contains(wanted, c.Long) {
			c.ShowFrom = math.MaxInt
		}
	}
	return columns
}

// table draws a list with its headings and marks the selected row. It only draws visible rows.
func table[T any](a draw.Area, s *drawCtx, columns []draw.Column, list *List[T], none string,
	row func(draw.Area, *T, *draw.Slots, *drawCtx),
) {
	if list.Total == 0 {
		drawNone(a, s, none)
		return
	}
	columns = s.shownColumns(columns)
	_, inner := a.Left(2)
	places := draw.Arrange(columns, max(inner.W-2, 0))
	head := a.In(inner)
	head.Header(columns, &places)
	s.recordHeads(head, columns, &places)
	_, below := a.Top(1)
	a = a.In(below)
	cursor := s.ui.Cursor
	window := draw.Visible(list.Total, a.H, cursor.First, cursor.Selected)
	s.recordList(a.Rect, window, list.Total)
	marked := s.markedRows()
	for i := range window.Count {
		index := window.First + i
		at := a.Item(i, s.full && index == cursor.Selected)
		if marked(index) {
			a.Set(1, i, themes.Accent.With(themes.Bold), '■')
		}
		if r := list.At(index); r != nil {
			row(at, r, &places, s)
			continue
		}
		at.Set(0, 0, themes.Style(themes.Dim), '·')
	}
	a.Scrollbar(window, list.Total)
}

// markedRows reports of the rows of the open list whether they are selected together with others.
func (s *drawCtx) markedRows() func(i int) bool {
	if len(s.ui.Marked) == 0 || !s.full || s.pane.list == nil {
		return func(int) bool { return false }
	}
	key := s.pane.list.rows(s.Model).Key
	return func(i int) bool { return key != nil && s.ui.Marked[key(i)] }
}
