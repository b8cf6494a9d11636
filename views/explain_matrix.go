package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var pluginMarks = [...]struct {
	glyph rune
	token themes.Token
}{
	NotRun:  {'·', themes.Dim},
	Passes:  {'✓', themes.Good},
	Rejects: {'✗', themes.Bad},
	Errors:  {'☠', themes.Warn},
}

// The widths of the matrix's columns: a mark, a score, and the longest name.
const (
	markWidth  = 3
	scoreWidth = 7
	nameWidth  = 40
)

// matrixWidth returns the width of the matrix with the gap before it: with plugin names if that fits in most, else with
// plugin numbers.
func matrixWidth(e *Explanation, most int) int {
	name, names := 10, 0
	for i := range e.Matrix.Rows {
		name = max(name, draw.Width(e.Matrix.Rows[i].Node))
	}
	for _, plugin := range e.Plugins {
		names += draw.Width(plugin) + 2
	}
	const around = scoreWidth + 10
	name = min(name+1, nameWidth) + around
	if name+names <= most {
		return name + names
	}
	return max(name+markWidth*len(e.Plugins), 2*legendWidth+3)
}

// matrixPlan holds the columns of the matrix. Their headings are the plugins' names if those fit, else numbers with a
// legend below.
type matrixPlan struct {
	name, total int
	named       bool
	at          [mostMarks]int
}

// mostMarks is more than the number of plugins that the matrix ever has columns for.
const mostMarks = 32

func planMatrix(e *Explanation, width int) (p matrixPlan) {
	p.name = 10
	for i := range e.Matrix.Rows {
		p.name = max(p.name, draw.Width(e.Matrix.Rows[i].Node))
	}
	plugins := e.Plugins[:min(len(e.Plugins), mostMarks)]
	all := 0
	for _, plugin := range plugins {
		all += draw.Width(plugin) + 2
	}
	room := width - 2 - scoreWidth - 4
	p.named = min(p.name, nameWidth)+1+all <= room
	p.name = min(p.name+1, max(room-markWidth*len(plugins), 10), nameWidth)
	x := p.name
	for i, plugin := range plugins {
		p.at[i] = x + 2
		if x += markWidth; p.named {
			x += draw.Width(plugin) + 2 - markWidth
		}
	}
	p.total = x + 1
	return p
}

// explainMatrix draws every plugin's result on every node: nodes down, plugins across.
func explainMatrix(a draw.Area, s *drawCtx) {
	e := s.Explain
	if e.Status.Node != "" && e.Matrix.Total == 0 && s.ui.Filter == "" {
		a.Wrap(0, 0, a.W, 3, themes.Style(themes.Dim), "What each plugin said of each node then is not kept. tab evaluates the pod as it would be placed now.")
		return
	}
	if e.Matrix.Total == 0 {
		if s.ui.Filter != "" {
			drawNone(a, s, "")
		}
		return
	}
	p := planMatrix(e, a.W)
	if !p.named {
		bottom, rest := a.Bottom(matrixLegend(a, e.Plugins))
		drawMatrixLegend(a.In(bottom), e.Plugins)
		a = a.In(rest)
	}
	drawHeading(a, 0, "filter results by node")
	for i, plugin := range e.Plugins[:min(len(e.Plugins), mostMarks)] {
		if p.named {
			a.Text(2+p.at[i], 1, themes.Style(themes.Dim), plugin)
		} else {
			a.CountRight(2+p.at[i]-2, 1, markWidth, themes.Style(themes.Dim), int64(i+1))
		}
	}
	a.TextRight(2+p.total, 1, scoreWidth, themes.Style(themes.Dim), "score")
	_, below := a.Top(2)
	a = a.In(below)
	cursor, onNodes := s.ui.Cursor, s.ui.OnNodes || len(e.Remedies) == 0
	window := draw.Visible(e.Matrix.Total, a.H, cursor.First, cursor.Selected)
	s.recordList(a.Rect, window, e.Matrix.Total)
	for i := range window.Count {
		index := window.First + i
		if row := e.Matrix.At(index); row != nil {
			matrixRow(a.Item(i, onNodes && index == cursor.Selected), row, &p)
		}
	}
	a.Scrollbar(window, e.Matrix.Total)
}

func matrixRow(a draw.Area, m *MatrixRow, p *matrixPlan) {
	style := themes.Style(themes.Text)
	if !m.Visited {
		style = themes.Style(themes.Dim)
	}
	a.FitHost(0, 0, p.name-1, style, m.Node)
	for i, mark := range m.Marks[:min(len(m.Marks), mostMarks)] {
		look := pluginMarks[mark]
		a.Set(p.at[i], 0, themes.Style(look.token), look.glyph)
	}
	if m.Total != 0 {
		a.CountRight(p.total, 0, scoreWidth, themes.Style(themes.Text), m.Total)
	}
}

// legendWidth is the width of one plugin's number and name.
const legendWidth = 28

func matrixLegend(a draw.Area, plugins []string) int {
	perRow := max(a.W/legendWidth, 1)
	rows := (len(plugins) + perRow - 1) / perRow
	if rows > a.H/3 {
		return 0
	}
	return rows
}

func drawMatrixLegend(a draw.Area, plugins []string) {
	if a.H == 0 {
		return
	}
	perRow := max(a.W/legendWidth, 1)
	for i, p := range plugins {
		row, x := a.Row(i/perRow), i%perRow*legendWidth
		row.CountRight(x, 0, 2, themes.Style(themes.Accent), int64(i+1))
		row.Fit(x+3, 0, legendWidth-4, themes.Style(themes.Dim), p)
	}
}
