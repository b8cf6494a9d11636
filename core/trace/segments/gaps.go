package segments

import (
	"errors"
	"time"

	"orrery/core/trace"
)

// Gap is a time of which nothing is recorded, or only by another scheduler.
type Gap struct {
	From, To time.Time
	// Restart says that another process recorded after it.
	Restart bool
}

// Gaps returns where records are missing between segments, oldest first. A segment that cannot be read begins one.
func Gaps(all []Summarized) []Gap {
	var gaps []Gap
	for i := 1; i < len(all); i++ {
		before, after := &all[i-1], &all[i]
		if after.Follows(&before.Summary) {
			continue
		}
		gaps = append(gaps, Gap{From: before.Summary.End, To: after.Summary.Start, Restart: before.Seed != after.Seed})
	}
	return gaps
}

// isUnfinished reports whether a trace is whole but for its end mark.
func isUnfinished(d *trace.Damage) bool { return errors.Is(d, trace.ErrUnfinished) }
