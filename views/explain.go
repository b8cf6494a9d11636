package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var explainPane = ListPane[MatrixRow]{
	Pane: Pane{ID: ExplainPane, Title: "Explain", About: AboutPod, Opens: NodePane, minW: 50, minH: 8, body: drawExplain},
	Rows: Source.Matrix,
	In: func(m *Model) *List[MatrixRow] {
		if m.Explain == nil {
			return nil
		}
		return &m.Explain.Matrix
	},
	Match: func(f *filter.Row, r *MatrixRow) {
		f.Name, f.Words = r.Key, [4]string{"rejected", r.RejectedBy, r.Reason}
		if r.Feasible {
			f.Words[0] = "feasible"
		}
	},
	Sorts: []Sort[MatrixRow]{
		by("node", func(r *MatrixRow) string { return r.Key }),
		byMost("score", func(r *MatrixRow) int64 { return r.Total }),
	},
	Key:  func(r *MatrixRow) string { return r.Key },
	Node: func(r *MatrixRow) string { return r.Key },
}

// drawExplain draws why a pod is where it is: the main cause, all reasons, remedies, where the scores came from, and
// every plugin's result on every node.
func drawExplain(a draw.Area, s *drawCtx) {
	e := s.Explain
	if e == nil {
		drawAbsent(a, "select a pod and press e")
		return
	}
	y := explainCause(a, e, s)
	_, rest := a.Top(y + 1)
	a = a.In(rest)
	matrix := a
	if a.W >= 110 {
		most := a.W * 3 / 5
		left, right := a.Left(min(max(a.W-matrixWidth(e, most), a.W*2/5), most))
		explainReasons(a.In(left), e)
		_, right = right.Left(3)
		explainMatrix(a.In(right), s)
		return
	}
	used := explainReasons(a, e)
	_, rest = matrix.Top(used)
	if rest.H >= 4 {
		explainMatrix(matrix.In(rest), s)
	}
}

// explainCause draws the main cause, and how reliable it is.
func explainCause(a draw.Area, e *Explanation, s *drawCtx) int {
	look := verdictStyles[e.Verdict]
	style := themes.Style(look.token)
	dim := themes.Style(themes.Dim)
	a.Set(0, 0, style.With(themes.Bold), look.glyph)
	x := a.Text(2, 0, style.With(themes.Bold), look.word)
	x = a.FitPath(x+2, 0, a.W-x-2, themes.Title.With(themes.Bold), e.Pod)
	r := rowWriter{a: a.Row(1)}
	r.fact(themes.Style(e.State.Token()), string(e.State.Glyph()), "now "+e.State.Word())
	r.fact(dim, "diagnosed", formatSpan(s.now.Sub(e.At))+" ago")
	r.fact(dim, "gen", string(draw.AppendCount(nil, e.Generation)))
	r.fact(dim, strconv.Itoa(e.Feasible)+" of", countNodes(e.Nodes)+" feasible")
	if e.Verdict == VerdictScheduled && a.W-x > len(e.Node)+6 {
		x = a.Text(x+2, 0, dim, "→")
		a.FitHost(x+1, 0, a.W-x-1, themes.Style(themes.Text), e.Node)
	}
	return a.Wrap(0, 3, a.W, 2, themes.Style(themes.Text).With(themes.Bold), e.Summary)
}

// explainReasons draws the groups of reasons, the remedies and the scores; it returns the row after them.
func explainReasons(a draw.Area, e *Explanation) int {
	y := 0
	if len(e.Reasons) > 0 {
		drawHeading(a, y, "reasons")
		y++
		plugin, last := 0, max((a.H-2)/2, 3)+1
		for i := range e.Reasons {
			plugin = max(plugin, draw.Width(e.Reasons[i].Plugin))
		}
		for i := range e.Reasons {
			if y >= last {
				break
			}
			y = reasonRows(a, y, last, &e.Reasons[i], e.Nodes, min(plugin, 20))
		}
		y++
	}
	facts := min(len(e.Facts), max((a.H-y)/3, 2)) // fixes need room too
	y = explainLines(a, y, "evidence", '·', e.Facts[:facts], themes.Style(themes.Text))
	y = explainLines(a, y, "fixes", '→', e.Hints, themes.Style(themes.Text))
	y = explainLines(a, y, "tried on a copy: places the pod", '→', remedyLines(e.Remedies), themes.Style(themes.Good))
	if e.RunnerUp != "" && y+2 < a.H {
		y = waterfall(a, y, e) + 1
	}
	return y
}

