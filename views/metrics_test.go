package views_test

import (
	"strings"
	"testing"

	"orrery/views"
	"orrery/views/draw"
)

func TestMetrics_ZeroIsData(t *testing.T) {
	m := sample(312, 240)
	drawn := func() string {
		c := draw.New(140, 40)
		views.Screen(c, m, sampleState(views.MetricsPane), draw.Braille, noon)
		return c.Plain()
	}
	m.Metrics.Depth = make([]float64, 60)
	if text := drawn(); strings.Contains(text, "no data yet") || !strings.Contains(text, "pending pods  0 ") || strings.Count(text, "0 ┤⣀⣀⣀⣀") != 1 {
		t.Errorf("an empty queue is not a flat line:\n%s", text)
	}
	m.Metrics.Depth = nil
	if text := drawn(); strings.Count(text, "no data yet") != 1 || strings.Contains(text, "pending pods  0 ") {
		t.Errorf("a queue without samples has a value:\n%s", text)
	}
}

// The same quantile of three windows differs, so each says what it covers.
func TestMetrics_SayWhatTheyCover(t *testing.T) {
	c := draw.New(140, 40)
	views.Screen(c, sample(312, 240), sampleState(views.MetricsPane), draw.Braille, noon)
	for _, want := range []string{"p99 attempt latency of each second", "p99 of the last 10s", "attempt latency, whole run"} {
		if !strings.Contains(c.Plain(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
