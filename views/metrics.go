package views

import (
	"slices"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var metricsPane = Pane{ID: MetricsPane, Title: "Metrics", Help: "decisions, latency and pending pods over time", Digit: '9', minW: 50, minH: 10, body: drawMetrics}

// drawMetrics draws the curves: decisions per second, latency and pending pods.
func drawMetrics(a draw.Area, s *drawCtx) {
	m := s.Metrics
	if m == nil {
		drawAbsent(a, "nothing has been measured yet")
		return
	}
	charts := a.Rect
	if a.W >= 96 {
		numbers, left := a.Rect.Right(32)
		charts, _ = left.Left(left.W - 3)
		metricNumbers(a.In(numbers), s)
	}
	h := charts.H / 3
	top, below := charts.Top(h)
	middle, low := below.Top(h)
	chart(a.In(top), "decisions a second", themes.Good, m.Rate, m.Step, numberOf)
	chart(a.In(middle), "p99 attempt latency of each second", themes.Accent, m.P99, m.Step, secondsOf)
	chart(a.In(low), "pending pods", themes.Backoff, m.Depth, m.Step, numberOf)
}

// chart draws one curve with its title, its latest value, and the scales of both axes.
func chart(a draw.Area, title string, token themes.Token, values []float64, step time.Duration, say func(float64) string) {
	if a.H < 3 {
		return
	}
	most, last := 0.0, 0.0
	if len(values) > 0 {
		most, last = slices.Max(values), values[len(values)-1]
	}
	drawHeading(a, 0, title)
	const scale = 8
	_, rest := a.Top(1)
	body, under := rest.Top(rest.H - 1)
	left, plot := body.Left(scale)
	axis, curve := a.In(left), a.In(plot)
	dim, line := themes.Style(themes.Dim), themes.Style(themes.Border)
	if len(values) == 0 {
		curve.Center((curve.H-1)/2, dim, "no data yet")
		return
	}
	a.Text(draw.Width(title)+1, 0, themes.Style(token).With(themes.Bold), " "+say(last)+" ")
	for y := range axis.H {
		axis.Set(scale-1, y, line, '│')
	}
	if most > 0 {
		axisLabel(axis, 0, say(most))
		if axis.H > 4 {
			axisLabel(axis, (axis.H-1)/2, say(most*float64(axis.H-(axis.H-1)/2)/float64(axis.H)))
		}
	}
	if axis.H > 2 {
		axisLabel(axis, axis.H-1, "0")
	}
	shown := curve.Curve(themes.Style(token), values, most)
	timeAxis(a.In(under), scale, curve.W, step*time.Duration(shown))
}

// axisLabel draws a value on the axis of a chart.
func axisLabel(axis draw.Area, y int, value string) {
	axis.TextRight(0, y, axis.W-2, themes.Style(themes.Dim), value)
	axis.Set(axis.W-1, y, themes.Style(themes.Border), '┤')
}

// timeAxis draws how far back a chart reaches.
func timeAxis(row draw.Area, x, w int, covered time.Duration) {
	if row.H == 0 || covered <= 0 {
		return
	}
	dim := themes.Style(themes.Dim)
	row.Text(x, 0, dim, formatSpan(covered)+" ago")
	if w >= 40 {
		half := formatSpan(covered / 2)
		row.Text(x+w/2-len(half)/2, 0, dim, half)
	}
	row.TextRight(x, 0, w, dim, "now")
}

func numberOf(v float64) string { return string(draw.AppendCount(nil, int64(v+0.5))) }

func secondsOf(v float64) string { return formatSpan(time.Duration(v * float64(time.Second))) }

// metricNumbers draws the figures beside the curves, and the header's latency, which covers less time than they do.
func metricNumbers(a draw.Area, s *drawCtx) {
	m, y := s.Metrics, 0
	line := func(name string, style themes.Style, value string) {
		if y < a.H {
			a.Fit(0, y, a.W-draw.Width(value)-2, themes.Style(themes.Dim), name)
			a.TextRight(a.W-12, y, 12, style, value)
			y++
		}
	}
	text := themes.Style(themes.Text)
	drawHeading(a, y, "attempts, whole run")
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
		drawHeading(a, y, "attempt latency, whole run")
		y++
	}
	for _, q := range m.Latency {
		took := "not measured"
		if q.Duration > 0 {
			took = formatSpan(q.Duration)
		}
		line(q.Name, text, took)
	}
	if s.Header.P99 > 0 {
		line("p99 of the last 10s", text, formatSpan(s.Header.P99))
	}
	y++
	if y < a.H {
		drawHeading(a, y, "cache")
		y++
	}
	line("pods", text, numberOf(float64(m.CachePods)))
	line("assumed, not yet bound", text, numberOf(float64(m.AssumedPods)))
}
