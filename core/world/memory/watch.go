package memory

import (
	"time"

	"orrery/core/world"
)

// stream is the scheduler's watch of one kind. Its events are delivered in the order of the changes, each at or after
// its change. While it is closed, changes go unseen, until a list makes up for them.
type stream struct {
	open bool
	// last is when the latest event on its way arrives: no later one may overtake it.
	last time.Time
	// stalled is until when nothing comes through.
	stalled time.Time
	// lists counts the lists asked for, so that only the newest opens the stream.
	lists int
	// twice is how many of the next events are to be delivered twice.
	twice int
}

// publish sends a change on its way to the scheduler.
func (c *Cluster) publish(kind world.Kind, op world.Op, o world.Object) {
	s := c.streams[kind]
	if s == nil || !s.open {
		return
	}
	faults := c.options.Faults.watch(kind)
	if c.faults.hits(faults.Break) {
		c.BreakWatch(kind, c.faults.delay(faults.RelistAfter))
		return
	}
	at := c.now.Add(c.latency.delay(c.options.Latency.Watch) + c.slowness())
	if c.faults.hits(faults.Delay) {
		at = at.Add(c.faults.delay(faults.DelayBy))
	}
	if c.faults.hits(faults.Duplicate) {
		s.twice++
	}
	event := delivery{world.Changed{Op: op, Object: o}}
	at = s.arrival(at)
	c.schedule(at, event)
	if s.twice > 0 {
		s.twice--
		c.schedule(at, event)
	}
}

// arrival is when an event that could be there at the given time really arrives.
func (s *stream) arrival(at time.Time) time.Time {
	for _, bound := range []time.Time{s.last, s.stalled} {
		if at.Before(bound) {
			at = bound
		}
	}
	s.last = at
	return at
}

// relist has the given kinds listed at a time; their watches go on from there.
func (c *Cluster) relist(at time.Time, kinds ...world.Kind) {
	order := listing{kinds: kinds, numbers: make([]int, len(kinds))}
	for i, kind := range kinds {
		s := c.streams[kind]
		s.open = false
		s.lists++
		order.numbers[i] = s.lists
	}
	c.schedule(at, order)
}

// listing is a list being made of each of the kinds, given to the scheduler in the order of the kinds.
type listing struct {
	kinds   []world.Kind
	numbers []int
}

func (l listing) happen(c *Cluster) {
	at := c.now.Add(c.latency.delay(c.options.Latency.Watch) + c.slowness())
	for i, kind := range l.kinds {
		s := c.streams[kind]
		if s.lists != l.numbers[i] {
			continue
		}
		s.open = true
		at = s.arrival(at)
		c.schedule(at, delivery{world.Listed{Kind: kind, Objects: c.List(kind)}})
	}
}
