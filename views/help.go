package views

import (
	"strconv"
	"strings"

	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
)

var helpPane = Pane{ID: HelpPane, Title: "Help", Digit: '?', minW: 30, minH: 4, body: drawHelp, scrolls: true}

// helpItem is a key or a sign and what it means, a heading, or without a key a note on the heading above it.
type helpItem struct {
	key      string
	text     string
	keyStyle themes.Style
	style    themes.Style // of the text
	heading  bool
}

// helpWidth is the least width of a column of the help.
const helpWidth = 36

// helpBlocks are what the pane shows, the keys by group, what can be typed, and the legend of the signs.
func helpBlocks(groups []KeyGroup) [][]helpItem {
	var blocks [][]helpItem
	for _, g := range groups {
		block := []helpItem{{text: g.Name, heading: true}}
		key, text := themes.Style(themes.Accent), themes.Style(themes.Text)
		if g.About != "" {
			block = append(block, helpItem{text: g.About, style: text})
		}
		if g.Disabled != "" {
			key, text = themes.Style(themes.Dim), themes.Style(themes.Dim)
			block = append(block, helpItem{text: g.Disabled, style: themes.Style(themes.Warn)})
		}
		for _, k := range g.Keys {
			block = append(block, helpItem{key: k.Key, text: k.Action, keyStyle: key, style: text})
		}
		blocks = append(blocks, block)
	}
	block := []helpItem{{text: "Symbols", heading: true}}
	for state := Active; state < podStates; state++ {
		block = append(block, helpItem{key: string(state.Glyph()), text: state.Word(), keyStyle: themes.Style(state.Token()), style: themes.Style(themes.Text)})
	}
	return append(blocks, block)
}

// helpFlow is the help in columns of a width and a height. A block stays in one column.
type helpFlow struct {
	blocks                 [][]helpItem
	columns, width, height int
}

// textColumn is where the texts of a block begin, behind its longest key.
func textColumn(block []helpItem) int {
	column := 0
	for _, item := range block {
		if item.key != "" {
			column = max(column, draw.Width(item.key)+2)
		}
	}
	return column
}

// flowHelp takes as few columns as hold everything, so that few texts are cut; if none do, all columns become higher than
// the area, and the help scrolls.
func flowHelp(blocks [][]helpItem, w, h int) helpFlow {
	most := max(w/helpWidth, 1)
	for columns := 1; columns <= most; columns++ {
		if f := (helpFlow{blocks, columns, w / columns, h}); f.fits() {
			return f
		}
	}
	f := helpFlow{blocks, most, w / most, h}
	for !f.fits() {
		f.height++
	}
	return f
}

// rows returns how many rows an item takes. A row is never quite full, unless it is the last.
func (f *helpFlow) rows(item helpItem, textAt int) int {
	rows, x, w := 1, 0, f.width-textAt-2
	words := strings.Fields(item.text)
	for i, word := range words {
		n := draw.Width(word)
		if end := x + 1 + n; x > 0 && (end > w || end == w && i < len(words)-1) {
			rows, x = rows+1, 0
		}
		x += min(x, 1) + n
	}
	return rows
}

// walk visits every item with its column and row, and where its text begins; it returns false if a block does not fit.
func (f *helpFlow) walk(visit func(item helpItem, column, y, rows, textAt int)) bool {
	column, y := 0, 0
	for _, block := range f.blocks {
		need, textAt := 0, textColumn(block)
		for _, item := range block {
			need += f.rows(item, textAt)
		}
		if y > 0 && y+need > f.height {
			column, y = column+1, 0
		}
		if column >= f.columns || need > f.height {
			return false
		}
		for _, item := range block {
			rows := f.rows(item, textAt)
			visit(item, column, y, rows, textAt)
			y += rows
		}
		y++
	}
	return true
}

func (f *helpFlow) fits() bool { return f.walk(func(helpItem, int, int, int, int) {}) }

// drawHelp draws the help. The cursor is the first visible row, and the last line says how many rows are below.
func drawHelp(a draw.Area, s *drawCtx) {
	blocks := helpBlocks(s.ui.Keys)
	f := flowHelp(blocks, a.W, a.H)
	top := a
	if f.height > a.H {
		foot, rest := a.Bottom(1)
		top = a.In(rest)
		f = flowHelp(blocks, a.W, top.H)
		first := max(min(s.ui.Cursor.Selected, f.height-top.H), 0)
		drawMore(a.In(foot), first, f.height-top.H-first, "down, ctrl+d, G")
	}
	first := max(min(s.ui.Cursor.Selected, f.height-top.H), 0)
	if h := s.ui.Hits; h != nil {
		h.Window, h.Total = draw.Window{First: first, Count: top.H}, f.height-top.H+1
		h.Lines = f.lines()
	}
	f.walk(func(item helpItem, column, y, rows, textAt int) {
		x := column * f.width
		if y -= first; item.heading && y >= 0 {
			top.Fit(x, y, f.width-2, themes.Title.With(themes.Bold), item.text)
			return
		}
		if y >= 0 {
			top.Fit(x, y, max(textAt-1, 0), item.keyStyle, item.key)
		}
		// A text of which the first row has scrolled out of sight begins above the area, where nothing is drawn.
		top.Wrap(x+textAt, y, f.width-textAt-2, rows, item.style, item.text)
	})
}

// lines returns the text of every row, of all columns together. A text of several rows is in the first.
func (f *helpFlow) lines() []string {
	lines := make([]string, f.height)
	f.walk(func(item helpItem, _, y, _, _ int) { lines[y] += " " + item.key + " " + item.text })
	return lines
}

// drawMore draws how many rows of a text are above and below what is visible, and the keys that scroll it.
func drawMore(a draw.Area, above, below int, keys string) {
	text := "the end"
	if below > 0 {
		text = "↓ " + strconv.Itoa(below) + " more " + plural.Of(below, "row") + " · " + keys
	}
	if above > 0 {
		text = "↑ " + strconv.Itoa(above) + " above · " + text
	}
	a.Fit(0, 0, a.W, themes.Style(themes.Warn), text)
}
