package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// OverviewRow is a row of the overview that is about a pod or a node.
type OverviewRow struct {
	Rect draw.Rect
	// In is the pane that it stands in, and Key tells it from the pane's other rows.
	In  PaneID
	Key string
	// Opens is the pane that shows the pod or node of that key.
	Opens     PaneID
	Pod, Node string
}

// overviewRow records what a row of the overview is about, and returns its area, which is marked if the cursor is on it. The row of
// an open pane is returned as it is.
func (s *drawCtx) overviewRow(row draw.Area, about OverviewRow) draw.Area {
	if s.full || row.Empty() {
		return row
	}
	about.In, about.Rect = s.pane.ID, row.Rect
	if h := s.ui.Hits; h != nil {
		h.Rows = append(h.Rows, about)
	}
	if s.ui.Focus != s.pane.ID || s.ui.Row == "" || s.ui.Row != about.Key {
		return row
	}
	s.box.Set(row.X-s.box.X-1, row.Y-s.box.Y, themes.Style(themes.Accent), '▌')
	row = row.On(themes.Selected)
	row.Fill(themes.Style(themes.Text), ' ')
	return row
}
