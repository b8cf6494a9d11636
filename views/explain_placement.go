package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// explainPlacement draws where a placed pod is and how that was decided, or where it would be placed now: never the one in the words
// of the other.
func explainPlacement(a draw.Area, e *Explanation, now time.Time) int {
	p, dim, text := e.Placement, themes.Style(themes.Dim), themes.Style(themes.Text)
	state := themes.Style(e.State.Token())
	facts := rowWriter{a: a.Row(1)}
	switch {
	case p.AsDecided:
		a.Set(0, 0, state.With(themes.Bold), e.State.Glyph())
		x := a.Text(2, 0, state.With(themes.Bold), e.State.Word()+" → ")
		x = a.FitHost(x, 0, a.W-x, themes.Title.With(themes.Bold), p.Node)
		a.FitPath(x+2, 0, a.W-x-2, text, e.Pod)
		facts.fact(dim, "decided", formatSpan(now.Sub(p.At))+" ago at "+clockText(p.At))
	default:
		a.Set(0, 0, themes.Accent.With(themes.Bold), '?')
		x := a.Text(2, 0, themes.Accent.With(themes.Bold), "if it were scheduled now: ")
		where := verdictStyles[e.Verdict].word
		if e.Verdict == VerdictScheduled {
			where = e.Node
		}
		x = a.FitHost(x, 0, a.W-x, themes.Title.With(themes.Bold), where)
		a.FitPath(x+2, 0, a.W-x-2, text, e.Pod)
		facts.fact(state, string(e.State.Glyph()), e.State.Word()+" to "+p.Node)
	}
	if p.Seq > 0 {
		facts.fact(dim, "decision", string(draw.AppendCount(nil, int64(p.Seq))))
	} else {
		facts.fact(dim, "decided before anything that is known here", "")
	}
	if e.Verdict == VerdictScheduled {
		facts.fact(dim, "score", strconv.FormatInt(e.WinnerTotal, 10))
	}
	facts.fact(dim, strconv.Itoa(e.Feasible)+" of", countNodes(e.Nodes)+" feasible")
	facts.fact(dim, strconv.Itoa(e.Examined), "examined")
	summary := e.Summary
	if p.AsDecided && e.Node != p.Node {
		summary = "another scheduler bound it; Orrery's choice was " + e.Node + ", " + summary
	}
	return a.Wrap(0, 3, a.W, max(2, a.H/7), text.With(themes.Bold), summary)
}

func clockText(t time.Time) string { return t.Format("15:04:05.000") }
