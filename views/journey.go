package views

import (
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var stepColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 10, Rank: 2, Right: true},
	{Long: "from", Short: "from", Min: 9, Grow: 1, Most: 15, Rank: 1},
	{Long: "to", Short: "to", Min: 11, Grow: 2, Most: 17, Rank: 0},
	{Long: "after", Short: "after", Min: 5, Rank: 3, Right: true},
	{Long: "try", Short: "try", Min: 3, Rank: 5, Right: true},
	{Long: "because of", Short: "event", Min: 22, Grow: 2, Most: 40, Rank: 0},
	{Long: "plugin", Short: "plugin", Min: 17, Grow: 1, Most: 26, Rank: 4},
	{Long: "it said", Short: "said", Min: 16, Grow: 6, Rank: 6},
	{Long: "feasible", Short: "feasible", Min: 11, Rank: 8},
	{Long: "took", Short: "took", Min: 6, Rank: 7, Right: true},
}

// drawJourney is one pod's whole way: what it is, then every move with its cause and how long it had stayed.
func drawJourney(a draw.Area, s *scene) {
	j := s.Journey
	if j == nil {
		absent(a, "choose a pod, and press enter")
		return
	}
	mark(a.Row(0), 0, 16, j.State)
	x := a.FitPath(17, 0, a.W-34, themes.Title.With(themes.Bold), j.Pod)
	r := run{a: a.Row(0), x: x}
	r.number(themes.Style(themes.Text), "", j.Attempts, "attempts")
	if !j.Created.IsZero() {
		r.fact(themes.Style(themes.Text), short(s.now.Sub(j.Created)), "old")
	}
	if j.Waited > 0 {
		r.fact(themes.Style(themes.Text), short(j.Waited), "waited")
	}
	if j.Tried > 0 {
		r.fact(themes.Style(themes.Text), short(j.Tried), "of attempts")
	}
	y := facts(a, 2, a.H/3, j.Facts)
	if len(j.Awaits) > 0 && a.H > y+6 {
		a.Fit(0, y, 13, themes.Style(themes.Dim), "moved by")
		y = a.Wrap(14, y, a.W-14, 2, themes.Style(themes.Text), strings.Join(j.Awaits, ", "))
	}
	if a.H > y+j.Steps.Total+4 || a.H > y+14 {
		y = lifeline(a, y, j, s.now)
	}
	_, rest := a.Top(y + 1)
	table(a.In(rest), s, stepColumns, &j.Steps, "nothing has happened to it yet", stepRow)
}

// lifeline draws the time of the steps that are at hand as one line, every stretch of it in the state that the pod was in,
// and how long it was in each state in all. It gives the row after it.
func lifeline(a draw.Area, y int, j *Journey, now time.Time) int {
	steps := j.Steps.Rows
	if len(steps) < 2 || j.Steps.First != 0 || len(steps) != j.Steps.Total || !now.After(steps[0].At) {
		return y
	}
	const label = 14
	a.Fit(0, y, label-1, themes.Style(themes.Dim), "its time")
	w, whole := a.W-label, now.Sub(steps[0].At)
	var in [podStates]time.Duration
	for i := range steps {
		end := now
		if i+1 < len(steps) {
			end = steps[i+1].At
		}
		state := steps[i].To
		in[state] += end.Sub(steps[i].At)
		from, to := column(steps[i].At.Sub(steps[0].At), whole, w), column(end.Sub(steps[0].At), whole, w)
		a.Repeat(label+from, y, to-from, themes.Style(state.Token()), fillOf(state))
	}
	r := run{a: a.Row(y + 1)}
	_, r.a.Rect = r.a.Left(label)
	for state, d := range in {
		if d > 0 {
			look := PodState(state)
			r.fact(themes.Style(look.Token()), string(look.Glyph())+" "+short(d), look.Word())
		}
	}
	return y + 2
}

// column is where a time lies on a line of w columns that stands for the whole.
func column(at, whole time.Duration, w int) int {
	return int(float64(at) / float64(whole) * float64(w))
}

// fillOf is what a stretch of time in a state is drawn with: as in the bar of the queue's shares.
func fillOf(s PodState) rune {
	for _, k := range queueKinds {
		if k.state == s {
			return k.fill
		}
	}
	return '━'
}

// facts draws names and values in as many columns as have room for the longest, on at most rows rows, and gives the row
// after them.
func facts(a draw.Area, y, rows int, list []Fact) int {
	const name, width = 14, 44
	longest := 0
	for _, f := range list {
		longest = max(longest, draw.Width(f.Value))
	}
	perRow := max(a.W/width, 1)
	for perRow > 1 && a.W/perRow < name+longest+2 && (len(list)+perRow-2)/(perRow-1) <= rows {
		perRow--
	}
	w := a.W / perRow
	for i, f := range list {
		row, x := y+i/perRow, i%perRow*w
		if i/perRow >= rows {
			return y + rows
		}
		a.Fit(x, row, name-1, themes.Style(themes.Dim), f.Name)
		a.Fit(x+name, row, w-name-1, themes.Style(themes.Text), f.Value)
	}
	return y + (len(list)+perRow-1)/perRow
}

func stepRow(row draw.Area, t *JourneyStep, places *draw.Columns, _ *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	row.ClockRight(places[0].X, 0, places[0].W, dim, t.At)
	if places[1].W > 0 {
		mark(row, places[1].X, places[1].W, t.From)
	}
	row.Set(places[2].X, 0, dim, '→')
	mark(row, places[2].X+2, places[2].W-2, t.To)
	if t.Stayed > 0 {
		row.SpanRight(places[3].X, 0, places[3].W, text, t.Stayed)
	}
	if t.Attempt > 0 {
		row.CountRight(places[4].X, 0, places[4].W, dim, int64(t.Attempt))
	}
	row.Fit(places[5].X, 0, places[5].W, text, t.Event)
	row.Fit(places[6].X, 0, places[6].W, dim, t.Plugin)
	row.Fit(places[7].X, 0, places[7].W, dim, t.Note)
	if t.Examined > 0 {
		shareOf(row, places[8], t.Feasible, t.Examined)
	}
	if t.Took > 0 {
		row.SpanRight(places[9].X, 0, places[9].W, text, t.Took)
	}
}
