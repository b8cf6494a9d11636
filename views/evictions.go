package views

import (
	"math"
	"slices"
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var evictionsPane = ListPane[Eviction]{
	Pane: Pane{
		ID: EvictionsPane, Title: "Evictions", Help: "who is evicted, from where, why, when and by whom", Digit: '5', Opens: JourneyPane,
		minW: 28, minH: 2, body: drawEvictions, drawLine: stripEvictions, borderFact: evictionsRight,
		named: rowNames{Many: "evictions"},
	},
	Rows: Source.Evictions,
	In:   in(func(m *Model) *Evictions { return m.Evictions }, func(p *Evictions) *List[Eviction] { return &p.List }),
	Match: func(f *filter.Row, e *Eviction) {
		f.Namespace, f.Name, _ = strings.Cut(e.Key, "/")
		f.Labels, f.Words = e.Labels, [4]string{evictionLooks[e.State()].searched(), e.Cause, e.NodeKey, e.Reason}
	},
	Sorts: []Sort[Eviction]{
		by("pod", func(e *Eviction) string { return e.Key }),
		by("node", func(e *Eviction) string { return e.NodeKey }),
		by("cause", func(e *Eviction) string { return e.Cause }),
		by("state", func(e *Eviction) EvictionPhase { return e.Phase }),
	},
	Key:  func(e *Eviction) string { return e.Key },
	Pod:  func(e *Eviction) string { return e.Key },
	Node: func(e *Eviction) string { return e.NodeKey },
}

var evictionColumns = []draw.Column{
	{Long: "in", Short: "in", Min: 5, Grow: 2, Max: 8, Rank: 0, Right: true},
	{Long: "state", Short: "state", Min: 13, Rank: 0},
	{Long: "", Short: "", Min: 8, Grow: 1, Max: 14, Rank: 7, ShowFrom: 110},
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Max: 44, Rank: 0},
	{Long: "from", Short: "from", Min: 13, Grow: 2, Max: 28, Rank: 2},
	{Long: "cause", Short: "cause", Min: 13, Rank: 3},
	{Long: "why", Short: "why", Min: 18, Grow: 5, Max: 70, Rank: 1},
	{Long: "predicted, and outcome", Short: "predicted", Min: 18, Grow: 9, Max: 76, Rank: 5, ShowFrom: 130},
	{Long: "initiator", Short: "by", Min: 18, Grow: 3, Max: 34, Rank: 6, ShowFrom: 140},
	{Long: "budget", Short: "budget", Min: 16, Grow: 2, Max: 28, Rank: 4},
}

// outcomeColumn is the index of the column of predictions.
const outcomeColumn = 7

// evictionColumnsFor returns the columns, without that of predictions if nothing was predicted.
func evictionColumnsFor(e *Evictions) []draw.Column {
	if len(e.Outcomes) > 0 || slices.ContainsFunc(e.List.Rows, func(d Eviction) bool { return d.Outcome != "" }) {
		return evictionColumns
	}
	columns := slices.Clone(evictionColumns)
	columns[outcomeColumn].ShowFrom = math.MaxInt
	return columns
}

func evictionsRight(m *Model) string {
	if m.Evictions == nil {
		return ""
	}
	var parts []string
	for state, n := range m.Evictions.Counts {
		if n > 0 {
			parts = append(parts, count(n, EvictionState(state).String()))
		}
	}
	return strings.Join(parts, " · ")
}

// drawEvictions draws the evictions pane.
func drawEvictions(a draw.Area, s *drawCtx) {
	e := s.Evictions
	switch {
	case e == nil:
		drawAbsent(a, "evictions are not recorded")
		return
	case s.full:
		table(drawPredictions(a, s), s, evictionColumnsFor(e), &e.List, "no evictions, no terminating pods", evictionRow)
		return
	case e.List.Total == 0:
		drawAbsent(a, "no evictions, no terminating pods")
		return
	}
	columns := evictionColumnsFor(e)
	places := draw.Arrange(columns, a.W)
	top := 0
	if a.H > 3 {
		a.Header(columns, &places)
		top = 1
	}
	for i := range min(len(e.List.Rows), a.H-top) {
		d := &e.List.Rows[i]
		row := s.overviewRow(a.Row(i+top), OverviewRow{Key: d.Key + " " + d.Cause, Opens: JourneyPane, Pod: d.Key, Node: d.NodeKey})
		evictionRow(row, d, &places, s)
	}
}

// evictionRow draws one eviction. Predicted ones are also set in italics.
func evictionRow(row draw.Area, d *Eviction, places *draw.Slots, s *drawCtx) {
	look := evictionLooks[d.State()]
	var slant themes.Attr
	if d.Phase == EvictionPredicted || d.ByOther {
		slant = themes.Italic
	}
	row = row.On(slant)
	text, dim, style := themes.Style(themes.Text), themes.Style(themes.Dim), themes.Style(look.token)
	evictionTime(row, places[0], d, style, s.now)
	row.Set(places[1].X, 0, style, look.glyph)
	row.Fit(places[1].X+2, 0, places[1].W-2, style, look.word)
	evictionCountdown(row, places[2], d, style, s.now)
	s.podName(row, places[3], text, d.Pod)
	row.FitHost(places[4].X, 0, places[4].W, dim, d.Node)
	row.Fit(places[5].X, 0, places[5].W, text, d.Cause)
	evictionWhy(row, places[6], d)
	evictionOutcome(row, places[outcomeColumn], d)
	row.Fit(places[8].X, 0, places[8].W, dim, d.Initiator)
	evictionBudget(row, places[9], d)
}

