package queue

// TideSeconds is how far back a Tide reaches.
const TideSeconds = 240

// Tide is how many pods waited in each of the last seconds, made of transitions. It is of a fixed size, and a copy of it
// goes its own way.
type Tide struct {
	waiting int32
	second  int64
	begun   bool
	ring    [TideSeconds]int32 // how many waited at the end of each second
}

// Add takes note of a pod's move; other records pass by. It is what Options.Observe calls.
func (t *Tide) Add(r *Transition) {
	if r.What != Moved {
		return
	}
	t.reach(r.At.Unix())
	t.waiting += waits(r.To) - waits(r.From)
	t.ring[t.second%TideSeconds] = t.waiting
}

// waits is one for a pod that has yet to be placed and is not being placed.
func waits(s State) int32 {
	if s == Gone || s == InFlight {
		return 0
	}
	return 1
}

// reach fills the seconds up to one in which nothing moved.
func (t *Tide) reach(second int64) {
	if !t.begun {
		t.second, t.begun = second, true
	}
	for s := max(t.second, second-TideSeconds) + 1; s <= second; s++ {
		t.ring[s%TideSeconds] = t.waiting
	}
	t.second = max(t.second, second)
}

// Until appends how many waited at the end of each second up to one, in Unix time, the oldest first. Before the first
// record nobody waited.
func (t *Tide) Until(second int64, into []float64) []float64 {
	for s := second - TideSeconds + 1; s <= second; s++ {
		switch {
		case s > t.second:
			into = append(into, float64(t.waiting))
		case s <= t.second-TideSeconds:
			into = append(into, 0)
		default:
			into = append(into, float64(t.ring[(s%TideSeconds+TideSeconds)%TideSeconds]))
		}
	}
	return into
}
