package lifecycle

import (
	"maps"
	"slices"
	"time"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
)

// zoneState is the state of a zone, initial until a monitor pass has counted its nodes.
type zoneState uint8

const (
	initial zoneState = iota
	normal
	partialDisruption
	fullDisruption
)

// zone is the nodes queued for a NoExecute taint, with the rate of their taints.
type zone struct {
	state  zoneState
	queue  []string  // names, the next one first
	rate   float64   // per second; zero is never
	nextAt time.Time // when the next taint may be given
}

// zone returns a zone by name. A new one may give its first taint at once.
func (m *Controller) zone(name string) *zone {
	z := m.zones[name]
	if z == nil {
		z = &zone{rate: m.options.Settings.EvictionRate}
		m.zones[name] = z
	}
	return z
}

// setRate changes the rate of taints. A taint that is allowed now stays allowed.
func (m *Controller) setRate(z *zone, rate float64) {
	if z.rate == rate {
		return
	}
	had := z.rate > 0 && !m.now.Before(z.nextAt)
	z.rate, z.nextAt = rate, time.Time{}
	if rate > 0 && !had {
		z.nextAt = m.now.Add(interval(rate))
	}
	m.touch()
}

// interval returns the time between two taints. The rate has single precision, as in kube-controller-manager: 0.01 a second
// is a little more than 100 s, so the taint comes one tick later.
func interval(rate float64) time.Duration {
	return time.Duration(saturating.Truncate(float64(time.Second) / float64(float32(rate))))
}

// nextTaintAt returns when a zone's next node gets its taint: at the first tick that the rate allows.
func (m *Controller) nextTaintAt(z *zone) (time.Time, bool) {
	if len(z.queue) == 0 || z.rate <= 0 {
		return time.Time{}, false
	}
	return m.nextTick(z.nextAt), true
}

// nextTick returns the first tick since the start that is neither before a time nor before now.
func (m *Controller) nextTick(at time.Time) time.Time {
	return saturating.NextTick(m.options.Start, tickPeriod, evict.Later(m.now, at))
}

// taintNext taints the first node of each zone that is due. A node that was deleted or became ready uses up its turn.
func (m *Controller) taintNext() {
	for _, name := range slices.Sorted(maps.Keys(m.zones)) {
		z := m.zones[name]
		at, ok := m.nextTaintAt(z)
		if !ok || at.After(m.now) {
			continue
		}
		first := z.queue[0]
		z.queue = z.queue[1:]
		z.nextAt = m.now.Add(interval(z.rate))
		m.dirty = true
		if n := m.nodes[first]; n != nil {
			n.queued = false
			m.emit(n, m.swapNoExecute(n))
		}
	}
}

// updateZones sets the states and rates of the zones by how many of their nodes are ready.
func (m *Controller) updateZones(counts map[string]*readyCounts) {
	allAre, allWere := true, true
	for name, z := range m.zones {
		if counts[name] == nil {
			z.state = initial
			continue
		}
		allAre = allAre && m.stateOf(counts[name]) == fullDisruption
		allWere = allWere && z.state == fullDisruption
	}
	switch {
	case allAre && allWere:
	case allAre:
		m.stopEvictions(counts)
	default:
		if allWere {
			for _, n := range m.nodes {
				n.lastHeartbeat = m.now
			}
		}
		for name, count := range counts {
			m.setZoneState(m.zones[name], count, allWere)
		}
	}
}

func (m *Controller) stateOf(c *readyCounts) zoneState {
	switch {
	case c.ready == 0 && c.not > 0:
		return fullDisruption
	case c.not > 2 && float32(c.not)/float32(c.not+c.ready) >= m.options.Settings.UnhealthyZoneThreshold:
		return partialDisruption
	}
	return normal
}

// setZoneState sets a zone's state and rate if the state changes. After all zones were fully disrupted it sets the rate in
// any case.
func (m *Controller) setZoneState(z *zone, c *readyCounts, force bool) {
	state := m.stateOf(c)
	if z.state == state && !force {
		return
	}
	z.state = state
	m.touch()
	rate := m.options.Settings.EvictionRate
	if state == partialDisruption {
		rate = 0
		if c.ready+c.not > m.options.Settings.LargeClusterSizeThreshold {
			rate = m.options.Settings.SecondaryEvictionRate
		}
	}
	m.setRate(z, rate)
}

// stopEvictions removes all these NoExecute taints and stops the queues: no node is ready anywhere.
func (m *Controller) stopEvictions(counts map[string]*readyCounts) {
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		m.nodes[name].queued = false
		m.emit(m.nodes[name], m.nodes[name].removeNoExecute())
	}
	for name := range counts {
		z := m.zones[name]
		z.state, z.queue = fullDisruption, nil
		m.touch()
		m.setRate(z, 0)
	}
}
