package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// when is the first time at which a clock shows a time, after any changes of its rate, for a hundred years.
func TestClock_WhenInvertsRead(t *testing.T) {
	const century = 3_155_760_000_000_000_000
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(100_000, 2_000_000)
		c := clock{rate: rate.Draw(t, "rate"), local: rapid.Int64Range(-1e15, 1e15).Draw(t, "offset")}
		var now int64
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			now += rapid.Int64Range(0, 1e15).Draw(t, "after")
			before := c.read(now)
			c.setRate(now, rate.Draw(t, "rate"))
			if c.read(now) != before {
				t.Fatalf("the clock jumped from %d to %d", before, c.read(now))
			}
		}
		local := c.read(now + rapid.Int64Range(0, century).Draw(t, "ahead"))
		at := c.when(local)
		if c.read(at) < local {
			t.Errorf("at %d the clock shows %d, before %d", at, c.read(at), local)
		}
		if at > now && c.read(at-1) >= local {
			t.Errorf("the clock shows %d already at %d", local, at-1)
		}
	})
}
