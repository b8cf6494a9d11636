package collect

import (
	"time"

	"orrery/core/engine"
)

// points is how many seconds a curve reaches back.
const points = 240

// recently is how many seconds the figures of the header are taken over.
const recently = 10

// curves are what was decided, second by second of the engine's time, in rings of a fixed size: a copy is a fork.
type curves struct {
	first, last time.Time // of everything that was heard
	second      int64     // the latest, in Unix time
	decisions   [points]uint32
	slow        [points]float32 // seconds that the slowest hundredth took at least
	took        [recently]histogram
	all         histogram
}

// reach goes on to a time. Seconds in which nothing happened are emptied on the way, no more than there are.
func (c *curves) reach(at time.Time) {
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
	c.slow[c.second%points] = float32(c.took[c.second%recently].quantile(0.99).Seconds())
	for s := max(c.second+1, now-points+1); s <= now; s++ {
		c.decisions[s%points], c.slow[s%points] = 0, 0
		c.took[s%recently] = histogram{}
	}
	c.second = now
}

func (c *curves) decided(d *engine.Decision) {
	c.reach(d.At)
	c.decisions[c.second%points]++
	c.took[c.second%recently].add(d.Took)
	c.all.add(d.Took)
}

// rate is how much was decided in a second of late, until now.
func (c *curves) rate(now time.Time) float64 {
	if c.first.IsZero() {
		return 0
	}
	sum, end := uint32(0), now.Unix()
	for s := end - recently + 1; s <= end; s++ {
		if c.kept(s) {
			sum += c.decisions[s%points]
		}
	}
	since := max(now.Sub(c.first).Seconds(), 1)
	return float64(sum) / min(since, recently-1+float64(now.Nanosecond())/1e9)
}

// kept tells whether a second is one of those in the rings.
func (c *curves) kept(second int64) bool {
	return second <= c.second && second > c.second-points && second >= c.first.Unix()
}

// p99 is how long the slowest hundredth of late took at least; zero if nothing was measured.
func (c *curves) p99(now time.Time) time.Duration {
	var sum histogram
	for s := max(now.Unix(), c.second) - recently + 1; s <= c.second; s++ { // an engine that was told nothing has no time yet
		if c.kept(s) {
			sum.merge(&c.took[s%recently])
		}
	}
	return sum.quantile(0.99)
}

// series are the curves up to now, the oldest second first.
func (c *curves) series(now time.Time) (rate, slow []float64) {
	rate, slow = make([]float64, points), make([]float64, points)
	for i := range points {
		s := now.Unix() - points + 1 + int64(i)
		if !c.kept(s) {
			continue
		}
		rate[i], slow[i] = float64(c.decisions[s%points]), float64(c.slow[s%points])
		if s == c.second {
			slow[i] = c.took[s%recently].quantile(0.99).Seconds()
		}
	}
	return rate, slow
}
