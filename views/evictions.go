package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var departureColumns = []draw.Column{
	{Long: "in", Short: "in", Min: 5, Rank: 0, Right: true},
	{Long: "state", Short: "state", Min: 10, Rank: 0},
	{Long: "pod", Short: "pod", Min: 12, Grow: 4, Most: 44, Rank: 0},
	{Long: "from", Short: "from", Min: 10, Grow: 2, Most: 28, Rank: 3},
	{Long: "cause", Short: "cause", Min: 10, Grow: 1, Most: 13, Rank: 1},
	{Long: "why", Short: "why", Min: 14, Grow: 5, Rank: 2},
	{Long: "at whose wish", Short: "by", Min: 14, Grow: 3, Most: 30, Rank: 5},
	{Long: "budget", Short: "budget", Min: 14, Grow: 2, Most: 28, Rank: 4},
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
	return count(e.Leaving, "leaving") + " · " + count(e.Forecast, "forecast")
}

// drawEvictions is the departure board.
func drawEvictions(a draw.Area, s *scene) {
	e := s.Evictions
	switch {
	case e == nil:
		absent(a, "nobody watches for evictions")
		return
	case s.full:
		table(a, s, departureColumns, &e.List, "nobody leaves", departureRow)
		return
	case e.List.Total == 0:
		absent(a, "nobody leaves")
		return
	}
	places := draw.Arrange(departureColumns, a.W)
	top := 0
	if a.H > 3 {
		a.Header(departureColumns, &places)
		top = 1
	}
	for i := range min(len(e.List.Rows), a.H-top) {
		departureRow(a.Row(i+top), &e.List.Rows[i], &places, s)
	}
}

// departureRow is one line of the board. What is only forecast or predicted is set in italics besides being called so.
func departureRow(row draw.Area, d *Departure, places *draw.Columns, s *scene) {
	look := phaseLooks[d.Phase]
	var slant themes.Attr
	if d.Phase == Forecasted || d.Predicted {
		slant = themes.Italic
	}
	row = row.On(slant)
	text, dim, style := themes.Style(themes.Text), themes.Style(themes.Dim), themes.Style(look.token)
	switch {
	case !d.Ended.IsZero():
		row.SpanRight(places[0].X, 0, places[0].W, dim, d.Ended.Sub(s.now))
	case d.Deadline.IsZero():
		row.TextRight(places[0].X, 0, places[0].W, dim, "·")
	default:
		row.SpanRight(places[0].X, 0, places[0].W, style.With(themes.Bold), max(d.Deadline.Sub(s.now), 0))
	}
	row.Set(places[1].X, 0, style, look.glyph)
	row.Fit(places[1].X+2, 0, places[1].W-2, style, look.word)
	row.FitPath(places[2].X, 0, places[2].W, text, d.Pod)
	row.FitHost(places[3].X, 0, places[3].W, dim, d.Node)
	row.Fit(places[4].X, 0, places[4].W, text, d.Cause)
	why := places[5]
	x := why.X
	if d.Predicted && d.Phase != Forecasted {
		x = row.Fit(x, 0, why.W, style, "predicted") + 1
	}
	row.Fit(x, 0, why.X+why.W-x, dim, d.Why)
	row.Fit(places[6].X, 0, places[6].W, dim, d.By)
	departureBudget(row, places[7], d)
}

func departureBudget(row draw.Area, p draw.Place, d *Departure) {
	if d.Budget == "" || p.W == 0 {
		return
	}
	style, word := themes.Style(themes.Good), " more"
	if d.Allowed == 0 {
		style, word = themes.Style(themes.Bad), " none"
	}
	x := row.Fit(p.X, 0, p.W-8, themes.Style(themes.Dim), d.Budget)
	if d.Allowed == 0 {
		row.Text(x, 0, style, word)
		return
	}
	x = row.Count(x+1, 0, style, int64(d.Allowed))
	row.Fit(x, 0, p.X+p.W-x, style, word)
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
