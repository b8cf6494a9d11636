package live

import "time"

// clock gives inputs their time: it starts as the wall clock and then runs monotonically, even if the wall clock is
// set.
type clock struct {
	base    time.Time
	wall    func() time.Time
	elapsed func() time.Duration
}

func newClock() clock {
	began := time.Now() // with a monotonic reading, which Since uses
	return clock{
		base:    began.Round(0),
		wall:    func() time.Time { return time.Now().Round(0) },
		elapsed: func() time.Duration { return time.Since(began) },
	}
}

func (c clock) now() time.Time { return c.base.Add(c.elapsed()) }

// skew is the wall clock's lead over the clock.
func (c clock) skew() time.Duration { return c.wall().Sub(c.now()) }

const (
	skewMost  = time.Second      // the change of the wall clock that is not reported
	skewEvery = 10 * time.Second // the interval of the check
)

// checkClock counts and logs that the wall clock was set.
func (c *Cluster) checkClock() {
	now := c.Now()
	if now.Sub(c.skewCheckedAt) < skewEvery {
		return
	}
	c.skewCheckedAt = now
	skew := c.clock.skew()
	if by := skew - c.skew; by.Abs() > skewMost {
		c.count.clockJumps.Add(1)
		c.options.Logger.Info("The wall clock was set; timers go on as if it had not been", "by", by.Round(time.Millisecond))
	}
	c.skew = skew
}
