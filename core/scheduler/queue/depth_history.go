package queue

// DepthSeconds is the number of seconds that a DepthHistory holds.
const DepthSeconds = 240

// DepthHistory holds the number of pending pods for each of the last seconds, computed from transitions. It has a fixed
// size, and a copy is independent.
type DepthHistory struct {
	waiting int32
	second  int64
	started bool
	ring    [DepthSeconds]int32 // pending pods at the end of each second
}

// Add records a Moved transition and ignores all others. Options.Observe calls it.
func (t *DepthHistory) Add(r *Transition) {
	if r.Kind != Moved {
		return
	}
	t.fillTo(r.At.Unix())
	t.waiting += pending(r.To) - pending(r.From)
	*t.depth(t.second) = t.waiting
}

// pending is 1 for a pod that is queued, and 0 for one that is in flight or gone.
func pending(s State) int32 {
	if s == Gone || s == InFlight {
		return 0
	}
	return 1
}

// depth is the place of a second in the ring. The remainder of a second before 1970 is negative.
func (t *DepthHistory) depth(second int64) *int32 {
	return &t.ring[(second%DepthSeconds+DepthSeconds)%DepthSeconds]
}

// fillTo fills the seconds without a transition, up to the given one.
func (t *DepthHistory) fillTo(second int64) {
	if !t.started {
		t.second, t.started = second, true
	}
	for s := max(t.second, second-DepthSeconds) + 1; s <= second; s++ {
		*t.depth(s) = t.waiting
	}
	t.second = max(t.second, second)
}

// Until appends the number of pending pods at the end of each second up to the given Unix time, the oldest first.
// Before the first record the depth is zero.
func (t *DepthHistory) Until(second int64, into []float64) []float64 {
	for s := second - DepthSeconds + 1; s <= second; s++ {
		switch {
		case s > t.second:
			into = append(into, float64(t.waiting))
		case s <= t.second-DepthSeconds:
			into = append(into, 0)
		default:
			into = append(into, float64(*t.depth(s)))
		}
	}
	return into
}
