package collect

import (
	"time"

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/evict/clerk"
	"orrery/core/framework"
	"orrery/core/leader"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// ChronicleOptions say what a Chronicle cannot see. The zero value is for kube-scheduler as it comes.
type ChronicleOptions struct {
	// Election is how the scheduler's leader is elected: which Lease, and how long a holder goes on without renewing,
	// which no Lease says. Its zero value is kube-scheduler's own. Identity is who this scheduler is in it, empty if it is
	// none of the candidates.
	Election leader.Settings
	// LeaseDelay is how late a change of a Lease may be seen.
	LeaseDelay time.Duration
	// Clerk is how the board of departures is kept.
	Clerk clerk.Options
}

// Chronicle is what an engine does not remember and the screen needs: the board of departures, the history of every
// Lease, how much was decided in each second and how long it took. It is an engine.Witness and goes along with a
// recording's player as its companion.
//
// It is bounded: its curves reach back five minutes, its Leases are few, and the rest is counts.
type Chronicle struct {
	options ChronicleOptions
	curves  curves
	leases  leases
	clerk   *clerk.Clerk
	timings *timings
	stamp   uint64 // counts what was heard
}

var (
	_ engine.Witness = (*Chronicle)(nil)
	_ play.Companion = (*Chronicle)(nil)
)

// NewChronicle is a chronicle of an engine that has been told nothing yet.
func NewChronicle(o ChronicleOptions) *Chronicle {
	if o.Election.Name == "" {
		o.Election = leader.Defaults(o.Election.Identity)
	}
	return &Chronicle{options: o, leases: newLeases(o), clerk: clerk.New(o.Clerk), timings: newTimings()}
}

// Fork is a second chronicle of the same past. What plugins took is this process's affair and not the engine's: both
// add to one account of it.
func (c *Chronicle) Fork() play.Companion {
	f := *c
	f.leases = c.leases.fork()
	f.clerk = c.clerk.Fork()
	return &f
}

// Applied hears an input. It implements engine.Witness.
func (c *Chronicle) Applied(in world.Input, _ error) {
	c.curves.reach(in.At)
	c.leases.apply(in)
	c.clerk.Apply(in)
	c.stamp++
}

// Stepped hears a decision. It implements engine.Witness.
func (c *Chronicle) Stepped(d *engine.Decision) {
	if d == nil {
		return
	}
	c.curves.decided(d)
	if d.Preemption != nil {
		c.clerk.Preempted(d.At, d.Preemption, d.Pod)
	}
	c.stamp++
}

// Wanted hears an effect. It implements engine.Witness.
func (c *Chronicle) Wanted(world.Effect) {}

// Refused hears that a person asked for a pod to be evicted, and that a disruption budget did not allow it. The engine must be
// held meanwhile.
func (c *Chronicle) Refused(at time.Time, pod world.Ref, why string) {
	c.clerk.Refused(at, pod, "somebody here", why)
	c.stamp++
}

// Board is the departures.
func (c *Chronicle) Board() *evict.Board { return c.clerk.Board() }

// Observer is what to give an engine in its Options, beside a Stopwatch, so that it is known how long plugins take.
func (c *Chronicle) Observer() framework.Observer { return c.timings }
