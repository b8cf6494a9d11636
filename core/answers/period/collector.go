package period

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/owners"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
	"orrery/core/world"
)

// Options are what a report is asked for.
type Options struct {
	// From and To are the stretch.
	From, To time.Time
	// Target is the time within which Share of the pods that count have to be bound.
	Target time.Duration
	Share  float64
}

// Collector makes a report of what a tracker finds. It is a journey.Sink, and with Observe an observer of the engine.
type Collector struct {
	options   Options
	report    Report
	latencies latencies
	owners    map[string]*ownerSum
	pairs     map[pairKey]*Pair
	evictions map[evictionKey]*Eviction
	reasons   map[string]string // by owner and plugin
	storage   map[*journey.Pod]bool
	samples   sampler
	changes   changes
}

var _ journey.Sink = (*Collector)(nil)

// New returns a collector of a stretch.
func New(o Options) *Collector {
	c := &Collector{
		options: o, report: Report{From: o.From, To: o.To, Decisions: map[string]int{}, Preempted: []Pair{}, Evicted: []Eviction{}}, latencies: latencies{by: map[Exclusion]durations{}},
		owners: map[string]*ownerSum{}, pairs: map[pairKey]*Pair{}, evictions: map[evictionKey]*Eviction{}, reasons: map[string]string{}, storage: map[*journey.Pod]bool{},
		changes: newChanges(),
	}
	c.samples = newSampler(o.From, o.To)
	return c
}

// within reports whether a time is in the stretch.
func (c *Collector) within(t time.Time) bool {
	return !t.IsZero() && !t.Before(c.options.From) && !t.After(c.options.To)
}

func ownerOf(p *v1.Pod) string { return p.Namespace + "/" + owners.Of(p) }

// Decided implements journey.Sink.
func (c *Collector) Decided(p *journey.Pod, d *engine.Decision) {
	if !c.within(d.At) {
		return
	}
	c.report.Decisions[d.Verdict.String()]++
	if d.Verdict != engine.Placed {
		c.samples.failed++
		if most := d.MainRejection(); most.Plugin != "" {
			c.reasons[ownerOf(p.Object)+"\x00"+most.Plugin] = most.Reason
		}
	}
	if d.Preemption == nil {
		return
	}
	by := ownerOf(p.Object)
	for _, victim := range d.Preemption.Victims {
		c.samples.displaced++
		key := pairKey{by, ownerOf(victim)}
		pair := c.pairs[key]
		if pair == nil {
			pair = &Pair{Preemptor: by, Priority: d.Priority, Victim: key.victim, First: d.At}
			c.pairs[key] = pair
		}
		pair.Victims++
		pair.Last = d.At
	}
}

// Stage implements journey.Sink: the steps of a binding tell whether it waited for storage.
func (c *Collector) Stage(p *journey.Pod, s *journey.Stage) {
	if s.State != journey.Binding {
		return
	}
	for i := range s.Steps {
		if name := s.Steps[i].Name; name == "ClaimVolume" || name == "SelectNode" {
			c.storage[p] = true
		}
	}
	if c.within(s.End) && !s.Open {
		c.samples.bound++
	}
}

// Pod implements journey.Sink.
func (c *Collector) Pod(p *journey.Pod) {
	storage := c.storage[p]
	delete(c.storage, p)
	c.gone(p)
	if p.OnNode || !p.Bound.IsZero() && p.Bound.Before(c.options.From) || !p.End.IsZero() && p.End.Before(c.options.From) || p.Created.After(c.options.To) {
		return
	}
	if c.within(p.Created) {
		c.report.Pods.Came++
	}
	waiting, until := false, p.Bound
	switch {
	case c.within(p.Bound):
		c.report.Pods.Bound++
	case p.End.IsZero() || p.End.After(c.options.To):
		waiting, until = true, c.options.To
		c.report.Pods.Waiting++
	default:
		until = p.End // without ever having a node
	}
	if p.Attempts == 0 && p.In[journey.Elsewhere] > 0 && p.In[journey.Gated] == 0 {
		c.latencies.elsewhere++
		return
	}
	took := until.Sub(p.Created)
	why := excluded(p, storage)
	if waiting || c.within(p.Bound) {
		if !waiting || took > c.options.Target {
			c.latencies.add(why, took)
		}
	}
	c.owner(p, took, until, waiting, why)
}

