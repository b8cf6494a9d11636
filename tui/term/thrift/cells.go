package thrift

import "slices"

// cell is a rune of one column, and how it is drawn.
type cell struct {
	rune rune
	pen  pen
}

func blanks(n int) []cell {
	cells := make([]cell, n)
	erase(cells, pen{})
	return cells
}

// erase leaves blanks on the ground of a pen.
func erase(cells []cell, p pen) {
	for i := range cells {
		cells[i] = cell{' ', pen{ground: p.ground}}
	}
}

// alike tells whether two cells look the same: of a blank one sees the ground only.
func alike(a, b cell) bool {
	return a == b || a.rune == ' ' && b.rune == ' ' && a.pen.empty() && b.pen.empty()
}

// row are the cells that are wanted of a line.
func (t *Writer) row(y int) []cell { return t.want[y*t.w : (y+1)*t.w] }

// put writes one rune of one column.
func (t *Writer) put(r rune) {
	if t.w == 0 || t.h == 0 {
		return
	}
	if t.wraps {
		t.x, t.wraps = 0, false
		t.down()
	}
	t.last = r
	t.row(t.y)[t.x] = cell{r, t.pen}
	if t.x++; t.x == t.w {
		t.x, t.wraps = t.w-1, !t.stays
	}
}

func (t *Writer) down() {
	if t.y == t.end-1 {
		t.scroll(t.top, t.end, 1)
		return
	}
	t.y = min(t.y+1, t.h-1)
}

func (t *Writer) up() {
	if t.y == t.top {
		t.scroll(t.top, t.end, -1)
		return
	}
	t.y = max(t.y-1, 0)
}

// scroll moves the lines from top on, before end, up by so many, or down if n is negative. In the terminal it is done at
// once: what it shows and what is wanted are moved alike, so that what differs still does.
func (t *Writer) scroll(top, end, n int) {
	lines := min(max(n, -n), end-top)
	if lines <= 0 || top < 0 || end > t.h {
		return
	}
	for _, cells := range [...][]cell{t.want, t.shown} {
		part := cells[top*t.w : end*t.w]
		if n > 0 {
			copy(part, part[lines*t.w:])
			erase(part[len(part)-lines*t.w:], t.pen)
		} else {
			copy(part[lines*t.w:], part)
			erase(part[:lines*t.w], t.pen)
		}
	}
	if t.doubt {
		return
	}
	t.ink(pen{ground: t.pen.ground})
	all := top == 0 && end == t.h
	if !all {
		t.out = appendRegion(t.out, top, end)
	}
	if n > 0 {
		t.out = appendMove(t.out, 0, end-1)
	} else {
		t.out = appendMove(t.out, 0, top)
	}
	for range lines {
		if n > 0 {
			t.out = append(t.out, '\n')
		} else {
			t.out = append(t.out, "\x1bM"...)
		}
	}
	if !all {
		t.out = append(t.out, "\x1b[r"...)
	}
	t.cx = -1
}

// ink gives the terminal a style.
func (t *Writer) ink(p pen) {
	t.out = p.appendSwitch(t.out, t.penAt)
	t.penAt = p
}

// edit does what takes characters away or moves them within a line, or clears lines.
func (t *Writer) edit(final byte, n int) {
	if t.w == 0 || t.h == 0 {
		return
	}
	row, one := t.row(t.y), max(n, 1)
	switch final {
	case 'J':
		switch n {
		case 0:
			erase(t.want[t.y*t.w+t.x:], t.pen)
		case 1:
			erase(t.want[:t.y*t.w+t.x+1], t.pen)
		}
	case 'K':
		erase([][]cell{row[t.x:], row[:t.x+1], row}[min(n, 2)], t.pen)
	case 'X':
		erase(row[t.x:min(t.x+one, t.w)], t.pen)
	case 'P':
		one = min(one, t.w-t.x)
		copy(row[t.x:], row[t.x+one:])
		erase(row[t.w-one:], t.pen)
	case '@':
		one = min(one, t.w-t.x)
		copy(row[t.x+one:], slices.Clone(row[t.x:t.w-one]))
		erase(row[t.x:t.x+one], t.pen)
	}
}
