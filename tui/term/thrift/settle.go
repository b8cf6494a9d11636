package thrift

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// run is a piece of a line in one style of which at least the first cell and the last must be written.
type run struct {
	x, y, n int
	pen     pen
}

// settle writes the cells that differ, in whichever order is shorter. The terminal keeps the last style, which is likely to be
// of use again.
func (t *Writer) settle() {
	t.differ()
	if len(t.runs) > 0 {
		pens, x, y := t.penAt, t.cx, t.cy
		var ends [2]struct {
			pen  pen
			x, y int
		}
		for way := range t.scratch {
			t.penAt, t.cx, t.cy = pens, x, y
			if way == 1 {
				t.groupByPen()
			}
			t.scratch[way] = t.appendRuns(t.scratch[way][:0])
			ends[way].pen, ends[way].x, ends[way].y = t.penAt, t.cx, t.cy
		}
		way := 0
		if len(t.scratch[1]) < len(t.scratch[0]) {
			way = 1
		}
		t.out = append(t.out, t.scratch[way]...)
		t.penAt, t.cx, t.cy = ends[way].pen, ends[way].x, ends[way].y
		copy(t.shown, t.want)
	}
}

// differ finds what must be written. Blanks that show no style go along with what stands beside them.
func (t *Writer) differ() {
	t.runs = t.runs[:0]
	for y := range t.h {
		open := -1 // the run that the cell before belongs to
		for x := range t.w {
			i := y*t.w + x
			c := t.want[i]
			if alike(c, t.shown[i]) {
				open = -1
				continue
			}
			free := c.rune == ' ' && c.pen.empty()
			if open >= 0 {
				if r := &t.runs[open]; r.pen == c.pen || free && r.pen.empty() {
					r.n++
					continue
				}
			}
			p := c.pen
			if free {
				p = pen{}
			}
			t.runs = append(t.runs, run{x, y, 1, p})
			open = len(t.runs) - 1
		}
	}
}

// groupByPen sorts the runs by their styles: that which the terminal has already first, and then always the one that is
// the shortest to come by.
func (t *Writer) groupByPen() {
	t.lendPens()
	order := []pen{t.penAt}
	for i := range t.runs {
		if !slices.Contains(order, t.runs[i].pen) {
			order = append(order, t.runs[i].pen)
		}
	}
	var room [64]byte
	for i := 1; i < len(order); i++ {
		next, shortest := i, len(room)
		for j := i; j < len(order); j++ {
			if n := len(order[j].appendSwitch(room[:0], order[i-1])); n < shortest {
				next, shortest = j, n
			}
		}
		order[i], order[next] = order[next], order[i]
	}
	slices.SortStableFunc(t.runs, func(a, b run) int { return slices.Index(order, a.pen) - slices.Index(order, b.pen) })
}

// lendPens has blanks that show no style written along with what is written in the same line, which is the shorter way.
func (t *Writer) lendPens() {
	for i := range t.runs {
		r := &t.runs[i]
		if r.pen != (pen{}) || slices.ContainsFunc(t.want[r.y*t.w+r.x:r.y*t.w+r.x+r.n], func(c cell) bool { return c.rune != ' ' }) {
			continue
		}
		for _, j := range [...]int{i + 1, i - 1} {
			if j >= 0 && j < len(t.runs) && t.runs[j].y == r.y && t.runs[j].pen.empty() {
				r.pen = t.runs[j].pen
				break
			}
		}
	}
}

func (t *Writer) appendRuns(b []byte) []byte {
	for _, r := range t.runs {
		b = t.appendWay(b, r)
		b = r.pen.appendSwitch(b, t.penAt)
		t.penAt = r.pen
		b = t.appendCells(b, r)
		if t.cx, t.cy = r.x+r.n, r.y; t.cx >= t.w {
			t.cx = -1 // terminals do not agree on where one is behind the last column
		}
	}
	return b
}

// appendCells appends a run's cells. Blanks at its end are erased, if there are many of them.
func (t *Writer) appendCells(b []byte, r run) []byte {
	const many = len("\x1b[12X\x1b[12C")
	cells := t.want[r.y*t.w+r.x : r.y*t.w+r.x+r.n]
	blanks := 0
	for blanks < r.n && cells[r.n-1-blanks].rune == ' ' {
		blanks++
	}
	if !t.erases || blanks < many || !r.pen.empty() {
		blanks = 0
	}
	corner := r.y == t.h-1 && r.x+r.n == t.w && blanks == 0
	if corner {
		b = append(b, "\x1b[?7l"...) // a terminal that wraps at once would scroll
	}
	for _, c := range cells[:r.n-blanks] {
		b = utf8.AppendRune(b, c.rune)
	}
	if corner {
		b = append(b, "\x1b[?7h"...)
	}
	if blanks > 0 {
		b = append(strconv.AppendInt(append(b, "\x1b["...), int64(blanks), 10), 'X')
		b = appendAside(b, blanks)
	}
	return b
}

// appendWay appends what takes the cursor to a run: the few cells between if they are there to be written anyway, some
// steps down and aside, or its place.
func (t *Writer) appendWay(b []byte, r run) []byte {
	down, aside := r.y-t.cy, r.x-t.cx
	if t.cx < 0 || down < 0 {
		return appendMove(b, r.x, r.y)
	}
	if between := t.want[t.cy*t.w+t.cx:]; down == 0 && aside >= 0 && aside < len("\x1b[1C") && r.pen == t.penAt &&
		!slices.ContainsFunc(between[:aside], func(c cell) bool { return c.pen != r.pen || c.rune >= utf8.RuneSelf }) {
		for _, c := range between[:aside] {
			b = append(b, byte(c.rune))
		}
		return b
	}
	var stepped, placed [24]byte
	steps, place := stepped[:0], appendMove(placed[:0], r.x, r.y)
	for range min(down, len(place)) {
		steps = append(steps, '\n')
	}
	if steps = appendAside(steps, aside); len(steps) < len(place) {
		return append(b, steps...)
	}
	return append(b, place...)
}

// appendAside appends steps to the right, or to the left if there are less than none.
func appendAside(b []byte, n int) []byte {
	way := byte('C')
	switch {
	case n == 0:
		return b
	case n < 0:
		n, way = -n, 'D'
	}
	b = append(b, "\x1b["...)
	if n > 1 {
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, way)
}

func appendMove(b []byte, x, y int) []byte {
	b = strconv.AppendInt(append(b, "\x1b["...), int64(y+1), 10)
	if x > 0 {
		b = strconv.AppendInt(append(b, ';'), int64(x+1), 10)
	}
	return append(b, 'H')
}

func appendRegion(b []byte, top, end int) []byte {
	b = strconv.AppendInt(append(b, "\x1b["...), int64(top+1), 10)
	b = strconv.AppendInt(append(b, ';'), int64(end), 10)
	return append(b, 'r')
}
