package queue

import "time"

// backoffWindow is the granularity of back-off with PopFromBackoff: all back-offs that end within one second end
// together, and priority orders the pods within it (KEP-5142). Moments apart would decide otherwise.
const backoffWindow = time.Second

// alignToWindow returns the beginning of t's window, or t without PopFromBackoff.
func (q *Queue) alignToWindow(t time.Time) time.Time {
	if !q.opts.PopFromBackoff {
		return t
	}
	return t.Truncate(backoffWindow)
}

// isBackingOff reports whether a pod must still wait. It does until the window after the one in which its back-off
// ends.
func (q *Queue) isBackingOff(p *Pod) bool {
	return !p.backoffExpiration.IsZero() && !p.backoffExpiration.Before(q.alignToWindow(q.now))
}

// backoffExpirationOf is when the back-off of a pod that failed at its timestamp ends; zero without back-off.
func (q *Queue) backoffExpirationOf(p *Pod) time.Time {
	d := q.backoffDuration(p)
	if d < 0 {
		return time.Time{}
	}
	return q.alignToWindow(p.timestamp.Add(d))
}

// backoffDuration is the back-off by consecutive errors if the last attempt was an error, else by the number of
// rejections; negative for none. The older rule documents 2^attempts seconds: 8 s after three.
func (q *Queue) backoffDuration(p *Pod) time.Duration {
	if q.opts.MaxBackoff == NoBackoff {
		return -1
	}
	if q.opts.RequeueRule == MoveRequestCycle {
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

// doubled returns initial × 2^times, but at most limit.
func doubled(initial, limit time.Duration, times int) time.Duration {
	if initial > limit>>times {
		return limit
	}
	return initial << times
}
