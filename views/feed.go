package views

import (
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

// drawFeed draws the latest decisions in words. The newest is on top; each of the others has a row of its own that it keeps, and a
// point marks the newest of them.
func drawFeed(a draw.Area, feed []DecisionRow, s *drawCtx) {
	drawHeading(a, 0, "decisions")
	if len(feed) == 0 {
		return
	}
	s.feedRow(markedRow(s.overviewRow(a.Row(1), feedTarget(&feed[0])), newest), &feed[0])
	_, below := a.Top(2)
	a, feed = a.In(below), feed[1:]
	ring := &s.stableRows().decisions
	for y, i := range ring.assign(a.H, len(feed), func(i int) rowID { return rowID{at: int64(feed[i].Seq)} }) {
		if i >= 0 {
			d := &feed[i]
			row := s.overviewRow(a.Row(y), feedTarget(d))
			s.feedRow(newestRow(row, ring, y, before), d)
		}
	}
}

// feedTarget is what a decision of the feed opens.
func feedTarget(d *DecisionRow) OverviewRow {
	return OverviewRow{Key: "#" + strconv.FormatUint(d.Seq, 10), Opens: ExplainPane, Pod: d.Key, Node: d.NodeKey}
}

// feedRow draws a decision as a sentence: which pod goes where, and why there, as fully as fits.
func (s *drawCtx) feedRow(row draw.Area, d *DecisionRow) {
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	x := 0
	if row.W >= 116 {
		s.timeRight(row, 0, 10, dim, d.At)
		x = 11
	}
	name := min(max((row.W-x)/4, 16), 34)
	s.podName(row, draw.Slot{X: x, W: name}, text, d.Pod)
	x += name + 1
	look := verdictStyles[d.Verdict]
	if d.Verdict == VerdictScheduled {
		row.Set(x, 0, themes.Style(look.token), '→')
		x = row.FitHost(x+2, 0, row.W-x-2, text, d.Node)
		row.Text(x+1, 0, dim, d.whyThere(row.W-x-1))
		return
	}
	row.Set(x, 0, themes.Style(look.token), look.glyph)
	x += 2
	if d.Node != "" {
		row.Set(x, 0, themes.Style(themes.Nominated), Nominated.Glyph())
		x = row.FitHost(x+2, 0, min(row.W-x-2, 20), themes.Style(themes.Nominated), d.Node) + 1
	}
	row.Fit(x, 0, row.W-x, dim, onNodes(d.Why, d.RejectedOn, d.Nodes))
}

// whyThere returns why a pod was placed where it was, in the longest form that fits; empty if none does.
func (d *DecisionRow) whyThere(width int) string {
	var queued string
	if d.Queued > 0 {
		queued = formatSpan(d.Queued) + " in queue"
	}
	only := "" // one node is feasible, or several that were not scored
	if d.Score == 0 && d.Nodes > 0 {
		only = strconv.Itoa(d.Feasible) + " feasible of " + strconv.Itoa(d.Nodes)
	}
	score, full, brief := "", "", ""
	if d.Score != 0 {
		score = "score " + strconv.FormatInt(d.Score, 10)
		full, brief = score, score
	}
	if d.Score != 0 && d.RunnerUp != "" {
		next := strconv.FormatInt(d.RunnerUpScore, 10)
		full, brief = score+", runner-up "+d.RunnerUp+" "+next, score+" over "+next
	}
	for _, parts := range [...][]string{{full, only, queued}, {full, only}, {brief, queued}, {brief}, {score, only}, {score}} {
		kept := parts[:0:0]
		for _, p := range parts {
			if p != "" {
				kept = append(kept, p)
			}
		}
		if words := "(" + strings.Join(kept, ", ") + ")"; len(kept) > 0 && draw.Width(words) <= width {
			return words
		}
	}
	return ""
}
