package collect

import (
	"time"

	"orrery/core/evict"
	"orrery/core/evict/observer"
	"orrery/core/process/leader"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// HistoryOptions configure a History. The zero value is for kube-scheduler with its defaults.
type HistoryOptions struct {
	// Election is the election of the scheduler's leader: its Lease, and the renew deadline, which no Lease has. The zero
	// value is kube-scheduler's. Identity is this scheduler's own; empty if it is no candidate.
	Election leader.Settings
	// LeaseDelay is the maximum delay of a Lease's watch events.
	LeaseDelay time.Duration
	// Observer configures the observer of evictions.
	Observer observer.Options
}

// History keeps data that the panes need and an engine does not: the record of evictions, the history of every Lease, and
// the decisions of each second with their durations. It is a drive.Observer, and the follower of a recording's player. It
// is bounded: its curves reach back four minutes, its Leases are few, and the rest is counts.
type History struct {
	options  HistoryOptions
	curves   curves
	leases   leases
	observer *observer.Observer
	timings  *timings
	stamp    uint64 // counts inputs and decisions
}

var (
	_ drive.Observer = (*History)(nil)
	_ play.Follower  = (*History)(nil)
)

// NewHistory returns the history of an engine without any inputs yet.
func NewHistory(o HistoryOptions) *History {
	if o.Election.Name == "" {
		o.Election = leader.Defaults(o.Election.Identity)
	}
	return &History{options: o, leases: newLeases(o), observer: observer.New(o.Observer), timings: newTimings()}
}

// HistoryFor returns the history of the engine that these options make: of kube-scheduler with its defaults but for the
// engine's feature gates.
func HistoryFor(o *engine.Options) *History {
	compare := o.Config != nil && o.Config.Features.Enabled(config.TaintTolerationComparisonOperators)
	return NewHistory(HistoryOptions{Observer: observer.Options{ComparisonOperators: compare}})
}

// Fork returns an independent copy. Plugin durations are of this process, so both add to the same ones.
func (c *History) Fork() play.Follower {
	f := *c
	f.leases = c.leases.fork()
	f.observer = c.observer.Fork()
	return &f
}

// Applied observes an input. It implements drive.Observer.
func (c *History) Applied(in world.Input, _ error) {
	c.curves.advance(in.At)
	c.leases.apply(in)
	c.observer.Apply(in)
	c.stamp++
}

// Stepped observes a decision. It implements drive.Observer.
func (c *History) Stepped(d *engine.Decision) {
	if d == nil {
		return
	}
	c.curves.add(d)
	if d.Preemption != nil {
		c.observer.Preempted(d.At, d.Preemption, d.Pod)
	}
	c.stamp++
}

// Emitted ignores effects. It implements drive.Observer.
func (c *History) Emitted(world.Effect) {}

// Refused records that a PodDisruptionBudget blocked an eviction that a user of this program requested. The caller
// must hold the engine.
func (c *History) Refused(at time.Time, pod world.PodRef, reason string) {
	c.observer.EvictionRefused(at, pod, "orrery user", reason)
	c.stamp++
}

// Evictions returns the record of evictions.
func (c *History) Evictions() *evict.Record { return c.observer.Record() }

// ObserveTiming is for engine.Options.OnTiming, beside a Stopwatch.
func (c *History) ObserveTiming(t framework.Timing) { c.timings.add(t) }
