package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// The width of the column beside the picture, and the inner width of the pane from which on there is one: that of a screen of 160 columns.
const columnWidth, columnFrom = 44, PreviewWidth - 4

// orreryColumn draws beside the picture what happens now, in words: the last decision, the worst trouble, which pods leave and who
// leads, and then what the signs mean.
func (s *drawCtx) orreryColumn(a draw.Area, v *Orrery) {
	for y := range a.H {
		a.Set(1, y, themes.Style(themes.Border), '│')
	}
	_, inner := a.Left(3)
	a = a.In(inner)
	y := 0
	for _, part := range [...]func(draw.Area, *Orrery) int{s.columnDecision, s.columnTrouble, s.columnLeaving, s.columnLeader, s.columnSigns} {
		if y >= a.H-2 {
			return
		}
		_, rest := a.Top(y)
		if rows := part(a.In(rest), v); rows > 0 {
			y += rows + 1
		}
	}
}

// The rows that the parts of the column take at most: they keep their place when what they say becomes shorter, so that the parts below
// do not jump.
const decisionRows, troubleRows, leavingRows = 5, 3, 6

// columnDecision draws the last decision: the pod, what became of it, and why.
func (s *drawCtx) columnDecision(a draw.Area, v *Orrery) int {
	drawHeading(a, 0, "last decision")
	d := v.Decided
	if d == nil {
		a.Fit(0, 1, a.W, dimText, "none yet")
		return decisionRows
	}
	s.podName(a.Row(1), draw.Slot{W: a.W}, themes.Text.With(themes.Bold), d.Pod)
	look, row := verdictStyles[d.Verdict], a.Row(2)
	row.Set(0, 0, themes.Style(look.token), look.glyph)
	switch {
	case d.Verdict == VerdictScheduled:
		row.FitHost(2, 0, a.W-2, plainText, d.Node)
	case d.Node != "":
		x := row.Text(2, 0, themes.Style(themes.Nominated), "⚑ ")
		row.FitHost(x, 0, a.W-x, themes.Style(themes.Nominated), d.Node)
	default:
		row.Fit(2, 0, a.W-2, themes.Style(look.token), look.word)
	}
	why := onNodes(d.Why, d.RejectedOn, d.Nodes)
	if d.Verdict == VerdictScheduled {
		why = d.whyThere(a.W)
	}
	a.Wrap(0, 3, a.W, 2, dimText, why)
	return decisionRows
}

// columnTrouble draws the worst trouble, and the keys that lead on.
func (s *drawCtx) columnTrouble(a draw.Area, _ *Orrery) int {
	drawHeading(a, 0, "worst trouble")
	troubles := s.Troubles(s.now)
	h := &s.Header
	switch unknown := !h.Health.Known || h.Blind || h.Silent > 0 || h.Alert != "" || h.Unreadable > 0; {
	case unknown && len(troubles) == 0: // silence is not health
		a.Text(0, 1, themes.Style(themes.Warn), "? not known")
		return troubleRows + 2
	case len(troubles) == 0:
		a.Text(0, 1, themes.Good.With(themes.Bold), "✓ none")
		return troubleRows + 2
	}
	token := themes.Warn
	if troubles[0].Bad {
		token = themes.Bad
	}
	y := a.Wrap(0, 1, a.W, troubleRows, token.With(themes.Bold), troubles[0].Text)
	x := a.Text(0, y, themes.Style(themes.Accent), "!")
	a.Text(x, y, dimText, " goes there")
	return troubleRows + 2
}

// columnLeaving draws the pods that are being evicted, with the time that they have yet.
func (s *drawCtx) columnLeaving(a draw.Area, v *Orrery) int {
	drawHeading(a, 0, "leaving")
	if len(v.Leaving) == 0 {
		a.Text(0, 1, dimText, "no pod")
		return leavingRows
	}
	rows := leavingRows - 1
	for i := range min(len(v.Leaving), rows) {
		row := a.Row(i + 1)
		if i == rows-1 && v.Terminating > rows {
			row.Fit(0, 0, a.W, dimText, "and "+counted(v.Terminating-i, "more pod"))
			break
		}
		d := &v.Leaving[i]
		look := &evictionLooks[d.State()]
		row.Set(0, 0, themes.Style(look.token), look.glyph)
		evictionTime(row, draw.Slot{X: 2, W: 6}, d, themes.Style(look.token), s.now)
		s.podName(row, draw.Slot{X: 9, W: a.W - 9}, plainText, d.Pod)
	}
	return leavingRows
}

// columnLeader draws who leads.
func (s *drawCtx) columnLeader(a draw.Area, v *Orrery) int {
	drawHeading(a, 0, "leader")
	return 1 + drawPhrases(a, 1, (&orreryCtx{drawCtx: s, Orrery: v}).leaderWords())
}

// columnSigns explains the signs.
func (s *drawCtx) columnSigns(a draw.Area, v *Orrery) int {
	drawHeading(a, 0, "signs")
	lines := (&orreryCtx{drawCtx: s, Orrery: v}).signWords()
	if drawPhrases(a, 1, lines) == 0 {
		return 0
	}
	if y := len(lines) + 1; y+1 < a.H {
		body := "node"
		if v.byZone() {
			body = "zone"
		}
		a.Fit(0, y, a.W, dimText, "a disc: as full as its "+body+"; moons: pods")
	}
	return a.H
}

// drawPhrases draws lines of words from a row on, and returns how many there was room for.
func drawPhrases(a draw.Area, y int, lines []phrase) int {
	drawn := 0
	for i := range lines {
		if y+i >= a.H {
			break
		}
		x := 0
		for _, word := range lines[i].fitting(a.W) {
			x = a.Text(x, y+i, word.style, word.text) + 1
		}
		drawn++
	}
	return drawn
}
