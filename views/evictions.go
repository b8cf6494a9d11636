package views

import (
	"math"
	"slices"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var departureColumns = []draw.Column{
	{Long: "in", Short: "in", Min: 5, Rank: 0, Right: true},
	{Long: "state", Short: "state", Min: 10, Rank: 0},
	{Long: "", Short: "", Min: 8, Grow: 1, Most: 14, Rank: 7, From: 110},
	{Long: "pod", Short: "pod", Min: 18, Grow: 4, Most: 44, Rank: 0},
	{Long: "from", Short: "from", Min: 13, Grow: 2, Most: 28, Rank: 1},
	{Long: "cause", Short: "cause", Min: 13, Rank: 2},
	{Long: "why", Short: "why", Min: 18, Grow: 5, Most: 70, Rank: 3},
	{Long: "foretold, and what came", Short: "foretold", Min: 18, Grow: 9, Most: 76, Rank: 5, From: 130},
	{Long: "at whose wish", Short: "by", Min: 18, Grow: 3, Most: 34, Rank: 6, From: 140},
	{Long: "budget", Short: "budget", Min: 16, Grow: 2, Most: 28, Rank: 4},
}

// checkColumn is the place of what was foretold among the columns.
const checkColumn = 7

// columnsOf are the columns of a board, without that of what was foretold where nothing was.
func columnsOf(e *Evictions) []draw.Column {
	if len(e.Outcomes) > 0 || slices.ContainsFunc(e.List.Rows, func(d Departure) bool { return d.Check != "" }) {
		return departureColumns
	}
	columns := slices.Clone(departureColumns)
	columns[checkColumn].From = math.MaxInt
	return columns
}

var phaseLooks = [...]look{
	Forecasted:   {'◌', "forecast", "", themes.Nominated},
	Counting:     {'◔', "counting", "", themes.Warn},
	HeldBack:     {'⊘', "held", "", themes.Gated},
	BeingDeleted: {'▼', "leaving", "", themes.Leaving},
	Departed:     {'☠', "left", "", themes.Dim},
	Stays:        {'✓', "stays", "", themes.Good},
}

func evictionsRight(m *Model) string {
	e := m.Evictions
	if e == nil {
		return ""
	}
	words := count(e.Leaving, "leaving") + " · " + count(e.Forecast, "forecast")
	if e.Held > 0 {
		words += " · " + count(e.Held, "held")
	}
	if e.Overdue > 0 {
		words += " · " + count(e.Overdue, "overdue")
	}
	return words
}

// drawEvictions is the departure board.
func drawEvictions(a draw.Area, s *scene) {
	e := s.Evictions
	switch {
	case e == nil:
		absent(a, "nobody watches for evictions")
		return
	case s.full:
		table(foretold(a, s), s, columnsOf(e), &e.List, "nobody leaves", departureRow)
		return
	case e.List.Total == 0:
		absent(a, "nobody leaves")
		return
	}
	columns := columnsOf(e)
	places := draw.Arrange(columns, a.W)
	top := 0
	if a.H > 3 {
		a.Header(columns, &places)
		top = 1
	}
	for i := range min(len(e.List.Rows), a.H-top) {
		departureRow(a.Row(i+top), &e.List.Rows[i], &places, s)
	}
}

// departureRow is one line of the board. What is only forecast or predicted is set in italics besides being called so.
func departureRow(row draw.Area, d *Departure, places *draw.Columns, s *scene) {
	look := phaseLooks[d.Phase]
	if d.Doubtful {
		look.token = themes.Bad
	}
	var slant themes.Attr
	if d.Phase == Forecasted || d.Predicted {
		slant = themes.Italic
	}
	row = row.On(slant)
	text, dim, style := themes.Style(themes.Text), themes.Style(themes.Dim), themes.Style(look.token)
	departureTime(row, places[0], d, style, s.now)
	row.Set(places[1].X, 0, style, look.glyph)
	row.Fit(places[1].X+2, 0, places[1].W-2, style, departureWord(d))
	departureDrain(row, places[2], d, style, s.now)
	pod(row, places[3], text, d.Pod)
	row.FitHost(places[4].X, 0, places[4].W, dim, d.Node)
	row.Fit(places[5].X, 0, places[5].W, text, d.Cause)
	row.Fit(places[6].X, 0, places[6].W, dim, d.Why)
	departureCheck(row, places[checkColumn], d)
	row.Fit(places[8].X, 0, places[8].W, dim, d.By)
	departureBudget(row, places[9], d)
}

// departureWord is how far it has come. What is somebody else's to do, and was not seen to be done, is told as expected.
func departureWord(d *Departure) string {
	switch {
	case d.Doubtful:
		return "overdue"
	case d.Predicted && d.Phase == Counting:
		return "expected"
	case d.Predicted && d.Phase == BeingDeleted:
		return "due"
	}
	return phaseLooks[d.Phase].word
}

// departureCheck is what was foretold and what came of it, in a sentence if there is room.
func departureCheck(row draw.Area, p draw.Place, d *Departure) {
	style, text := themes.Style(themes.Dim), d.Check
	switch {
	case d.Doubtful, d.Amiss:
		style = themes.Style(themes.Bad)
	case d.Brief != "":
		style = themes.Style(themes.Text)
	}
	if draw.Width(text) > p.W && d.Brief != "" {
		text = d.Brief
	}
	row.Fit(p.X, 0, p.W, style, text)
}

// foretold draws what came of all that was foretold, and below the list what came of what the selected row is about. It
// gives the area that is left.
func foretold(a draw.Area, s *scene) draw.Area {
	e := s.Evictions
	if len(e.Outcomes) == 0 && e.Overdue == 0 || a.H < 8 {
		return a
	}
	foretoldSum(a.Row(0), e)
	_, rest := a.Top(1)
	last, rest := rest.Bottom(1)
	if d := e.List.At(s.ui.Cursors[EvictionsPane].Selected); d != nil && d.Check != "" {
		style := themes.Style(themes.Text)
		if d.Doubtful || d.Amiss {
			style = themes.Style(themes.Bad)
		}
		a.In(last).Fit(2, 0, a.W-2, style, d.Check)
	}
	return a.In(rest)
}

// foretoldSum is what came of all that was foretold.
func foretoldSum(row draw.Area, e *Evictions) {
	r := run{a: row}
	r.fact(themes.Style(themes.Dim), "foretold", "")
	if e.Overdue > 0 {
		r.number(themes.Style(themes.Bad), "", e.Overdue, "overdue")
	}
	for _, t := range e.Outcomes {
		style := themes.Style(themes.Text)
		if t.Bad {
			style = themes.Style(themes.Bad)
		}
		r.number(style, "", int(t.Count), t.Name)
	}
}

// departureTime counts down to the time at which the pod must be gone, and says of one that is still there that it is late.
func departureTime(row draw.Area, p draw.Place, d *Departure, style themes.Style, now time.Time) {
	left := d.Deadline.Sub(now)
	switch {
	case !d.Ended.IsZero():
		row.SpanRight(p.X, 0, p.W, themes.Style(themes.Dim), d.Ended.Sub(now))
	case d.Deadline.IsZero():
		row.TextRight(p.X, 0, p.W, themes.Style(themes.Dim), "·")
	case left < 0:
		row.TextRight(p.X, 0, p.W, themes.Bad.With(themes.Bold), "late")
	default:
		row.SpanRight(p.X, 0, p.W, style.With(themes.Bold), left)
	}
}

// departureDrain is the time from when it was known to the deadline, running out.
func departureDrain(row draw.Area, p draw.Place, d *Departure, style themes.Style, now time.Time) {
	if p.W == 0 || d.Deadline.IsZero() || d.Noticed.IsZero() || !d.Ended.IsZero() {
		return
	}
	row.Drain(p.X, 0, p.W, style, float64(d.Deadline.Sub(now))/float64(max(d.Deadline.Sub(d.Noticed), 1)))
}

func departureBudget(row draw.Area, p draw.Place, d *Departure) {
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

func stripEvictions(a draw.Area, s *scene) {
	e := s.Evictions
	if e == nil {
		return
	}
	r := run{a: a}
	r.number(themes.Style(themes.Leaving), "", e.Leaving, "leaving").number(themes.Style(themes.Nominated), "", e.Forecast, "forecast")
	r.number(themes.Style(themes.Text), "", e.Held, "held")
	if d := e.List.At(0); d != nil && !r.full && a.W-r.x > 20 {
		x := a.Text(r.x, 0, themes.Style(themes.Dim), "   first ")
		if !d.Deadline.IsZero() {
			x = a.Span(x, 0, themes.Style(themes.Leaving), max(d.Deadline.Sub(s.now), 0)) + 1
		}
		a.FitPath(x, 0, a.W-x, themes.Style(themes.Text), d.Pod)
	}
}