// explainLines draws a heading with lines below it if there are any and there is room; it returns the row after them.
func explainLines(a draw.Area, y int, title string, mark rune, lines []string, style themes.Style) int {
	if len(lines) == 0 || y+1 >= a.H {
		return y
	}
	drawHeading(a, y, title)
	y++
	for _, line := range lines {
		if y >= a.H {
			break
		}
		a.Set(0, y, themes.Style(themes.Good), mark)
		y = a.Wrap(2, y, a.W-2, min(2, a.H-y), style, line)
	}
	return y + 1
}

func remedyLines(remedies []Remedy) []string {
	lines := make([]string, len(remedies))
	for i, r := range remedies {
		lines[i] = r.Text + " (placed on " + r.Node + ")"
	}
	return lines
}

// reasonRows draws a group of reasons: the number and share of nodes, the reason, on a second row if it needs one, and
// the plugin. It returns the row after it.
func reasonRows(a draw.Area, y, last int, g *ReasonGroup, nodes, plugin int) int {
	row := a.Row(y)
	row.CountRight(0, 0, 6, themes.Bad.With(themes.Bold), int64(g.Nodes))
	x := 7
	if row.W >= 60 {
		row.Bar(x, 0, 10, themes.Style(themes.Bad), float64(g.Nodes)/float64(max(nodes, 1)))
		x += 11
	}
	w := row.W - x
	if w-plugin > 24 {
		w -= plugin + 1
		row.Fit(x+w+1, 0, plugin, themes.Style(themes.Dim), g.Plugin)
	}
	return a.Wrap(x, y, w, min(2, last-y), themes.Style(themes.Text), g.Reason)
}

// waterfall draws each plugin's score for the winner and the runner-up, and the difference.
func waterfall(a draw.Area, y int, e *Explanation) int {
	drawHeading(a, y, "score")
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	y++
	const number = 7
	name := max(a.W-3*(number+1), 10)
	bar := 0
	if name > 44 {
		bar = min(name-28, 30)
	}
	line := func(y int, plugin string, style themes.Style, won, next int64) {
		row := a.Row(y)
		row.Fit(0, 0, name-bar-1, style, plugin)
		row.CountRight(name, 0, number, text, won)
		row.CountRight(name+number+1, 0, number, dim, next)
		ahead, sign := themes.Good, "+"
		if won < next {
			ahead, sign = themes.Bad, ""
		}
		if won != next {
			row.TextRight(name+2*number+2, 0, number, themes.Style(ahead), sign+string(draw.AppendCount(nil, won-next)))
		}
		if bar > 0 {
			row.Bar(name-bar, 0, bar-1, themes.Style(themes.Accent), float64(won)/float64(max(e.WinnerTotal, 1)))
		}
	}
	head := a.Row(y)
	head.FitPath(0, 0, name-1, dim, "★ "+e.Winner+" before "+e.RunnerUp)
	head.TextRight(name, 0, number, dim, "winner")
	head.TextRight(name+number+1, 0, number, dim, "next")
	head.TextRight(name+2*number+2, 0, number, dim, "ahead")
	y++
	for i := range min(len(e.Scores), a.H-y-1) {
		p := &e.Scores[i]
		line(y, p.Plugin, text, p.Winner, p.RunnerUp)
		y++
	}
	line(y, "total", text.With(themes.Bold), e.WinnerTotal, e.RunnerUpTotal)
	return y + 1
}

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
	if e.Matrix.Total == 0 {
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
	cursor := s.ui.Cursor
	window := draw.Visible(e.Matrix.Total, a.H, cursor.First, cursor.Selected)
	s.recordList(a.Rect, window, e.Matrix.Total)
	for i := range window.Count {
		index := window.First + i
		if row := e.Matrix.At(index); row != nil {
			matrixRow(a.Item(i, index == cursor.Selected), row, &p)
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
