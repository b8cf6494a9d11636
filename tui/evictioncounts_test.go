package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/collect"
)

// TestEvictions_HeaderEqualsRows counts the states of all rows at moments of a recording: the border says the same.
func TestEvictions_HeaderEqualsRows(t *testing.T) {
	const all = 10_000
	for _, name := range []string{"zone-failure", "node-drain", "memory-pressure"} {
		recording := builtIn(t, name)
		rows := 0
		for at := 40 * time.Second; at < 110*time.Second; at += 7 * time.Second {
			recording.Recording.SeekTo(recording.Start().Add(at))
			s := watch(t, recording, 220, 60).keys("5")
			e := s.loop.collector.Model(recording.Engine(), collect.Query{Open: views.EvictionsPane, Rows: all}).Evictions
			counts := map[string]int{}
			for i := range e.List.Rows {
				counts[e.List.Rows[i].State().String()]++
			}
			rows += len(e.List.Rows)
			border, _, _ := strings.Cut(strings.Split(s.plain(), "\n")[s.screen.body().Y], "╮") // before that of the preview
			sum := 0
			for part := range strings.FieldsFuncSeq(strings.Trim(strings.TrimPrefix(border, "╭─ 5 Evictions "), "╮─ "), func(r rune) bool { return r == '·' }) {
				var n int
				var state string
				if _, err := fmt.Sscan(part, &n, &state); err != nil {
					t.Fatalf("%s at %v: the border says %q: %v", name, at, border, err)
				}
				if counts[state] != n {
					t.Errorf("%s at %v: the border says %d %s, and %d rows do:\n%s", name, at, n, state, counts[state], s.plain())
				}
				sum += n
			}
			if sum != len(e.List.Rows) {
				t.Errorf("%s at %v: the border counts %d of %d rows", name, at, sum, len(e.List.Rows))
			}
		}
		if rows == 0 {
			t.Errorf("%s has no evictions", name)
		}
	}
}
