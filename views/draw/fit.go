package draw

import (
	"strings"

	"orrery/themes"
)

const ellipsis = '…'

// Fit draws a text in w columns, with an ellipsis in place of what does not fit, and returns the column after it. The
// cost depends on what is drawn, not on the text's length.
func (a Area) Fit(x, y, w int, s themes.Style, text string) int {
	w = min(w, a.W-x)
	if w <= 0 {
		return x
	}
	end := x + w
	last := x // the position of the previous grapheme
	for at := x; len(text) > 0; {
		r, wide, size := a.next(text)
		text = text[size:]
		width := 1
		switch {
		case r == wideTail:
			continue
		case wide:
			width = 2
		}
		if at+width > end {
			if at == end { // the ellipsis replaces the previous grapheme
				a.Repeat(last, y, end-last, s, blank)
				at = last
			}
			a.Set(at, y, s, ellipsis)
			return at + 1
		}
		a.place(at, y, r, wide, s)
		last = at
		at += width
		x = at
	}
	return x
}

// FitPath draws a text whose end matters most, such as a pod's name: it leaves out the middle. A third of a narrow column is for the end,
// which tells the nodes of a pool apart; a very narrow one has no room for two pieces.
func (a Area) FitPath(x, y, w int, s themes.Style, text string) int {
	w = min(w, a.W-x)
	if w < leastPath || len(text) <= w || !ascii(text) {
		return a.Fit(x, y, w, s, text)
	}
	head, tail := pathParts(len(text), w)
	x = a.Text(x, y, s, text[:head])
	a.Set(x, y, s, ellipsis)
	return a.Text(x+1, y, s, text[len(text)-tail:])
}

// FitFound is FitPath with some bytes of the text in another style, as those that a search has found.
func (a Area) FitFound(x, y, w int, s, found themes.Style, text string, is []bool) int {
	end := a.FitPath(x, y, w, s, text)
	w = min(w, a.W-x)
	if len(is) != len(text) || !ascii(text) || w <= 0 {
		return end
	}
	head, tail := pathParts(len(text), w)
	for i := range text {
		switch {
		case !is[i]:
		case i < head:
			a.Set(x+i, y, found, rune(text[i]))
		case i >= len(text)-tail:
			a.Set(x+w-(len(text)-i), y, found, rune(text[i]))
		}
	}
	return end
}

// pathParts returns how many characters of a name of a length are drawn before what is left out of it in w columns, and after it.
func pathParts(length, w int) (head, tail int) {
	switch {
	case length <= w:
		return length, 0
	case w < leastPath:
		return w - 1, 0
	}
	tail = min(longestTail, w/3)
	return w - tail - 1, tail
}

// leastPath is the least width in which a name has two pieces, and longestTail the most that its end takes.
const leastPath, longestTail = 9, 5

// FitHost draws the name of a machine: if it is too long it leaves out the domain first, which all machines have.
func (a Area) FitHost(x, y, w int, s themes.Style, text string) int {
	if dot := strings.IndexByte(text, '.'); dot > 0 && len(text) > w {
		if dot >= w {
			return a.FitPath(x, y, w, s, text[:dot])
		}
		x = a.Fit(x, y, dot, s, text[:dot])
		a.Set(x, y, s, ellipsis)
		return x + 1
	}
	return a.FitPath(x, y, w, s, text)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// TextRight draws a text that ends in column x+w, or nothing if it is longer.
func (a Area) TextRight(x, y, w int, s themes.Style, text string) {
	if width := Width(text); width <= w {
		a.Text(x+w-width, y, s, text)
	}
}

// Center draws a text in the middle of a row.
func (a Area) Center(y int, s themes.Style, text string) {
	x := max((a.W-Width(text))/2, 0)
	a.Fit(x, y, a.W-x, s, text)
}

// Wrap draws a text over several rows, broken between words where possible, and returns the row after it. The last row
// ends in an ellipsis if text remains.
func (a Area) Wrap(x, y, w, rows int, s themes.Style, text string) int {
	if w <= 0 {
		return y
	}
	for ; rows > 0 && text != ""; rows-- {
		if rows == 1 {
			a.Fit(x, y, w, s, text)
			return y + 1
		}
		n := a.breakAt(text, w)
		a.Text(x, y, s, text[:n])
		for n < len(text) && text[n] == ' ' {
			n++
		}
		text = text[n:]
		y++
	}
	return y
}

// breakAt returns how many bytes of a text fit on a row of w columns.
func (a Area) breakAt(text string, w int) int {
	columns, space := 0, 0
	for i := 0; i < len(text); {
		r, wide, size := a.next(text[i:])
		if r != wideTail {
			if columns++; wide {
				columns++
			}
		}
		if columns > w {
			if space > 0 {
				return space
			}
			if i == 0 {
				return size
			}
			return i
		}
		if r == blank {
			space = i
		}
		i += size
	}
	return len(text)
}
