package soak

import (
	"math/rand/v2"
	"slices"
	"time"

	"orrery/core/world"
)

// connection is that of a process to the API server. What comes over it is late, doubled, out of order, or older than what was told
// before, while a fault lasts; and nothing comes while the process is cut off or paused.
//
//	event ──► held ──► the faults that hold it are over ──► the process
type connection struct {
	held []world.Event // in the order in which they came

	cutUntil   time.Time
	late       map[world.Kind]time.Time // until when events of a kind are held
	lateUntil  time.Time                // the same for all kinds
	mixedUntil time.Time                // until when events are held that then come in another order, which draw decides
	mixes      *rand.Rand
	// relists is whether there are lists when the process is no longer cut off, in place of what it has missed.
	relists bool
}

func (c *connection) cutOff(now time.Time) bool { return now.Before(c.cutUntil) }

// holds reports whether a fault holds an event.
func (c *connection) holds(event world.Event, now time.Time) bool {
	kind, watched := kindOf(event)
	return watched && (c.cutOff(now) || now.Before(c.lateUntil) || now.Before(c.mixedUntil) || now.Before(c.late[kind]))
}

// hold keeps an event until release returns it. A list takes the place of the events of its kind before it.
func (c *connection) hold(event world.Event) {
	if list, ok := event.(world.Listed); ok {
		c.held = slices.DeleteFunc(c.held, func(e world.Event) bool {
			kind, watched := kindOf(e)
			return watched && kind == list.Kind
		})
	}
	c.held = append(c.held, event)
}

// passes returns an event, and before it those that were held until now, as far as no fault holds them.
func (c *connection) passes(event world.Event, now time.Time) (free []world.Event) {
	if c.mixes != nil && !now.Before(c.mixedUntil) {
		c.held = mixed(c.mixes, c.held)
		c.mixes = nil
	}
	if event != nil {
		c.hold(event)
	}
	c.held = slices.DeleteFunc(c.held, func(e world.Event) bool {
		if c.holds(e, now) {
			return false
		}
		free = append(free, e)
		return true
	})
	return free
}

// mixed returns events in another order, some of them twice. A list stays before what comes after it.
func mixed(draw *rand.Rand, events []world.Event) (all []world.Event) {
	var changes []world.Event
	for _, event := range events {
		if _, ok := event.(world.Changed); !ok {
			all = append(all, event)
			continue
		}
		for range pick(draw, 1, 1, 1, 2) {
			changes = append(changes, event)
		}
	}
	draw.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	return append(all, changes...)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// partition cuts the process off from the API server. Afterwards it gets what it has missed, as events or as lists.
func (r *replica) partition(d time.Duration, relists bool) {
	r.elector.Partition(d)
	c := &r.connection
	c.cutUntil = later(c.cutUntil, r.wakeAfter(d))
	c.relists = c.relists || relists
}

// straying makes the network hold the next bindings for some time: they arrive when the process may have released the lease, or lost it.
func (r *replica) straying(bindings int, d time.Duration) { r.strays, r.strayFor = bindings, d }

// delay makes the events of a kind late for some time.
func (r *replica) delay(kind world.Kind, d time.Duration) {
	c := &r.connection
	if c.late == nil {
		c.late = map[world.Kind]time.Time{}
	}
	c.late[kind] = later(c.late[kind], r.wakeAfter(d))
}

// reorder makes the events of some time come in another order, after it.
func (r *replica) reorder(draw *rand.Rand, d time.Duration) {
	r.connection.mixedUntil, r.connection.mixes = later(r.connection.mixedUntil, r.wakeAfter(d)), draw
}

// listStale gives the process lists that are older than what it was told, as an API server does that was restored.
func (r *replica) listStale(behind time.Duration) {
	now := r.run.cluster.Now()
	if r.engine != nil && !r.elector.Paused() && !r.connection.cutOff(now) {
		r.list(now, behind)
	}
}

// startStale kills the process. The next one begins with stale lists, as of an API server that is behind the others.
func (r *replica) startStale(behind time.Duration) {
	r.behind = behind
	r.elector.Kill()
}

// wakeAfter wakes the process after some time, which it returns: what was held comes then.
func (r *replica) wakeAfter(d time.Duration) time.Time {
	at := r.run.cluster.Now().Add(d)
	r.run.at(at, func() {})
	return at
}
