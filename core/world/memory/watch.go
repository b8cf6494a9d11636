package memory

import (
	"time"

	"orrery/core/world"
)

// stream is the scheduler's watch of one kind. Its events are delivered in the order of the changes, each at or after
// its change. While it is closed, changes are not delivered; a relist replaces them.
type stream struct {
	open bool
	// last is the arrival time of the latest event in transit: no later event overtakes it.
	last time.Time
	// stalledUntil is the time before which no event is delivered.
	stalledUntil time.Time
	// generation counts the relists, so that only the newest opens the stream.
	generation int
	// duplicates is the number of next events that are delivered twice.
	duplicates int
}

// publish sends a change to the scheduler.
func (c *Cluster) publish(kind world.Kind, op world.Op, o world.Object) {
	s := c.streams[kind]
	if s == nil || !s.open {
		return
	}
	faults := c.options.Faults.watch(kind)
	if c.faults.happens(faults.Break) {
		c.BreakWatch(kind, c.faults.delay(faults.RelistAfter))
		return
	}
	at := c.now.Add(c.latency.delay(c.options.Latency.Watch) + c.extraDelay())
	if c.faults.happens(faults.Delay) {
		at = at.Add(c.faults.delay(faults.DelayBy))
	}
	if c.faults.happens(faults.Duplicate) {
		s.duplicates++
	}
	event := delivery{world.Changed{Op: op, Object: o}}
	at = s.arrival(at)
	c.schedule(at, event)
	if s.duplicates > 0 {
		s.duplicates--
		c.schedule(at, event)
	}
}

// arrival returns the arrival time of an event that is not before the given time.
func (s *stream) arrival(at time.Time) time.Time {
	for _, bound := range []time.Time{s.last, s.stalledUntil} {
		if at.Before(bound) {
			at = bound
		}
	}
	s.last = at
	return at
}

// relist lists the given kinds at a time; their watches continue from there.
func (c *Cluster) relist(at time.Time, kinds ...world.Kind) {
	order := listDelivery{kinds: kinds, generations: make([]int, len(kinds))}
	for i, kind := range kinds {
		s := c.streams[kind]
		s.open = false
		s.generation++
		order.generations[i] = s.generation
	}
	c.schedule(at, order)
}

// SkipLists opens all watches without their first lists, for a scheduler that has all objects.
func (c *Cluster) SkipLists() {
	for _, s := range c.streams {
		s.open = true
		s.generation++
	}
}

// listDelivery lists the kinds, and delivers the lists in that order.
type listDelivery struct {
	kinds       []world.Kind
	generations []int
}

func (l listDelivery) fire(c *Cluster) {
	at := c.now.Add(c.latency.delay(c.options.Latency.Watch) + c.extraDelay())
	for i, kind := range l.kinds {
		s := c.streams[kind]
		if s.generation != l.generations[i] {
			continue
		}
		s.open = true
		objects := c.List(kind)
		if len(objects) == 0 && s.last.IsZero() && (kind == world.PodGroup || kind == world.CompositePodGroup) {
			continue // few API servers serve groups: one that never had any has nothing to list
		}
		at = s.arrival(at)
		c.schedule(at, delivery{world.Listed{Kind: kind, Objects: objects}})
	}
}
