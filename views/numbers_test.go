package views_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

// The priority of system-node-critical is the longest that Kubernetes has.
func TestPriority_IsNeverBlank(t *testing.T) {
	m := sample(312, 240)
	for i := range m.Queue.Pods.Rows {
		m.Queue.Pods.Rows[i].Priority = 2_000_001_000
	}
	for i := range m.Node.Pods.Rows {
		m.Node.Pods.Rows[i].Priority = 2_000_001_000
	}
	for i := range m.Gangs.List.Rows {
		m.Gangs.List.Rows[i].Priority = 2_000_001_000
	}
	for _, pane := range []views.PaneID{views.QueuePane, views.NodePane, views.GangsPane} {
		for w := 90; w <= 220; w++ {
			c := draw.New(w, 40)
			views.Screen(c, m, sampleState(pane), draw.Braille, noon)
			text := c.Plain()
			if !strings.Contains(text, "prio") { // the column is dropped
				continue
			}
			if !strings.Contains(text, "2.0G") && !strings.Contains(text, "2000001000") && !strings.Contains(text, "2,000,001,000") {
				t.Errorf("%s at %d columns does not show the priority", pane, w)
			}
		}
	}
}

func TestEvictions_AlwaysShowTime(t *testing.T) {
	m := sample(312, 240)
	for _, c := range []struct {
		left, ended time.Duration
		want        []string
	}{
		{left: 10 * time.Minute, want: []string{"10m"}},
		{left: 9*time.Minute + 59*time.Second, want: []string{"9m59s"}},
		{ended: -72 * time.Second, want: []string{"-1m12s", "-1m"}},
		{ended: -323 * time.Millisecond, want: []string{"-323ms", "-0.3s"}},
	} {
		e := &m.Evictions.List.Rows[0]
		e.Deadline, e.Ended = noon.Add(c.left), time.Time{}
		if c.ended != 0 {
			e.Ended = noon.Add(c.ended)
		}
		for _, w := range []int{60, 61, 80, 140, 220} {
			canvas := draw.New(w, 40)
			views.Screen(canvas, m, sampleState(views.EvictionsPane), draw.Braille, noon)
			text, shown := canvas.Plain(), false
			for _, want := range c.want {
				shown = shown || strings.Contains(text, fmt.Sprintf(" %s ", want))
			}
			if !shown {
				t.Errorf("%d columns do not show any of %q", w, c.want)
			}
		}
	}
}
