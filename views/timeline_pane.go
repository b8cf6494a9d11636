package views

import (
	"slices"
	"strconv"
	"time"

	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var timelinePane = ListPane[Mark]{
	Pane:    Pane{ID: TimelinePane, Title: "Timeline", Digit: 'M', minW: 50, minH: 8, borderFact: timelineRight, named: rowNames{"marks", "in this recording"}},
	Columns: markColumns, Row: markRow, Empty: "this recording has no marks", Absent: "there is no timeline here", Head: timelineHead,
	Rows: Source.Marks,
	In:   in(func(m *Model) *Timeline { return m.Timeline }, func(p *Timeline) *List[Mark] { return &p.Listed }),
	Match: func(f *filter.Row, m *Mark) {
		f.Name, f.Words = m.Label, [4]string{m.Kind, m.At.Format("15:04:05")}
	},
	Sorts: []Sort[Mark]{
		by("kind", func(m *Mark) string { return m.Kind }),
		by("text", func(m *Mark) string { return m.Label }),
	},
}

var markColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 9, Rank: 0},
	{Long: "kind", Short: "kind", Min: 15, Rank: 1},
	{Long: "offset", Short: "offset", Min: 10, Rank: 2, Right: true},
	{Long: "mark", Short: "mark", Min: 18, Grow: 1, Rank: 0},
}

// timelineRight returns how many marks there are, and how far the curves reach while they are incomplete.
func timelineRight(m *Model) string {
	t := m.Timeline
	if t == nil {
		return ""
	}
	text := counted(len(t.Marks), "mark")
	if known, of := time.Duration(len(t.Depth))*t.Step, t.End.Sub(t.Start); len(t.Depth) > 0 && known < of {
		text += ", curves to " + strconv.Itoa(int(100*known.Microseconds()/of.Microseconds())) + "%"
	}
	return text
}

// timelineCtx is the timeline pane during its drawing: in the area track, time runs from the left to the right edge;
// label is the area left of it.
type timelineCtx struct {
	*Timeline
	label draw.Area
	track draw.Area
	y     int
}

// timelineHead draws the recording in full: pending pods and decisions as curves over the same time axis, and the
// current time.
func timelineHead(a draw.Area, s *drawCtx) draw.Area {
	t := s.Timeline
	kinds := markKinds(t.Marks)
	labels, lanes := 13, false
	if a.W >= 96 {
		labels, lanes = 22, a.H >= 24
	}
	left, right := a.Rect.Left(labels)
	p := &timelineCtx{Timeline: t, label: a.In(left), track: a.In(right)}
	p.facts(a.Row(0))
	p.y = 1
	if !lanes && len(kinds) > 0 {
		legend(a.Row(1), kinds)
		p.y++
	}
	curves := min(max((a.H-6)*2/5, 2), 16)
	depth := curves
	if curves >= 5 {
		depth = (curves + 1) / 2
	}
	from := p.y
	p.curve("pending pods", themes.Backoff, t.Depth, depth, slices.Max[[]float64])
	if curves > depth {
		p.curve("decisions/s", themes.Good, t.Rate, curves-depth, mean)
	}
	scrubber(p.track.Row(p.y), 0, p.track.W, t)
	p.label.Fit(0, p.y, p.label.W-1, themes.Style(themes.Dim), "time")
	p.y++
	if lanes {
		for _, k := range kinds {
			p.lane(k)
		}
	}
	p.scale()
	if s.ui.Hits != nil && s.full {
		s.ui.Hits.Scrubber = draw.Rect{X: p.track.X, Y: p.track.Y + from, W: p.track.W, H: p.y - from}
	}
	_, rest := a.Rect.Top(p.y)
	return a.In(rest)
}

// facts draws the current time and the next mark.
func (p *timelineCtx) facts(row draw.Area) {
	dim, text := themes.Style(themes.Dim), themes.Text.With(themes.Bold)
	x := row.Text(0, 0, text, offset(p.At.Sub(p.Start), true))
	x = row.Text(x, 0, dim, " of ")
	x = row.Text(x, 0, themes.Style(themes.Text), offset(p.End.Sub(p.Start), false))
	x = row.Text(x+3, 0, dim, p.At.Format("15:04:05"))
	for i := range p.Marks {
		if m := &p.Marks[i]; m.At.After(p.At) {
			x = row.Text(x+3, 0, dim, "next ")
			row.Set(x, 0, m.style(), m.glyph())
			x = row.Text(x+2, 0, dim, "in ")
			x = row.Span(x, 0, themes.Style(themes.Text), m.At.Sub(p.At))
			row.Fit(x+2, 0, row.W-x-2, dim, m.Label)
			return
		}
	}
}

// markKind groups the marks of one kind.
type markKind struct {
	*Mark // the first of them
	count int
}

// markKinds returns the kinds of marks, in the order of their first marks.
func markKinds(marks []Mark) []markKind {
	var kinds []markKind
	for i := range marks {
		m := &marks[i]
		at := slices.IndexFunc(kinds, func(k markKind) bool { return k.Kind == m.Kind && k.glyph() == m.glyph() })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, markKind{Mark: m})
		}
		kinds[at].count++
	}
	return kinds
}

// legend draws the meaning of the signs on the track, and how often each occurs.
func legend(row draw.Area, kinds []markKind) {
	r := rowWriter{a: row}
	r.legend(themes.Style(themes.Focus), "●", "here")
	for _, k := range kinds {
		r.legend(themes.Style(k.style().Token()), string(k.glyph()), k.Kind+" "+strconv.Itoa(k.count))
	}
}

