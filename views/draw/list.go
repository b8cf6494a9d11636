package draw

import "orrery/themes"

// Window is the part of a list that is on the screen.
type Window struct{ First, Count int }

// Visible is the window of a list of total rows on a screen of height rows that shows the selected one, moved as little
// from where it was as that needs.
func Visible(total, height, first, selected int) Window {
	height = max(height, 0)
	count := min(total, height)
	if selected < first {
		first = selected
	}
	if selected >= first+height {
		first = selected - height + 1
	}
	return Window{First: clamp(first, total-count), Count: count}
}

// Header draws the headings of a table in the area's first row.
func (a Area) Header(columns []Column, places *Columns) {
	for i, c := range columns {
		p := places[i]
		text := c.Long
		if Width(text) > p.W {
			text = c.Short
		}
		switch {
		case p.W == 0:
		case c.Right:
			a.TextRight(p.X, 0, p.W, themes.Style(themes.Dim), text)
		default:
			a.Fit(p.X, 0, p.W, themes.Style(themes.Dim), text)
		}
	}
}

// Item is one row of a list: the area to draw it in, with the mark of selection drawn on its left.
func (a Area) Item(y int, selected bool) Area {
	row := a.Row(y)
	if selected && !row.Empty() {
		row = row.On(themes.Selected)
		row.Fill(themes.Style(themes.Text), blank)
		row.Set(0, 0, themes.Style(themes.Accent), '▌')
	}
	_, row.Rect = row.Rect.Left(2)
	return row
}

// Scrollbar draws how far down a list the window is, in the area's last column.
func (a Area) Scrollbar(w Window, total int) {
	if total <= w.Count || a.H < 3 {
		return
	}
	size := max(a.H*w.Count/total, 1)
	top := (a.H - size) * w.First / max(total-w.Count, 1)
	for y := range a.H {
		r, s := '│', themes.Style(themes.Border)
		if y >= top && y < top+size {
			r, s = '█', themes.Style(themes.Dim)
		}
		a.Set(a.W-1, y, s, r)
	}
}
