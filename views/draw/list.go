package draw

import "orrery/themes"

// Window is the visible part of a list.
type Window struct{ First, Count int }

// Visible returns the window of a list of total rows on height screen rows that shows the selected row, moved as little
// as possible from first.
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
func (a Area) Header(columns []Column, places *Slots) {
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

// Item returns the area of one row of a list, and draws the selection mark on its left.
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

// Scrollbar draws the window's position in the list, in the area's last column.
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
