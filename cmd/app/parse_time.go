package app

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// momentHelp explains the syntax of times in help texts.
const momentHelp = `A time is one of the trace's: 2026-03-02T09:00:12Z, or 09:00:12 on its first day, or +1m30s after
its beginning.`

var clocks = []string{"15:04", "15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339}

// parseMoment parses a time of a trace with the given start. A time of day before the start is on the next day. Times
// without a zone are UTC, like all printed ones.
func parseMoment(text string, start time.Time) (time.Time, error) {
	if offset, after := strings.CutPrefix(text, "+"); after {
		d, err := time.ParseDuration(offset)
		if err != nil || d < 0 {
			return time.Time{}, errors.New("after a + it takes a duration like 90s or 1m30s")
		}
		return start.Add(d), nil
	}
	for _, layout := range clocks {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if t.Year() == 0 { // a time of day
			t = start.UTC().Truncate(24 * time.Hour).Add(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
			if t.Before(start) && start.Sub(t) > time.Second {
				t = t.Add(24 * time.Hour)
			}
		}
		return t, nil
	}
	const forms = "write a time like 2026-03-02T09:00:12Z, 09:00, 09:00:12 or +1m30s"
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return time.Time{}, errors.New(forms + "; did you mean +" + text + "?")
	}
	return time.Time{}, errors.New(forms)
}

// isClock reports whether a time is one of day, which stands for the first such time after a start.
func isClock(text string) bool {
	return slices.ContainsFunc(clocks[:2], func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	})
}
