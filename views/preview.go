package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// Preview is what enter would open for the selected row of a list, beside the list.
type Preview struct {
	// Name is the pod's or the node's. Node is set for a node, Journey and Explain for a pod; Explain is nil if the pod is gone.
	Name    string
	Node    *NodeDetail
	Journey *Journey
	Explain *Explanation
}

// PreviewWidth is the least width of a screen with previews.
const PreviewWidth = 160

// Previews reports whether what the rows of a pane open can be seen beside them. Lists of other objects need the width for these,
// and the picture of the cluster has a column of its own.
func (p *Pane) Previews() bool {
	if p.list == nil || p.ID == OrreryPane || p.ID == ExplainPane || p.ID == JourneyPane || p.Describes != "" || p.HasCells() {
		return false
	}
	return p.Opens == JourneyPane || p.Opens == ExplainPane || p.Opens == NodePane
}

// besidePreview draws the open pane on the left, and on the right what enter would open.
func besidePreview(a draw.Area, s *drawCtx) {
	const least, share = 76, 47
	left, right := a.Left(max(a.W*share/100, least))
	s.pane.inside(a.In(left).Box(s.frame(true)).Padded(), s)
	p, beside := s.Preview, a.In(right)
	if p == nil {
		beside.Box(draw.Frame{Title: "Preview", Right: "v hides it", Border: themes.Border})
		return
	}
	at := beside.Box(draw.Frame{Title: p.Name, Right: "→ opens · v hides", Border: themes.Border}).Padded()
	ui := *s.ui
	ui.Hits, ui.OnNodes, ui.Scroll = nil, true, 0
	m := *s.Model
	m.Node, m.Journey, m.Explain = p.Node, p.Journey, p.Explain
	within := &drawCtx{Model: &m, ui: &ui, now: s.now, pane: s.pane, preview: true}
	if p.Node != nil {
		previewNode(at, within)
		return
	}
	previewPod(at, within)
}

// previewPod draws why a pod is where it is, what would help, and the last steps of its journey.
func previewPod(a draw.Area, s *drawCtx) {
	steps := 0
	if s.Journey != nil {
		steps = min(len(s.Journey.Steps.Rows), max(a.H/4, 3))
	}
	if steps > 0 {
		foot, rest := a.Bottom(steps + 1)
		previewSteps(a.In(foot), s, steps)
		_, rest = rest.Top(0)
		rest, _ = rest.Top(rest.H - 1)
		a = a.In(rest)
	}
	if s.Explain == nil {
		a.Fit(0, 0, a.W, themes.Style(themes.Dim), "the pod is gone: this is what is remembered of it")
		return
	}
	y := explainAnswer(a, s.Explain, s)
	_, rest := a.Top(y + 1)
	(&explainText{drawCtx: s}).preview(a.In(rest))
}

// preview draws as much of the text as there is room for: the reasons and the fixes first.
func (t *explainText) preview(a draw.Area) {
	parts := []func(draw.Area, int) int{t.reasons, t.evidence, t.rest}
	t.compact, t.fixesAt, t.lines = true, 1, longFact
	if t.all(a.Scrolled(tallest, tallest), parts) > a.H {
		t.lines = shortFact
	}
	t.all(a.Scrolled(0, tallest), parts)
}

// previewSteps draws the last steps of a journey, the newest first.
func previewSteps(a draw.Area, s *drawCtx, n int) {
	all := s.Journey.Steps.Rows
	drawHeading(a, 0, "journey, "+counted(s.Journey.Steps.Total, "step"))
	places := draw.Arrange(stepColumns, a.W)
	for i := range all[:n] {
		stepRow(a.Row(i+1), &all[i], &places, s)
	}
}

// previewNode draws a node: its resources and facts, and whose pods fill it.
func previewNode(a draw.Area, s *drawCtx) {
	a = nodeHead(a, s)
	drawOwners(a, s.Node.Owners)
}

// drawOwners draws whose pods are on a node, and how much of it they take.
func drawOwners(a draw.Area, owners []NodeOwner) {
	if len(owners) == 0 || a.H < 2 {
		return
	}
	const number = 8
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	drawHeading(a, 0, "by owner")
	name := max(a.W-4*(number+1)+1, 12)
	bar := 0
	if name > 44 {
		bar = min(name-30, 24)
	}
	head := a.Row(0)
	for i, word := range [...]string{"pods", "cpu", "of it", "memory"} {
		head.Set(name+i*(number+1)-1, 0, dim, ' ')
		head.Repeat(name+i*(number+1), 0, number, dim, ' ')
		head.TextRight(name+i*(number+1), 0, number, dim, word)
	}
	for i := range min(len(owners), a.H-1) {
		o, row := &owners[i], a.Row(i+1)
		if i == a.H-2 && len(owners) > a.H-1 {
			row.Fit(0, 0, a.W, dim, "and "+counted(len(owners)-i, "more owner"))
			break
		}
		row.FitPath(0, 0, name-bar-1, text, o.Name)
		if bar > 0 {
			row.Bar(name-bar, 0, bar-1, themes.Style(themes.Heat(o.Share)), o.Share)
		}
		row.CountRight(name, 0, number, text, int64(o.Pods))
		row.TextRight(name+number+1, 0, number, text, o.CPU)
		row.PercentRight(name+2*(number+1), 0, number, dim, o.Share)
		row.TextRight(name+3*(number+1), 0, number, text, o.Memory)
	}
}
