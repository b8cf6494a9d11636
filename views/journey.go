package views

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
)

var journeyPane = ListPane[JourneyStep]{
	Pane:    Pane{ID: JourneyPane, Title: "Journey", About: AboutPod, Opens: ExplainPane, minW: 50, minH: 5},
	Columns: stepColumns, Row: stepRow, Empty: "no transitions yet", Absent: "select a pod and press enter", Head: journeyHead,
	Detail: stepDetail,
	In:     in(func(m *Model) *Journey { return m.Journey }, func(p *Journey) *List[JourneyStep] { return &p.Steps }),
}

var stepColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 10, Rank: 2, Right: true},
	{Long: "from", Short: "from", Min: 9, Grow: 1, Max: 15, Rank: 1},
	{Long: "to", Short: "to", Min: 11, Grow: 2, Max: 17, Rank: 0},
	{Long: "after", Short: "after", Min: 5, Rank: 3, Right: true},
	{Long: "attempt", Short: "att", Min: 3, Rank: 5, Right: true},
	{Long: "event", Short: "event", Min: 22, Grow: 2, Max: 40, Rank: 0},
	{Long: "plugin", Short: "plugin", Min: 17, Grow: 1, Max: 26, Rank: 4},
	{Long: "message", Short: "message", Min: 16, Grow: 6, Rank: 6},
	{Long: "feasible", Short: "feasible", Min: 11, Rank: 8},
	{Long: "duration", Short: "took", Min: 6, Rank: 7, Right: true},
}

// stepDetail is a transition with the whole message, which no column has room for.
func stepDetail(t *JourneyStep) (title, text string) {
	attempt := ""
	if t.Attempt > 0 {
		attempt = "attempt " + strconv.Itoa(t.Attempt)
	}
	return t.From.Word() + " → " + t.To.Word(), joinDetails(t.Note, t.Event, attempt, labelled("by", t.Plugin))
}

// journeyHead draws the pod: its facts, what it waits for, and its time in each state.
func journeyHead(a draw.Area, s *drawCtx) draw.Area {
	j := s.Journey
	drawState(a.Row(0), 0, 16, j.State)
	x := a.FitPath(17, 0, a.W-34, themes.Title.With(themes.Bold), j.Pod)
	r := rowWriter{a: a.Row(0), x: x}
	r.number(themes.Style(themes.Text), "", j.Attempts, plural.Of(j.Attempts, "attempt"))
	if !j.Created.IsZero() {
		r.fact(themes.Style(themes.Text), formatSpan(max(s.now.Sub(j.Created), 0)), "old")
	}
	if j.QueuedFor > 0 {
		r.fact(themes.Style(themes.Text), formatSpan(j.QueuedFor), "queued")
	}
	if j.AttemptTime > 0 {
		r.fact(themes.Style(themes.Text), formatSpan(j.AttemptTime), "in attempts")
	}
	y := drawFacts(a, 2, a.H/3, j.Facts)
	if len(j.RequeuesOn) > 0 && a.H > y+6 {
		a.Fit(0, y, 13, themes.Style(themes.Dim), "requeues on")
		y = a.Wrap(14, y, a.W-14, max(a.H/7, 2), themes.Style(themes.Text), strings.Join(j.RequeuesOn, ", "))
	}
	for _, chain := range [...]struct {
		name  string
		links []answer.Link
	}{{"storage", j.Storage}, {"devices", j.Devices}} {
		if len(chain.links) > 0 && a.H > y+8 {
			a.Fit(0, y, 13, themes.Style(themes.Dim), chain.name)
			_, right := a.Left(14)
			y = drawChain(a.In(right), y, min(y+max(a.H/4, 2), a.H-7), chain.links) // the list keeps six rows
		}
	}
	if a.H > y+j.Steps.Total+4 || a.H > y+14 {
		y = drawStateTime(a, y, j, s.now)
	}
	_, rest := a.Top(y + 1)
	return a.In(rest)
}

// drawStateTime draws the collected steps as one line of time, each span in the style of its state, and the total
// time in each state. It returns the row after it.
func drawStateTime(a draw.Area, y int, j *Journey, now time.Time) int {
	if n := len(j.Steps.Rows); n < 2 || j.Steps.First != 0 || n != j.Steps.Total || !now.After(j.Steps.Rows[n-1].At) {
		return y
	}
	steps := slices.Clone(j.Steps.Rows)
	slices.Reverse(steps) // time runs to the right
	const label = 14
	a.Fit(0, y, label-1, themes.Style(themes.Dim), "time in state")
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
		a.Repeat(label+from, y, to-from, themes.Style(state.Token()), stateFill(state))
	}
	r := rowWriter{a: a.Row(y + 1)}
	_, r.a.Rect = r.a.Left(label)
	for state, d := range in {
		if d > 0 {
			look := PodState(state)
			r.fact(themes.Style(look.Token()), string(look.Glyph())+" "+formatSpan(d), look.Word())
		}
	}
	return y + 2
}

// column returns the column of a time on a line of w columns that spans whole.
func column(at, whole time.Duration, w int) int {
	return int(float64(at) / float64(whole) * float64(w))
}

// stateFill returns the rune that fills a span of time in a state, as in the bar of the queue's shares.
func stateFill(s PodState) rune {
	for _, k := range queueKinds {
		if k.state == s {
			return k.fill
		}
	}
	return '━'
}

// drawFacts draws names and values in as many columns as have room for the longest, on at most rows rows, and returns
// the row after them.
func drawFacts(a draw.Area, y, rows int, list []Fact) int {
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

func stepRow(row draw.Area, t *JourneyStep, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	s.timeRight(row, places[0].X, places[0].W, dim, t.At)
	if places[1].W > 0 {
		drawState(row, places[1].X, places[1].W, t.From)
	}
	row.Set(places[2].X, 0, dim, '→')
	drawState(row, places[2].X+2, places[2].W-2, t.To)
	if t.PreviousStateTime > 0 {
		row.SpanRight(places[3].X, 0, places[3].W, text, t.PreviousStateTime)
	}
	if t.Attempt > 0 {
		row.CountRight(places[4].X, 0, places[4].W, dim, int64(t.Attempt))
	}
	row.Fit(places[5].X, 0, places[5].W, text, t.Event)
	row.Fit(places[6].X, 0, places[6].W, dim, t.Plugin)
	drawReason(row, places[7].X, places[7].W, dim, t.Note)
	if t.Examined > 0 {
		drawShare(row, places[8], t.Feasible, t.Examined)
	}
	if t.AttemptDuration > 0 {
		row.SpanRight(places[9].X, 0, places[9].W, text, t.AttemptDuration)
	}
}
