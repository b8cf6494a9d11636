package views

import (
	"slices"

	"orrery/views/draw"
)

// HitMap holds where things were drawn: the mouse finds them by it, and keys the length of a page.
type HitMap struct {
	// List is the open pane's list without its heading; Window its visible rows, Total the number of all rows.
	List   draw.Rect
	Window draw.Window
	Total  int
	// Track is the part of the timeline that spans the whole recording, Scrubber that of the timeline pane.
	Track, Scrubber draw.Rect
	// Text is the visible part of an explanation's text, of TextRows rows, and Fixes the rows of each fix. They are empty while
	// the text is not drawn.
	Text     draw.Window
	TextRows int
	Fixes    []draw.Window
	// Lines are the rows of the help, and while something is searched for, of an explanation's text.
	Lines []string
	// Heads are the headings by which the open pane's list can be sorted.
	Heads []Head
	// Hints are the hints of the last line.
	Hints []HintSpot
	// Rows are the rows of the overview that open something, in no order.
	Rows []OverviewRow
	// Node, if not nil, returns the row of the node at a place of the screen: of the first, where there are several.
	Node func(x, y int) (row int, ok bool)
}

// HintSpot is where a hint is, and the key that it names.
type HintSpot struct {
	Rect draw.Rect
	Key  string
}

// Head is the heading of a column, and the order that it stands for.
type Head struct {
	Rect draw.Rect
	Sort string
}

// headSorts are the orders of headings that have another name.
var headSorts = map[string]string{"pod": "name", "node": "name", "plugin": "plugin", "rejected": "rejections", "share of the time": "time"}

// recordHeads records where the headings of a list are.
func (s *drawCtx) recordHeads(head draw.Area, columns []draw.Column, places *draw.Slots) {
	h := s.ui.Hits
	if h == nil || !s.full {
		return
	}
	sorts := s.pane.Sorts()
	for i, c := range columns {
		name := c.Long
		if other := headSorts[name]; other != "" && !slices.Contains(sorts, name) {
			name = other
		}
		if places[i].W > 0 && slices.Contains(sorts, name) {
			h.Heads = append(h.Heads, Head{draw.Rect{X: head.X + places[i].X, Y: head.Y, W: places[i].W, H: 1}, name})
		}
	}
}

// recordList records where a list was drawn.
func (s *drawCtx) recordList(r draw.Rect, w draw.Window, total int) {
	if s.ui.Hits != nil && s.full {
		s.ui.Hits.List, s.ui.Hits.Window, s.ui.Hits.Total = r, w, total
	}
}
