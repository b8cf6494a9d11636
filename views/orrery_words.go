package views

import (
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// span is a word in a style.
type span struct {
	style themes.Style
	text  string
}

// phrase is one line of text, given in full and in short.
type phrase struct{ long, short []span }

func say(spans ...span) phrase { return phrase{long: spans} }

// width returns how many columns some spans take.
func width(spans []span) int {
	w := max(len(spans)-1, 0)
	for _, s := range spans {
		w += draw.Width(s.text)
	}
	return w
}

// fitting returns the longest form of a line that fits; nil if none does.
func (p *phrase) fitting(columns int) []span {
	switch {
	case width(p.long) <= columns:
		return p.long
	case p.short != nil && width(p.short) <= columns:
		return p.short
	}
	return nil
}

// corners writes the facts around the picture into its corners, as far as there is room.
func (o *orreryCtx) corners(sky draw.Area) {
	o.corner(sky, o.queueWords(), false, false)
	if !o.beside {
		o.corner(sky, o.signWords(), true, false)
		o.corner(sky, o.leaderWords(), false, true)
	}
	o.corner(sky, o.scaleWords(), true, true)
}

// corner writes lines into a corner. Of the lines that do not all fit the last are left out.
func (o *orreryCtx) corner(sky draw.Area, lines []phrase, right, bottom bool) {
	const apart = 2
	for n := len(lines); n > 0; n-- {
		rows, wide := make([][]span, n), 0
		for i := range rows {
			y := i
			if bottom {
				y = sky.H - n + i
			}
			if y < 0 || y >= sky.H {
				return
			}
			left, free := o.plan.Free(y)
			if right {
				left = free
			}
			if left == sky.W { // an empty row is shared by two corners and the top of a ring
				left = sky.W / 3
			}
			if rows[i] = lines[i].fitting(left - apart); rows[i] == nil {
				break
			}
			wide = max(wide, width(rows[i]))
		}
		if rows[n-1] == nil {
			continue
		}
		for i, row := range rows {
			x, y := 0, i
			if bottom {
				y = sky.H - n + i
			}
			if right {
				x = sky.W - width(row)
			}
			o.lettered = append(o.lettered, orbit.Rect{X: x - 1, Y: y, W: width(row) + 2, H: 1})
			for _, s := range row {
				x = sky.Text(x, y, s.style, s.text) + 1
			}
		}
		return
	}
}

var (
	plainText = themes.Style(themes.Text)
	dimText   = themes.Style(themes.Dim)
)

// queueWords count the pods of the belt's rings and the others.
func (o *orreryCtx) queueWords() []phrase {
	line := func(s PodState, n int) phrase {
		sign, number := span{themes.Style(s.Token()), string(s.Glyph())}, span{plainText, string(draw.AppendCount(nil, int64(n)))}
		return phrase{long: []span{sign, number, {dimText, s.Word()}}, short: []span{sign, number, {dimText, s.Short()}}}
	}
	lines := []phrase{line(Active, o.Counts.Active), line(Backoff, o.Counts.Backoff), line(Unschedulable, o.Counts.Unschedulable)}
	if o.Terminating > 0 {
		lines = append(lines, line(Terminating, o.Terminating))
	}
	if o.Counts.Gated > 0 {
		lines = append(lines, line(Gated, o.Counts.Gated))
	}
	if o.Counts.Decided > 0 {
		lines = append(lines, line(Decided, o.Counts.Decided))
	}
	if o.Counts.InFlight > 0 {
		lines = append(lines, line(InFlight, o.Counts.InFlight))
	}
	return lines
}

// signWords explain the signs of nodes.
func (o *orreryCtx) signWords() []phrase {
	if o.byZone() {
		return zoneSignWords()
	}
	result := func(word, brief string, r LaneCell, style themes.Style) phrase {
		small, medium, large := string(bodyGlyphs[r][0]), string(bodyGlyphs[r][1]), string(bodyGlyphs[r][2])
		return phrase{long: []span{{dimText, word}, {style, small + " " + medium + " " + large}}, short: []span{{dimText, brief}, {style, medium}}}
	}
	lines := []phrase{
		result("feasible", "feasible", Feasible, plainText.With(themes.Bold)),
		result("rejected", "rejected", Rejected, plainText),
		result("not examined", "not seen", NotVisited, plainText),
		say(span{dimText, "chosen"}, span{themes.Focus.With(themes.Bold), "★"}),
		say(span{dimText, "nominated"}, span{themes.Nominated.With(themes.Bold), "⚑"}),
		say(span{dimText, "not ready"}, span{themes.Style(themes.Border), "⊗"}),
		say(span{dimText, "cordoned"}, span{themes.Style(themes.Warn), "⊘"}),
		say(span{dimText, "evicted"}, span{themes.Terminating.With(themes.Bold), "▼"}),
		{long: []span{{dimText, "size: its capacity"}}, short: []span{{dimText, "size: capacity"}}},
		{long: []span{{dimText, "examined before"}, {plainText, string(bodyGlyphs[Visited][1])}}, short: []span{{dimText, "before"}, {plainText, string(bodyGlyphs[Visited][1])}}},
	}
	return lines
}

// leaderWords tell who leads, above the lower edge.
func (o *orreryCtx) leaderWords() []phrase {
	l := o.Leader
	switch {
	case l == nil:
		return []phrase{{long: []span{{dimText, "no lease found"}}, short: []span{{dimText, "no lease"}}}}
	case l.noLease():
		return []phrase{{long: []span{{dimText, "there is no scheduler lease"}}, short: []span{{dimText, "no lease"}}}}
	case l.Holder == "":
		return []phrase{say(span{themes.Bad.With(themes.Bold), "✗ no leader"})}
	}
	left, token := l.left(o.now)
	glyph, does := "♥", "leads"
	missed, silent := l.missed(o.now)
	if missed > 0 {
		glyph, token, does = "✗", themes.Bad, "silent for "+wholeSpan(silent)
	}
	if left <= 0 {
		glyph = "✗"
	}
	expiry := phrase{
		long: []span{{themes.Style(token), formatSpan(max(left, 0))}, {dimText, "until the lease expires"}}, short: []span{{themes.Style(token), formatSpan(max(left, 0))}, {dimText, "left"}},
	}
	if left <= 0 {
		expiry = phrase{long: []span{{themes.Bad.With(themes.Bold), "the lease has expired"}}, short: []span{{themes.Bad.With(themes.Bold), "expired"}}}
	}
	return []phrase{
		{long: []span{{themes.Style(token), glyph}, {plainText, l.Holder}, {dimText, does}}, short: []span{{themes.Style(token), glyph}, {plainText, clipped(l.Holder, 14)}}},
		expiry, say(span{dimText, counted(l.Transitions, "transition")}),
	}
}

// clipped cuts a text to a width.
func clipped(text string, w int) string {
	if draw.Width(text) <= w {
		return text
	}
	c := draw.New(w, 1)
	c.All(draw.Braille).Fit(0, 0, w, plainText, text)
	return c.Plain()
}

// scaleWords tell how many nodes and pods a mark is, and what the colours stand for.
func (o *orreryCtx) scaleWords() []phrase {
	var lines []phrase
	if most := o.plan.Most(); most > 1 && !o.byZone() {
		lines = append(lines, markWords(countNodes(most)))
	}
	if per := o.podsPerMark(); per > 1 {
		lines = append(lines, markWords(counted(per, "pod")))
	}
	if o.perMoon > 1 {
		lines = append(lines, phrase{long: []span{{dimText, "a moon is ≤ " + counted(o.perMoon, "pod")}}, short: []span{{dimText, "moon ≤ " + counted(o.perMoon, "pod")}}})
	}
	heat := []span{{dimText, "allocated"}}
	for i := range themes.HeatSteps {
		heat = append(heat, span{themes.Style(themes.Heat(float64(i) / float64(themes.HeatSteps))), "●"})
	}
	return append(lines, phrase{long: heat, short: []span{heat[0], heat[1], heat[len(heat)/2], heat[len(heat)-1]}})
}

// markWords say how much a mark stands for at most.
func markWords(what string) phrase {
	return phrase{long: []span{{dimText, "a mark is ≤ " + what}}, short: []span{{dimText, "≤ " + what}}}
}

// lastSearch draws the last search's pod, its node, and its counts.
func (o *orreryCtx) lastSearch(row draw.Area) {
	q := o.Last
	if q == nil {
		row.Fit(0, 0, row.W, dimText, "no search yet")
		return
	}
	z := &Zones{Examined: q.Examined, Feasible: q.Feasible, Rejected: q.Examined - q.Feasible}
	const least, full, short = 24, 46, 38
	counts := full
	if row.W < least+full {
		counts = short
	}
	left, right := row.Left(max(row.W-counts, 0))
	zonesFacts(row.In(right), z, o.now)
	left, _ = left.Left(left.W - 2)
	words := row.In(left)
	pod := q.Pod
	if words.W < 60 {
		pod = strings.TrimPrefix(pod, "default/")
	}
	glyph, token, node := '★', themes.Focus, q.Chosen
	if o.Nominated >= 0 {
		glyph, token, node = '⚑', themes.Nominated, "preempts "+strconv.Itoa(o.Victims)
	}
	const sign = 3
	room := min(draw.Width(node), words.W/2-sign)
	if node == "" || room < 8 {
		words.FitPath(0, 0, words.W, plainText, pod)
		return
	}
	x := words.FitPath(0, 0, words.W-room-sign, plainText, pod)
	words.Set(x+1, 0, token.With(themes.Bold), glyph)
	words.FitHost(x+sign, 0, words.W-x-sign, plainText, node)
}

// resultWords are the results of a search in words.
var resultWords = [...]string{NoNode: "", NotVisited: "not examined", Visited: "examined", Feasible: "feasible", Rejected: "rejected", Chosen: "chosen"}

// selected draws the facts of the selected node, those that matter most first.
func (o *orreryCtx) selected(row draw.Area) {
	if len(o.Bodies) == 0 {
		return
	}
	n := o.Nodes.At(o.at)
	if n == nil {
		return // it is collected for the next frame
	}
	body := o.plan.BodyOf(o.at)
	m := o.markOf(body)
	row.Set(0, 0, themes.Style(themes.Accent), '▌')
	glyph, style := m.look(false)
	row.Set(1, 0, style, glyph)
	r := rowWriter{a: row, x: row.FitHost(3, 0, row.W/3, themes.Title.With(themes.Bold), n.Name)}
	r.fact(plainText, resultWords[o.Bodies[o.at].Result], "")
	r.fact(plainText, nodeStatus(n), "")
	r.fact(plainText, n.CPU.Used+"/"+n.CPU.Most, "cpu").fact(plainText, n.Memory.Used+"/"+n.Memory.Most, "memory")
	r.fact(plainText, string(draw.AppendCount(nil, int64(o.at+1))), "of "+count(len(o.Bodies), "in order"))
	if body.Count > 1 {
		r.fact(plainText, countNodes(body.Count), "here: "+strconv.Itoa(m.results[Feasible]+m.results[Chosen])+" feasible, "+strconv.Itoa(m.results[Rejected])+" rejected")
	}
	r.fact(plainText, counted(n.PodCount, "pod"), "").fact(dimText, n.Zone, "")
	r.fact(dimText, labelled("taints", n.Taints), "")
}
