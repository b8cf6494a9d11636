package views

import (
	"strconv"
	"strings"

	"orrery/core/answers/answer"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var explainPane = ListPane[MatrixRow]{
	Pane: Pane{ID: ExplainPane, Title: "Explain", About: AboutPod, Opens: NodePane, minW: 50, minH: 8, body: drawExplain, named: rowNames{Many: "nodes"}},
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
	y := explainAnswer(a, e, s)
	_, rest := a.Top(y + 1)
	a = a.In(rest)
	text := explainText{drawCtx: s}
	switch {
	case a.W >= 110:
		explainColumns(a, &text)
	case s.ui.OnNodes:
		explainMatrix(a, s)
	default:
		_, rest = a.Top(text.draw(a))
		if rest.H >= 4 {
			explainMatrix(a.In(rest), s)
		}
	}
}

// explainColumns draws the text on the left, and the matrix on the right.
func explainColumns(a draw.Area, text *explainText) {
	e := text.Explain
	most := a.W * 3 / 5
	left, right := a.Left(min(max(a.W-matrixWidth(e, most), a.W*2/5), most))
	_, right = right.Left(3)
	text.draw(a.In(left))
	explainMatrix(a.In(right), text.drawCtx)
}

// explainAnswer draws the answer: where the pod is, or what keeps it from its node, and since when.
func explainAnswer(a draw.Area, e *Explanation, s *drawCtx) int {
	look := verdictStyles[e.Verdict]
	style, word := themes.Style(look.token), look.word
	if e.Status.Node != "" {
		style, word = themes.Style(e.State.Token()), e.State.Word()+" → "+e.Status.Node
	}
	a.Set(0, 0, style.With(themes.Bold), look.glyph)
	x := a.FitHost(2, 0, a.W/2, style.With(themes.Bold), word)
	if !s.preview { // which has it as its title
		a.FitPath(x+2, 0, a.W-x-2, themes.Title.With(themes.Bold), e.Title)
	}
	r, dim := rowWriter{a: a.Row(1)}, themes.Style(themes.Dim)
	r.fact(themes.Style(e.State.Token()), string(e.State.Glyph()), "now "+e.State.Word())
	r.fact(dim, "answered", formatSpan(s.now.Sub(e.At))+" ago")
	if e.Hypothetical() {
		r.fact(themes.Style(themes.Accent), "as if it had no node", "")
	}
	if e.Counts.Examined > 0 {
		r.fact(dim, strconv.Itoa(e.Counts.Feasible)+" of", countNodes(e.Counts.Total)+" feasible")
		r.fact(dim, strconv.Itoa(e.Counts.Examined), "examined")
	}
	if e.Winner != nil && e.RunnerUp != nil {
		r.fact(dim, "score", strconv.FormatInt(e.Winner.Score, 10))
	}
	text := themes.Style(themes.Text)
	y := a.Wrap(0, 3, a.W, max(2, a.H/7), text.With(themes.Bold), e.Headline)
	for _, line := range e.Then {
		y = a.Wrap(0, y, a.W, max(1, a.H/10), text, line)
	}
	return y
}

// reasonGroups draws the reasons with their nodes, and returns the row after them.
func reasonGroups(a draw.Area, y int, e *Explanation) int {
	if len(e.Reasons) == 0 {
		return y
	}
	drawHeading(a, y, "reasons")
	y++
	plugin := 0
	for i := range e.Reasons {
		plugin = max(plugin, draw.Width(e.Reasons[i].Plugin))
	}
	for i := range e.Reasons {
		y = reasonRows(a, y, &e.Reasons[i], e.Counts.Total, min(plugin, 20))
	}
	return y + 1
}

// explainChain draws a chain below a heading if there is one; it returns the row after it.
func explainChain(a draw.Area, y int, title string, links []answer.Link) int {
	if len(links) == 0 {
		return y
	}
	drawHeading(a, y, strings.ToLower(title))
	return drawChain(a, y+1, a.H, links) + 1
}

// explainLines draws a heading and below it lines of at most rows rows each, if there are any and there is room; it returns the
// row after them.
func explainLines(a draw.Area, y int, title string, rows int, lines []string) int {
	if len(lines) == 0 || y+1 >= a.H {
		return y
	}
	drawHeading(a, y, title)
	y++
	for _, line := range lines {
		if y >= a.H {
			break
		}
		a.Set(0, y, themes.Style(themes.Good), '·')
		y = a.Wrap(2, y, a.W-2, min(rows, a.H-y), themes.Style(themes.Text), line)
	}
	return y + 1
}

// reasonRows draws a group of reasons: the number and share of nodes, the reason, on a second row if it needs one, and
// the plugin. It returns the row after it.
func reasonRows(a draw.Area, y int, g *answer.Reason, nodes, plugin int) int {
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
	return a.Wrap(x, y, w, 3, themes.Style(themes.Text), g.Message)
}