// evictionWhy draws the reason. Of a preemptor's name the end is kept, which tells it from its siblings.
func evictionWhy(row draw.Area, p draw.Slot, d *Eviction) {
	dim := themes.Style(themes.Dim)
	if d.Preemptor == "" || draw.Width(d.Reason) <= p.W {
		row.Fit(p.X, 0, p.W, dim, d.Reason)
		return
	}
	x := row.Fit(p.X, 0, p.W, dim, "by ")
	row.FitPath(x, 0, p.X+p.W-x, dim, d.Preemptor)
}

// evictionOutcome draws the prediction and its outcome, as a sentence if there is room.
func evictionOutcome(row draw.Area, p draw.Slot, d *Eviction) {
	style, text := themes.Style(themes.Dim), d.Outcome
	switch {
	case d.Overdue, d.Mispredicted:
		style = themes.Style(themes.Bad)
	case d.ShortOutcome != "":
		style = themes.Style(themes.Text)
	}
	if draw.Width(text) > p.W && d.ShortOutcome != "" {
		text = d.ShortOutcome
	}
	row.Fit(p.X, 0, p.W, style, text)
}

// drawPredictions draws the totals of all predictions, and below the list the selected row in full. It returns the area that
// is left.
func drawPredictions(a draw.Area, s *drawCtx) draw.Area {
	e := s.Evictions
	if a.H < 8 {
		return a
	}
	rest := a.Rect
	if len(e.Outcomes) > 0 || e.Counts[StateOverdue] > 0 {
		predictionTotals(a.Row(0), e)
		_, rest = a.Top(1)
	}
	d := e.List.At(s.ui.Cursor.Selected)
	if d == nil {
		return a.In(rest)
	}
	style := themes.Style(themes.Text)
	if d.Overdue || d.Mispredicted {
		style = themes.Style(themes.Bad)
	}
	last, rest := rest.Bottom(1)
	a.In(last).Fit(2, 0, a.W-2, style, joinDetails(d.Reason, labelled("by", d.Initiator), d.Outcome))
	return a.In(rest)
}

// predictionTotals draws how many predictions had which outcome.
func predictionTotals(row draw.Area, e *Evictions) {
	r := rowWriter{a: row}
	r.fact(themes.Style(themes.Dim), "predicted", "")
	if n := e.Counts[StateOverdue]; n > 0 {
		r.number(themes.Style(themes.Bad), "", n, "overdue")
	}
	for _, t := range e.Outcomes {
		style := themes.Style(themes.Text)
		if t.Bad {
			style = themes.Style(themes.Bad)
		}
		r.number(style, "", int(t.Count), t.Name)
	}
}

// evictionTime draws the time left until the pod's deadline, and marks a pod that is still there after it.
func evictionTime(row draw.Area, p draw.Slot, d *Eviction, style themes.Style, now time.Time) {
	left := d.Deadline.Sub(now)
	switch {
	case !d.Ended.IsZero():
		row.SpanRight(p.X, 0, p.W, themes.Style(themes.Dim), d.Ended.Sub(now))
	case d.Deadline.IsZero():
		row.TextRight(p.X, 0, p.W, themes.Style(themes.Dim), "·")
	case left < 0:
		late := themes.Bad.With(themes.Bold)
		if words := string(append(draw.AppendAge(nil, -left), " over"...)); draw.Width(words) <= p.W {
			row.TextRight(p.X, 0, p.W, late, words)
			return
		}
		row.TextRight(p.X, 0, p.W, late, "over")
	default:
		row.SpanRight(p.X, 0, p.W, style.With(themes.Bold), left)
	}
}

// evictionCountdown draws the time left as a part of the time from the first prediction to the deadline.
func evictionCountdown(row draw.Area, p draw.Slot, d *Eviction, style themes.Style, now time.Time) {
	if p.W == 0 || d.Deadline.IsZero() || d.Since.IsZero() || !d.Ended.IsZero() {
		return
	}
	row.Countdown(p.X, 0, p.W, style, float64(d.Deadline.Sub(now))/float64(max(d.Deadline.Sub(d.Since), 1)))
}

func evictionBudget(row draw.Area, p draw.Slot, d *Eviction) {
	if d.Budget == "" || p.W == 0 {
		return
	}
	style, word := themes.Style(themes.Good), " more"
	if d.Allowed == 0 {
		style, word = themes.Style(themes.Bad), " none"
	}
	row.Fit(p.X, 0, p.W-8, themes.Style(themes.Dim), d.Budget)
	if d.Allowed == 0 {
		row.TextRight(p.X+p.W-8, 0, 8, style, word)
		return
	}
	row.CountRight(p.X+p.W-8, 0, 3, style, int64(d.Allowed))
	row.Fit(p.X+p.W-5, 0, 5, style, word)
}

func stripEvictions(a draw.Area, s *drawCtx) {
	e := s.Evictions
	if e == nil {
		return
	}
	r := rowWriter{a: a}
	if e.List.Total == 0 {
		r.fact(themes.Style(themes.Dim), "no evictions, no terminating pods", "")
		return
	}
	r.evictionCounts(&e.Counts)
	if d := e.List.At(0); d != nil && !r.full && a.W-r.x > 20 {
		x := a.Text(r.x, 0, themes.Style(themes.Dim), "   first ")
		if !d.Deadline.IsZero() {
			x = a.Span(x, 0, themes.Style(themes.Terminating), max(d.Deadline.Sub(s.now), 0)) + 1
		}
		a.FitPath(x, 0, a.W-x, themes.Style(themes.Text), d.Pod)
	}
}
