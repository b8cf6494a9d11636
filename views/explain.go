package views

import (
	"strconv"

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
	y := explainCause(a, e, s)
	_, rest := a.Top(y + 1)
	a = a.In(rest)
	text := explainText{drawCtx: s, aside: true}
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

// explainColumns draws the text on the left, and on the right the matrix and below it the aside, which is a part of the text
// where it is too long for that.
func explainColumns(a draw.Area, text *explainText) {
	e := text.Explain
	most := a.W * 3 / 5
	left, right := a.Left(min(max(a.W-matrixWidth(e, most), a.W*2/5), most))
	_, right = right.Left(3)
	matrix, room := right, max(a.H/2, a.H-e.Matrix.Total-matrixFrame)
	for _, lines := range [...]int{longFact, asideLine} {
		need := explainAside(a.In(right).Scrolled(tallest, tallest), 1, e, lines) - 1
		if text.aside = need > room; !text.aside {
			var aside draw.Rect
			aside, matrix = right.Bottom(need)
			explainAside(a.In(aside), 1, e, lines)
			break
		}
	}
	text.draw(a.In(left))
	explainMatrix(a.In(matrix), text.drawCtx)
}

// explainCause draws the main cause, and how reliable it is.
func explainCause(a draw.Area, e *Explanation, s *drawCtx) int {
	if e.Placement != nil {
		return explainPlacement(a, e, s.now)
	}
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
	if e.Kept > 0 {
		r.fact(dim, strconv.Itoa(e.Kept), "verdicts kept from earlier pods")
	}
	if e.Verdict == VerdictScheduled && a.W-x > len(e.Node)+6 {
		x = a.Text(x+2, 0, dim, "→")
		a.FitHost(x+1, 0, a.W-x-1, themes.Style(themes.Text), e.Node)
	}
	return a.Wrap(0, 3, a.W, max(2, a.H/7), themes.Style(themes.Text).With(themes.Bold), e.Summary)
}

// A line of explainAside has at most asideLine rows. matrixFrame is about how many rows the matrix has beside its nodes.
const (
	asideLine   = 3
	matrixFrame = 8
)

// explainAside draws what a preemption found, and what brings the pod back from the queue: beside the reasons if there is room.
func explainAside(a draw.Area, y int, e *Explanation, lines int) int {
	y = explainLines(a, y, "preemption", lines, e.Preemption)
	return explainLines(a, y, "queue", lines, e.Queue)
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
		y = reasonRows(a, y, &e.Reasons[i], e.Nodes, min(plugin, 20))
	}
	return y + 1
}

// explainEvidence draws the facts behind the reasons, the chains of the storage and of the devices, and the gang.
func explainEvidence(a draw.Area, y int, e *Explanation, facts []string, lines int) int {
	y = explainLines(a, y, "evidence", lines, facts)
	y = explainChain(a, y, "storage", e.Storage)
	y = explainChain(a, y, "devices", e.Devices)
	return explainChain(a, y, "gang", e.Gang)
}

// explainChain draws a chain below a heading if there is one; it returns the row after it.
func explainChain(a draw.Area, y int, title string, links []ChainLink) int {
	if len(links) == 0 {
		return y
	}
	drawHeading(a, y, title)
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
func reasonRows(a draw.Area, y int, g *ReasonGroup, nodes, plugin int) int {
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
	return a.Wrap(x, y, w, 3, themes.Style(themes.Text), g.Reason)
}
