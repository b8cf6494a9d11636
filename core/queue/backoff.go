package queue

import "time"

// window is the grain of back-off where pods may be popped early: all that end in one second are released together, and
// within it priority decides.
const window = time.Second

// align is the beginning of t's window, or t where there are no windows.
func (q *Queue) align(t time.Time) time.Time {
	if !q.opts.PopFromBackoff {
		return t
	}
	return t.Truncate(window)
}

// backingOff tells whether a pod must still wait. It does until the window after the one in which its back-off ends.
func (q *Queue) backingOff(p *Pod) bool {
	return !p.backoffExpiration.IsZero() && !p.backoffExpiration.Before(q.align(q.now))
}

// expiration is when the back-off of a pod that failed at its timestamp ends; zero if it gets none.
func (q *Queue) expiration(p *Pod) time.Time {
	d := q.backoffAfter(p)
	if d < 0 {
		return time.Time{}
	}
	return q.align(p.timestamp.Add(d))
}

// backoffAfter is the back-off for what the pod has behind it: its errors in a row if the last attempt was one, else how
// often it was turned down. It is negative for none. The older rule prints 2^attempts seconds: 8 s after three.
func (q *Queue) backoffAfter(p *Pod) time.Duration {
	if q.opts.MaxBackoff == NoBackoff {
		return -1
	}
	if q.opts.Rule == MoveRequestCycle {
		return doubled(q.opts.InitialBackoff, q.opts.MaxBackoff, p.attempts)
	}
	count := p.unschedulableCount
	if p.consecutiveErrors > 0 {
		count = p.consecutiveErrors
	}
	if count == 0 {
		return -1
	}
	return doubled(q.opts.InitialBackoff, q.opts.MaxBackoff, count-1)
}

// doubled is initial × 2^times, but at most limit.
func doubled(initial, limit time.Duration, times int) time.Duration {
	if initial > limit>>times {
		return limit
	}
	return initial << times
}
