package draw

import (
	"bytes"
	"strings"

	"orrery/themes"
)

// found are the attributes of a text that was searched for. A selected row may be reversed already, and then the line below the
// text shows it.
const found = themes.Reverse | themes.Underline

// Highlight marks a text wherever the area shows it on one row, in whatever case.
func (a Area) Highlight(text string) {
	sought := []byte(strings.ToLower(text))
	if len(sought) == 0 {
		return
	}
	var line []byte
	var columns []int // of each byte of the line
	for y := range a.H {
		if !a.shown(y) {
			continue
		}
		row := a.c.cells[(a.Y+y)*a.c.w+a.X:][:a.W]
		line, columns = line[:0], columns[:0]
		for x := range row {
			if row[x].rune != wideTail {
				line = append(line, strings.ToLower(a.c.grapheme(row[x].rune))...)
			}
			for len(columns) < len(line) {
				columns = append(columns, x)
			}
		}
		for at := 0; ; at += len(sought) {
			i := bytes.Index(line[at:], sought)
			if i < 0 {
				break
			}
			at += i
			for x := columns[at]; x <= columns[at+len(sought)-1]; x++ {
				row[x].style = row[x].style.With(found)
				if row[x].wide {
					row[x+1].style = row[x].style
				}
			}
		}
	}
}
