package views

import (
	"slices"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// drawMetrics draws the curves: how much is decided, how long it takes, how much waits.
func drawMetrics(a draw.Area, s *scene) {
	m := s.Metrics
	if m == nil {
		absent(a, "nothing has been measured yet")
		return
	}
	charts := a.Rect
	if a.W >= 96 {
		numbers, left := a.Rect.Right(32)
		charts, _ = left.Left(left.W - 3)
		metricNumbers(a.In(numbers), m)
	}
	h := charts.H / 3
	top, below := charts.Top(h)
	middle, low := below.Top(h)
	chart(a.In(top), "decisions a second", themes.Good, m.Rate, m.Step, numberOf)
	chart(a.In(middle), "slowest hundredth of attempts", themes.Accent, m.P99, m.Step, secondsOf)
	chart(a.In(low), "pods waiting", themes.Backoff, m.Depth, m.Step, numberOf)
}

// chart draws one curve with its title, its latest value and its scale.
func chart(a draw.Area, title string, token themes.Token, values []float64, step time.Duration, say func(float64) string) {
	if a.H < 3 {
		return
	}
	most, last := 0.0, 0.0
	if len(values) > 0 {
		most, last = slices.Max(values), values[len(values)-1]
	}
	heading(a, 0, title)
	a.Text(draw.Width(title)+1, 0, themes.Style(token).With(themes.Bold), " "+say(last)+" ")
	const scale = 8
	_, rest := a.Top(1)
	body, _ := rest.Top(rest.H - 1)
	left, plot := body.Left(scale)
	axis := a.In(left)
	axis.TextRight(0, 0, scale-1, themes.Style(themes.Dim), say(most))
	if axis.H > 2 {
		axis.TextRight(0, axis.H-1, scale-1, themes.Style(themes.Dim), "0")
	}
	curve := a.In(plot)
	if most == 0 {
		absent(curve, "nothing yet")
		return
	}
	curve.Chart(themes.Style(token), values, most)
	if covered := step * time.Duration(len(values)); covered > 0 && axis.H > 3 {
		axis.TextRight(0, axis.H/2, scale-1, themes.Style(themes.Border), short(covered))
	}
}

func numberOf(v float64) string { return string(draw.AppendCount(nil, int64(v+0.5))) }

func secondsOf(v float64) string { return short(time.Duration(v * float64(time.Second))) }

// metricNumbers are the figures beside the curves.
func metricNumbers(a draw.Area, m *Metrics) {
	y := 0
	line := func(name string, style themes.Style, value string) {
		if y < a.H {
			a.Fit(0, y, a.W-draw.Width(value)-2, themes.Style(themes.Dim), name)
			a.TextRight(a.W-12, y, 12, style, value)
			y++
		}
	}
	text := themes.Style(themes.Text)
	heading(a, y, "attempts")
	y++
	for _, t := range m.Attempts {
		style := text
		if t.Bad && t.Count > 0 {
			style = themes.Style(themes.Bad)
		}
		line(t.Name, style, string(draw.AppendCount(nil, t.Count)))
	}
	y++
	if y < a.H {
		heading(a, y, "how long they take")
		y++
	}
	for _, q := range m.Latency {
		took := "not measured"
		if q.Took > 0 {
			took = short(q.Took)
		}
		line(q.Name, text, took)
	}
	y++
	if y < a.H {
		heading(a, y, "held")
		y++
	}
	line("pods in the cache", text, numberOf(float64(m.CachePods)))
	line("of them on their way", text, numberOf(float64(m.Underway)))
}
