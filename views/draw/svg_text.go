package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"orrery/themes"
)

// text draws the characters, in runs of one look. What is not ASCII stands alone, because it may come from a font of
// another width.
func (d *drawing) text() {
	for y := range d.canvas.h {
		row := d.canvas.cells[y*d.canvas.w : (y+1)*d.canvas.w]
		for x := 0; x < len(row); {
			n := d.run(row[x:])
			if n == 0 {
				x++
				continue
			}
			d.word(x, y, row[x:x+n])
			x += n
		}
	}
}

// run is how many cells the run that begins here has; none if it would show nothing.
func (d *drawing) run(cells []cell) int {
	first := cells[0]
	if !isText(first.rune) {
		return 0
	}
	if first.rune < 0 || first.rune >= utf8.RuneSelf {
		if first.wide {
			return 2
		}
		return 1
	}
	look := d.theme.Look(first.style)
	n := 1
	for end := 1; end < len(cells); end++ {
		c := cells[end]
		switch {
		case c.rune == blank && cells[end-1].rune != blank:
			continue // one blank within a run is part of it, if the run goes on
		case c.rune > blank && c.rune < utf8.RuneSelf && d.theme.Look(c.style) == look:
			n = end + 1
			continue
		}
		break
	}
	return n
}

// isText tells of a cell whether it is drawn as text.
func isText(r rune) bool { return r != blank && r != covered && !isDrawn(r) }

func (d *drawing) word(x, y int, cells []cell) {
	var text strings.Builder
	for _, c := range cells {
		if c.rune != covered {
			text.WriteString(d.canvas.grapheme(c.rune))
		}
	}
	length := ""
	switch alone := cells[0].rune < 0 || cells[0].rune >= utf8.RuneSelf; {
	case alone:
		length = fmt.Sprintf(` textLength="%d" lengthAdjust="spacingAndGlyphs"`, len(cells)*cellWidth)
	case len(cells) > 1:
		length = fmt.Sprintf(` textLength="%d"`, len(cells)*cellWidth)
	}
	fmt.Fprintf(&d.words, `<text class="t%d" x="%d" y="%d"%s>%s</text>`+"\n", d.class(cells[0].style), x*cellWidth, y*cellHeight+baseline, length, escaped(text.String()))
}

// class is the number of a style's look. Its ground does not matter to text.
func (d *drawing) class(s themes.Style) int {
	look := d.theme.Look(s)
	look.Ground, look.Painted = themes.RGB{}, false
	n, ok := d.classes[look]
	if !ok {
		n = len(d.looks)
		d.classes[look] = n
		d.looks = append(d.looks, look)
	}
	return n
}

// grounds paints what is behind cells that have a ground of their own.
func (d *drawing) grounds() {
	for y := range d.canvas.h {
		row := d.canvas.cells[y*d.canvas.w : (y+1)*d.canvas.w]
		for x := 0; x < len(row); {
			look := d.theme.Look(row[x].style)
			n := 1
			for x+n < len(row) {
				if next := d.theme.Look(row[x+n].style); next.Painted != look.Painted || next.Ground != look.Ground {
					break
				}
				n++
			}
			if look.Painted {
				d.rect(pathKey{ink: look.Ground, kind: under}, float64(x*cellWidth), float64(y*cellHeight), float64(n*cellWidth), cellHeight)
			}
			x += n
		}
	}
}
