package sim

import "time"

// trueRate is the rate of a clock that runs with virtual time. Rates are parts per million of it.
const trueRate = 1_000_000

// clock is a replica's own: off by any offset, fast or slow by any rate, monotonic. Durations are nanoseconds since the
// start of the simulation.
type clock struct {
	rate int64
	// Since the virtual time from, the clock has run at its rate, starting at local. Before, it stands still.
	from, local int64
}

// read is what the clock shows.
func (c *clock) read(now int64) int64 { return c.local + scale(max(now-c.from, 0), c.rate, trueRate) }

// when is the first virtual time at which the clock shows at least that much.
func (c *clock) when(local int64) int64 {
	left := local - c.local
	if left <= 0 {
		return c.from
	}
	return c.from + (left/c.rate)*trueRate + (left%c.rate*trueRate+c.rate-1)/c.rate
}

// setRate changes the rate from now on.
func (c *clock) setRate(now, rate int64) {
	c.local, c.from, c.rate = c.read(now), max(c.from, now), rate
}

// stop makes the clock stand still until then, and returns how much later it is by then than without that.
func (c *clock) stop(now, until int64) (lost int64) {
	c.local = c.read(now)
	from := max(c.from, now)
	c.from = max(from, until)
	return scale(c.from-from, c.rate, trueRate)
}

// scale is n*num/den rounded down, without overflow for the numbers here.
func scale(n, num, den int64) int64 { return n/den*num + n%den*num/den }

// partsPerMillion converts a rate.
func partsPerMillion(rate float64) int64 { return int64(rate*trueRate + 0.5) }

// since and at turn virtual times into nanoseconds since the start, and back.
func (s *Simulation) since(t time.Time) int64 { return int64(t.Sub(s.start)) }

func (s *Simulation) at(ns int64) time.Time { return s.start.Add(time.Duration(ns)) }