// curve draws values over the whole time: those after the current time are dimmed, and unknown ones are left blank.
func (p *timelineCtx) curve(name string, token themes.Token, values []float64, h int, of func([]float64) float64) {
	_, below := p.track.Rect.Top(p.y)
	at, _ := below.Top(h)
	plot := p.track.In(at)
	per := 1
	if plot.Glyphs() == draw.Braille {
		per = 2
	}
	steps := max(int(saturating.Add(p.End.Sub(p.Start), p.Step)/max(p.Step, 1)), len(values), 1)
	shown := resampled(values, steps, plot.W*per, of)
	most := 0.0
	for _, v := range shown {
		most = max(most, v)
	}
	now := p.column(p.At, plot.W)
	was, rest := plot.Rect.Left(now + 1)
	split := min((now+1)*per, len(shown))
	known := (len(shown) + per - 1) / per
	was, _ = was.Left(known)
	plot.In(was).Chart(themes.Style(token), shown[:split], most)
	if known > now+1 {
		rest, _ = rest.Left(known - now - 1)
		plot.In(rest).Chart(themes.Style(themes.Dim), shown[split:], most)
	}
	plot.Repeat(known, h-1, plot.W-known, themes.Style(themes.Border), '·')
	for y := range h {
		plot.Set(now, y, themes.Style(themes.Focus), '│')
	}
	p.curveLegend(name, token, valueAt(values, p.At.Sub(p.Start), p.Step), most)
	p.y += h
}

// curveLegend draws a curve's name, its current value and its maximum.
func (p *timelineCtx) curveLegend(name string, token themes.Token, here, most float64) {
	dim, w := themes.Style(themes.Dim), p.label.W-1
	p.label.Fit(0, p.y, w, dim, name)
	x := p.label.Text(0, p.y+1, token.With(themes.Bold), numberOf(here))
	if of := " of " + numberOf(most); x+len(of) <= w {
		p.label.Text(x, p.y+1, dim, of)
	}
}

// lane draws the marks of one kind on a line of their own.
func (p *timelineCtx) lane(k markKind) {
	label, track := p.label.Row(p.y), p.track.Row(p.y)
	label.Set(0, 0, k.style(), k.glyph())
	label.Fit(2, 0, label.W-8, themes.Style(themes.Dim), k.Kind)
	label.CountRight(label.W-6, 0, 5, themes.Style(themes.Text), int64(k.count))
	track.Repeat(0, 0, track.W, themes.Style(themes.Border), '·')
	track.Set(p.column(p.At, track.W), 0, themes.Style(themes.Focus), '│')
	for i := range p.Marks {
		if m := &p.Marks[i]; m.Kind == k.Kind && m.glyph() == k.glyph() {
			track.Set(p.column(m.At, track.W), 0, m.style(), m.glyph())
		}
	}
	p.y++
}

// scale draws the time axis in round figures.
func (p *timelineCtx) scale() {
	const room = 10
	row, length := p.track.Row(p.y), p.End.Sub(p.Start)
	every := roundStep(time.Duration(saturating.Truncate(float64(length) * room / float64(max(row.W, 1)))))
	for n := range length/every + 1 {
		at := n * every
		x := p.column(p.Start.Add(at), row.W)
		text := offset(at, false)
		if x+len(text) > row.W {
			break
		}
		row.Text(x, 0, themes.Style(themes.Dim), text)
	}
	p.y++
}

// roundStep returns the smallest round step of a scale that is not below least.
func roundStep(least time.Duration) time.Duration {
	for _, unit := range [...]time.Duration{time.Second, time.Minute, time.Hour} {
		for _, n := range [...]time.Duration{1, 2, 5, 10, 15, 30} {
			if n*unit >= least {
				return n * unit
			}
		}
	}
	return (least/(24*time.Hour) + 1) * 24 * time.Hour
}

func markRow(row draw.Area, m *Mark, places *draw.Slots, s *drawCtx) {
	t, text, dim := s.Timeline, themes.Style(themes.Text), themes.Style(themes.Dim)
	away := m.At.Sub(t.At)
	switch {
	case m.Annotated:
		text = text.With(themes.Bold)
	case away <= 0:
		text = dim
	}
	row.Text(places[0].X, 0, text, offset(m.At.Sub(t.Start), true))
	row.Set(places[1].X, 0, m.style(), m.glyph())
	row.Fit(places[1].X+2, 0, places[1].W-2, dim, m.Kind)
	if w := places[2].W; w > 0 {
		words := "in " + formatSpan(away)
		if away <= 0 {
			words = formatSpan(away.Abs()) + " ago"
		}
		row.TextRight(places[2].X, 0, w, dim, words)
	}
	row.Fit(places[3].X, 0, places[3].W, text, m.Label)
}

// resampled reduces values to n, each computed by of from at least one value. The values may cover only the first of
// steps steps; the result is then shorter in proportion.
func resampled(values []float64, steps, n int, of func([]float64) float64) []float64 {
	var some []float64
	for i := range n {
		from := i * steps / n
		to := max((i+1)*steps/n, from+1)
		if from >= len(values) {
			break
		}
		some = append(some, of(values[from:min(to, len(values))]))
	}
	return some
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// valueAt returns the value at a time.
func valueAt(values []float64, at, step time.Duration) float64 {
	if i := int(at / max(step, 1)); i >= 0 && i < len(values) {
		return values[i]
	}
	return 0
}
