package live

import "time"

// clock tells the time of inputs: the wall clock's when it was made, and from then on steadily forward. Setting the wall
// clock changes nothing; how far the two have come apart can be asked.
type clock struct {
	base    time.Time
	wall    func() time.Time
	elapsed func() time.Duration
}

func newClock() clock {
	began := time.Now() // with its monotonic reading, by which Since goes
	return clock{
		base:    began.Round(0),
		wall:    func() time.Time { return time.Now().Round(0) },
		elapsed: func() time.Duration { return time.Since(began) },
	}
}

func (c clock) now() time.Time { return c.base.Add(c.elapsed()) }

// skew is how far the wall clock is ahead by now.
func (c clock) skew() time.Duration { return c.wall().Sub(c.now()) }
