package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"orrery/themes"
)

// drawText draws the characters in runs of one style. A character beyond ASCII stands alone, because it may come from a
// font of another width.
func (d *svgWriter) drawText() {
	for y := range d.canvas.h {
		row := d.canvas.cells[y*d.canvas.w : (y+1)*d.canvas.w]
		for x := 0; x < len(row); {
			n := d.textRun(row[x:])
			if n == 0 {
				x++
				continue
			}
			d.writeText(x, y, row[x:x+n])
			x += n
		}
	}
}

// textRun returns how many cells the run that starts here has; zero if it shows nothing.
func (d *svgWriter) textRun(cells []cell) int {
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
	look := d.theme.Appearance(first.style)
	n := 1
	for end := 1; end < len(cells); end++ {
		c := cells[end]
		switch {
		case c.rune == blank && cells[end-1].rune != blank:
			continue // a single blank is part of the run, if the run goes on
		case c.rune > blank && c.rune < utf8.RuneSelf && d.theme.Appearance(c.style) == look:
			n = end + 1
			continue
		}
		break
	}
	return n
}

// isText reports whether a cell is drawn as text.
func isText(r rune) bool { return r != blank && r != wideTail && !isDrawn(r) }

func (d *svgWriter) writeText(x, y int, cells []cell) {
	var text strings.Builder
	for _, c := range cells {
		if c.rune != wideTail {
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
	fmt.Fprintf(&d.texts, `<text class="t%d" x="%d" y="%d"%s>%s</text>`+"\n", d.class(cells[0].style), x*cellWidth, y*cellHeight+baseline, length, escaped(text.String()))
}

// class returns the number of a style's look, without its background, which does not affect text.
func (d *svgWriter) class(s themes.Style) int {
	look := d.theme.Appearance(s)
	look.Background, look.HasBackground = themes.RGB{}, false
	n, ok := d.classes[look]
	if !ok {
		n = len(d.looks)
		d.classes[look] = n
		d.looks = append(d.looks, look)
	}
	return n
}

// drawBackgrounds paints the backgrounds of cells that have their own.
func (d *svgWriter) drawBackgrounds() {
	for y := range d.canvas.h {
		row := d.canvas.cells[y*d.canvas.w : (y+1)*d.canvas.w]
		for x := 0; x < len(row); {
			look := d.theme.Appearance(row[x].style)
			n := 1
			for x+n < len(row) {
				if next := d.theme.Appearance(row[x+n].style); next.HasBackground != look.HasBackground || next.Background != look.Background {
					break
				}
				n++
			}
			if look.HasBackground {
				d.rect(pathKey{ink: look.Background, kind: background}, float64(x*cellWidth), float64(y*cellHeight), float64(n*cellWidth), cellHeight)
			}
			x += n
		}
	}
}