// gone counts a pod that had to go.
func (c *Collector) gone(p *journey.Pod) {
	if !c.within(p.End) {
		return
	}
	switch p.Ending {
	case journey.Preempted:
		c.report.Pods.Preempted++
	case journey.Evicted:
		c.report.Pods.Evicted++
		key := evictionKey{ownerOf(p.Object), evictionReason(p.Object)}
		e := c.evictions[key]
		if e == nil {
			e = &Eviction{Owner: key.owner, Reason: key.reason, First: p.End}
			c.evictions[key] = e
		}
		e.Pods++
		e.Last = p.End
		c.samples.displaced++
	default:
		c.report.Pods.Gone++
	}
}

func evictionReason(pod *v1.Pod) string {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == v1.DisruptionTarget {
			return cmp.Or(condition.Reason, "Evicted")
		}
	}
	return cmp.Or(pod.Status.Reason, "Evicted")
}

// Node implements journey.Sink.
func (*Collector) Node(*journey.Node) {}

// Observe returns an observer of an engine, which looks at the cluster at equal times.
func (c *Collector) Observe(e *engine.Engine) drive.Observer { return &observer{c, e} }

// observer tells a collector of what an engine is told, and of its queue.
type observer struct {
	of     *Collector
	engine *engine.Engine
}

// Applied implements drive.Observer. The samples that are due are of before the input, as is the queue that was seen last.
func (o *observer) Applied(in world.Input, _ error) {
	c := o.of
	switch {
	case in.At.After(c.options.To):
		c.samples.end(o.engine, c.options.To)
	case in.At.Before(c.options.From):
		c.changes.before(in)
	default:
		c.samples.until(o.engine, in.At)
		c.changes.applied(in)
	}
	c.samples.queue = o.engine.Queue().Counts()
}

// Stepped implements drive.Observer.
func (o *observer) Stepped(*engine.Decision) { o.of.samples.queue = o.engine.Queue().Counts() }

// Emitted implements drive.Observer.
func (*observer) Emitted(world.Effect) {}

type (
	pairKey     struct{ preemptor, victim string }
	evictionKey struct{ owner, reason string }
)

// Report returns what was found, after the tracker has finished. e is the engine as of the end.
func (c *Collector) Report(e *engine.Engine) *Report {
	c.samples.end(e, c.options.To)
	r := &c.report
	r.Objective = c.latencies.objective(c.options.Target, c.options.Share)
	r.Owners, r.MoreOwners = c.worst()
	r.Samples = c.samples.taken
	r.Changes, r.MoreChanges = c.changes.list()
	for _, p := range c.pairs {
		r.Preempted = append(r.Preempted, *p)
	}
	slices.SortFunc(r.Preempted, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Victims, a.Victims), cmp.Compare(a.Preemptor, b.Preemptor), cmp.Compare(a.Victim, b.Victim))
	})
	r.Preempted = r.Preempted[:min(len(r.Preempted), maxPairs)]
	for _, key := range slices.SortedFunc(maps.Keys(c.evictions), func(a, b evictionKey) int {
		return cmp.Or(cmp.Compare(c.evictions[b].Pods, c.evictions[a].Pods), cmp.Compare(a.owner, b.owner), cmp.Compare(a.reason, b.reason))
	}) {
		if len(r.Evicted) < maxPairs {
			r.Evicted = append(r.Evicted, *c.evictions[key])
		}
	}
	return r
}
