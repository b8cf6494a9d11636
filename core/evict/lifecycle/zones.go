package lifecycle

import (
	"maps"
	"slices"
	"time"
)

// State is how a zone is doing.
type State uint8

// The states of a zone; it is Unseen until it has been looked at.
const (
	Unseen State = iota
	Normal
	PartialDisruption
	FullDisruption
)

func (s State) String() string {
	return [...]string{"unseen", "normal", "partial disruption", "full disruption"}[s]
}

// zone is the nodes that wait for a NoExecute taint, and how fast they get it.
type zone struct {
	state State
	size  int
	queue []string  // names, the next one first
	rate  float64   // per second; zero is never
	free  time.Time // when the next taint may be given
}

// zone is the one of that name. A new one may give its first taint at once.
func (m *Machine) zone(name string) *zone {
	z := m.zones[name]
	if z == nil {
		z = &zone{rate: m.options.Settings.Rate}
		m.zones[name] = z
	}
	return z
}

// setRate changes how fast nodes get their taints. Whether there is one to give at once does not change, but where none
// could be given, none can.
func (m *Machine) setRate(z *zone, rate float64) {
	if z.rate == rate {
		return
	}
	had := z.rate > 0 && !m.now.Before(z.free)
	z.rate, z.free = rate, time.Time{}
	if rate > 0 && !had {
		z.free = m.now.Add(interval(rate))
	}
	m.stale = true
}

// interval is the time between two taints. A rate is held in single precision, as kube-controller-manager holds it, so that
// at 0.01 a second it is a little more than 100 s and the turn comes a tenth of a second later.
func interval(rate float64) time.Duration {
	return time.Duration(float64(time.Second) / float64(float32(rate)))
}

// turn is when a zone's next node gets its taint: at the first tenth of a second at which there is one to give.
func (m *Machine) turn(z *zone) (time.Time, bool) {
	if len(z.queue) == 0 || z.rate <= 0 {
		return time.Time{}, false
	}
	return m.tenth(z.free), true
}

// tenth is the first tenth of a second since the start that is neither before a moment nor before now.
func (m *Machine) tenth(at time.Time) time.Time {
	if at.Before(m.now) {
		at = m.now
	}
	if past := at.Sub(m.options.Start) % turnPeriod; past > 0 {
		at = at.Add(turnPeriod - past)
	}
	return at
}

// giveTurns gives a taint to the first node of each zone whose turn it is. A node that is gone by now, or ready, uses
// its turn up as well.
func (m *Machine) giveTurns() {
	for _, name := range slices.Sorted(maps.Keys(m.zones)) {
		z := m.zones[name]
		at, ok := m.turn(z)
		if !ok || at.After(m.now) {
			continue
		}
		first := z.queue[0]
		z.queue = z.queue[1:]
		z.free = m.now.Add(interval(z.rate))
		m.stale = true
		if n := m.nodes[first]; n != nil {
			n.queued = false
			m.tell(n, m.execute(n))
		}
	}
}

// assess takes in how the zones are doing.
func (m *Machine) assess(counts map[string]*census) {
	allAre, allWere := true, true
	for name, z := range m.zones {
		if counts[name] == nil {
			z.state, z.size = Unseen, 0
			continue
		}
		allAre = allAre && m.stateOf(counts[name]) == FullDisruption
		allWere = allWere && z.state == FullDisruption
	}
	switch {
	case allAre && allWere:
	case allAre:
		m.holdBack(counts)
	default:
		if allWere {
			for _, n := range m.nodes {
				n.heard = m.now
			}
		}
		for name, count := range counts {
			m.enter(m.zones[name], count, allWere)
		}
	}
	for name, count := range counts {
		m.zones[name].size = count.ready + count.not
	}
}

func (m *Machine) stateOf(c *census) State {
	switch {
	case c.ready == 0 && c.not > 0:
		return FullDisruption
	case c.not > 2 && float32(c.not)/float32(c.not+c.ready) >= m.options.Settings.Unhealthy:
		return PartialDisruption
	}
	return Normal
}

// enter puts a zone into the state it is in now, with the rate that goes with it; at every look after a time in which
// all were held back, and otherwise when the state changes.
func (m *Machine) enter(z *zone, c *census, anyway bool) {
	state := m.stateOf(c)
	if z.state == state && !anyway {
		return
	}
	z.state = state
	rate := m.options.Settings.Rate
	if state == PartialDisruption {
		rate = 0
		if c.ready+c.not > m.options.Settings.LargeZone {
			rate = m.options.Settings.ReducedRate
		}
	}
	m.setRate(z, rate)
}

// holdBack takes all these NoExecute taints off, and sets none: no node is ready anywhere.
func (m *Machine) holdBack(counts map[string]*census) {
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		m.nodes[name].queued = false
		m.tell(m.nodes[name], m.nodes[name].spare())
	}
	for name := range counts {
		z := m.zones[name]
		z.state, z.queue = FullDisruption, nil
		m.setRate(z, 0)
	}
}
