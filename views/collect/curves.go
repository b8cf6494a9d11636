package collect

import (
	"time"

	"orrery/core/scheduler/engine"
)

// curveSeconds is how many seconds a curve has.
const curveSeconds = 240

// rateWindow is how many seconds the rate and latency of the header cover.
const rateWindow = 10

// curves count the decisions of each second of the engine's time in fixed rings, so a copy is a fork.
type curves struct {
	first, last time.Time // of all inputs and decisions
	second      int64     // the current one, in Unix time
	decisions   [curveSeconds]uint32
	p99s        [curveSeconds]float32 // p99 attempt latency in seconds
	latencies   [rateWindow]histogram
	all         histogram
}

// place returns where a ring of n seconds has a second. The remainder of one before 1970 is negative.
func place(second, n int64) int64 { return (second%n + n) % n }

// advance moves on to a time and clears the seconds without events on the way.
func (c *curves) advance(at time.Time) {
	if c.first.IsZero() {
		c.first, c.second = at, at.Unix()
	}
	if !at.After(c.last) {
		return
	}
	c.last = at
	now := at.Unix()
	if now <= c.second {
		return
	}
	c.p99s[place(c.second, curveSeconds)] = float32(c.latencies[place(c.second, rateWindow)].quantile(0.99).Seconds())
	for s := max(c.second+1, now-curveSeconds+1); s <= now; s++ {
		c.decisions[place(s, curveSeconds)], c.p99s[place(s, curveSeconds)] = 0, 0
		c.latencies[place(s, rateWindow)] = histogram{}
	}
	c.second = now
}

func (c *curves) add(d *engine.Decision) {
	c.advance(d.At)
	c.decisions[place(c.second, curveSeconds)]++
	c.latencies[place(c.second, rateWindow)].add(d.Duration)
	c.all.add(d.Duration)
}

// rate is the decisions per second of the last seconds until now.
func (c *curves) rate(now time.Time) float64 {
	if c.first.IsZero() {
		return 0
	}
	sum, end := uint32(0), now.Unix()
	for s := end - rateWindow + 1; s <= end; s++ {
		if c.has(s) {
			sum += c.decisions[place(s, curveSeconds)]
		}
	}
	since := max(now.Sub(c.first).Seconds(), 1)
	return float64(sum) / min(since, rateWindow-1+float64(now.Nanosecond())/1e9)
}

// has reports whether a second is in the rings.
func (c *curves) has(second int64) bool {
	return second <= c.second && second > c.second-curveSeconds && second >= c.first.Unix()
}

// p99 is the p99 attempt latency of the last seconds; zero if nothing was measured.
func (c *curves) p99(now time.Time) time.Duration {
	var sum histogram
	for s := max(now.Unix(), c.second) - rateWindow + 1; s <= c.second; s++ { // an engine without inputs has no time
		if c.has(s) {
			sum.merge(&c.latencies[place(s, rateWindow)])
		}
	}
	return sum.quantile(0.99)
}

// series are the curves up to now, the oldest second first. A curve without samples is empty.
func (c *curves) series(now time.Time) (rate, p99 []float64) {
	if c.first.IsZero() {
		return nil, nil
	}
	rate, p99 = make([]float64, curveSeconds), make([]float64, curveSeconds)
	for i := range curveSeconds {
		s := now.Unix() - curveSeconds + 1 + int64(i)
		if !c.has(s) {
			continue
		}
		rate[i], p99[i] = float64(c.decisions[place(s, curveSeconds)]), float64(c.p99s[place(s, curveSeconds)])
		if s == c.second {
			p99[i] = c.latencies[place(s, rateWindow)].quantile(0.99).Seconds()
		}
	}
	if c.all.longest == 0 {
		p99 = nil
	}
	return rate, p99
}
