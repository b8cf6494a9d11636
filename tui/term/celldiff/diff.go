package celldiff

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"orrery/themes"
)

// run is a stretch of one row in one style; its first and last cells must be written.
type run struct {
	x, y, n int
	pen     themes.Pen
}

// writeDiff writes the cells that differ, in the shorter of two orders: top to bottom, or style by style. The terminal
// keeps the last style, since the next frame is likely to start with it.
func (t *Writer) writeDiff() {
	t.findRuns()
	if len(t.runs) == 0 {
		return
	}
	pen, x, y := t.pen, t.x, t.y
	var ends [2]struct {
		pen  themes.Pen
		x, y int
	}
	for order := range t.scratch {
		t.pen, t.x, t.y = pen, x, y
		if order == 1 {
			t.groupByPen()
		}
		t.scratch[order] = t.appendRuns(t.scratch[order][:0])
		ends[order].pen, ends[order].x, ends[order].y = t.pen, t.x, t.y
	}
	order := 0
	if len(t.scratch[1]) < len(t.scratch[0]) {
		order = 1
	}
	t.out = append(t.out, t.scratch[order]...)
	t.pen, t.x, t.y = ends[order].pen, ends[order].x, ends[order].y
	copy(t.shown, t.want)
}

// findRuns finds the runs to write. Blanks that show no style join the adjacent run.
func (t *Writer) findRuns() {
	t.runs = t.runs[:0]
	for y := range t.h {
		open := -1 // the run that the previous cell belongs to
		for x := range t.w {
			i := y*t.w + x
			c := t.want[i]
			if alike(c, t.shown[i]) {
				open = -1
				continue
			}
			free := c.isBlank()
			if open >= 0 {
				if r := &t.runs[open]; r.pen == c.pen || free && r.pen.Blank() {
					r.n++
					continue
				}
			}
			p := c.pen
			if free {
				p = themes.Pen{}
			}
			t.runs = append(t.runs, run{x, y, 1, p})
			open = len(t.runs) - 1
		}
	}
}

// groupByPen sorts the runs by style: first the terminal's current one, then always the one with the shortest switch.
func (t *Writer) groupByPen() {
	t.lendPens()
	order := []themes.Pen{t.pen}
	for i := range t.runs {
		if !slices.Contains(order, t.runs[i].pen) {
			order = append(order, t.runs[i].pen)
		}
	}
	var room [64]byte
	for i := 1; i < len(order); i++ {
		next, shortest := i, len(room)
		for j := i; j < len(order); j++ {
			if n := len(appendSwitch(room[:0], order[i-1], order[j])); n < shortest {
				next, shortest = j, n
			}
		}
		order[i], order[next] = order[next], order[i]
	}
	slices.SortStableFunc(t.runs, func(a, b run) int { return slices.Index(order, a.pen) - slices.Index(order, b.pen) })
}

// lendPens gives runs of blanks that show no style the style of a neighbour in the same row, which saves a switch.
func (t *Writer) lendPens() {
	for i := range t.runs {
		r := &t.runs[i]
		if r.pen != (themes.Pen{}) || slices.ContainsFunc(t.cells(r), func(c cell) bool { return !c.isBlank() }) {
			continue
		}
		for _, j := range [...]int{i + 1, i - 1} {
			if j >= 0 && j < len(t.runs) && t.runs[j].y == r.y && t.runs[j].pen.Blank() {
				r.pen = t.runs[j].pen
				break
			}
		}
	}
}

// cells returns the wanted cells of a run.
func (t *Writer) cells(r *run) []cell { return t.want[r.y*t.w+r.x : r.y*t.w+r.x+r.n] }

func (t *Writer) appendRuns(b []byte) []byte {
	for i := range t.runs {
		r := &t.runs[i]
		b = t.appendMove(b, r)
		b = appendSwitch(b, t.pen, r.pen)
		t.pen = r.pen
		b = t.appendCells(b, r)
	}
	return b
}

// appendCells appends a run's cells. It erases blanks at the end if there are many.
func (t *Writer) appendCells(b []byte, r *run) []byte {
	const many = len("\x1b[12X\x1b[12C")
	cells := t.cells(r)
	blanks := 0
	for blanks < r.n && cells[r.n-1-blanks].isBlank() {
		blanks++
	}
	if !t.erases || blanks < many || !r.pen.Blank() {
		blanks = 0
	}
	corner := r.y == t.h-1 && r.x+r.n == t.w && blanks == 0
	if corner {
		b = append(b, "\x1b[?7l"...) // a terminal that wraps at once would scroll
	}
	t.x, t.y = r.x, r.y
	for i, c := range cells[:r.n-blanks] {
		b = t.appendCell(b, r.x+i, c)
	}
	if corner {
		b = append(b, "\x1b[?7h"...)
	}
	if blanks > 0 {
		if t.x < 0 { // behind a wide character
			t.x = r.x + r.n - blanks
			b = appendPlace(b, t.x, t.y)
		}
		b = append(strconv.AppendInt(append(b, "\x1b["...), int64(blanks), 10), 'X')
		b = appendHorizontal(b, blanks)
		t.x += blanks
	}
	if t.x >= t.w {
		t.x = -1 // terminals do not agree on where the cursor is behind the last column
	}
	return b
}

// appendCell appends one cell. Terminals disagree on how wide joined and wide characters are, so the cursor is
// positioned anew after one.
func (t *Writer) appendCell(b []byte, x int, c cell) []byte {
	if c.text.Tail {
		return b
	}
	if t.x < 0 {
		b = appendPlace(b, x, t.y)
		t.x = x
	}
	if c.text.Cluster == "" && !c.text.Wide {
		t.x++
		return utf8.AppendRune(b, c.text.Rune)
	}
	t.x = -1
	return c.text.Append(b)
}

// appendMove appends a cursor move to a run: by rewriting the few cells between if their style is the same, by relative
// moves, or by an absolute position.
func (t *Writer) appendMove(b []byte, r *run) []byte {
	down, aside := r.y-t.y, r.x-t.x
	if t.x < 0 || down < 0 {
		return appendPlace(b, r.x, r.y)
	}
	if down == 0 && aside >= 0 && aside < len("\x1b[1C") && r.pen == t.pen {
		between := t.want[t.y*t.w+t.x:][:aside]
		if !slices.ContainsFunc(between, func(c cell) bool { return c.pen != r.pen || !c.text.ASCII() }) {
			for _, c := range between {
				b = append(b, byte(c.text.Rune))
			}
			return b
		}
	}
	var stepped, placed [24]byte
	steps, place := stepped[:0], appendPlace(placed[:0], r.x, r.y)
	for range min(down, len(place)) {
		steps = append(steps, '\n')
	}
	if steps = appendHorizontal(steps, aside); len(steps) < len(place) {
		return append(b, steps...)
	}
	return append(b, place...)
}

// appendHorizontal appends a move to the right, or to the left if n is negative.
func appendHorizontal(b []byte, n int) []byte {
	direction := byte('C')
	switch {
	case n == 0:
		return b
	case n < 0:
		n, direction = -n, 'D'
	}
	b = append(b, "\x1b["...)
	if n > 1 {
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, direction)
}

func appendPlace(b []byte, x, y int) []byte {
	b = strconv.AppendInt(append(b, "\x1b["...), int64(y+1), 10)
	if x > 0 {
		b = strconv.AppendInt(append(b, ';'), int64(x+1), 10)
	}
	return append(b, 'H')
}
