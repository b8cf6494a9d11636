package figures

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/shadow"
	"orrery/core/evict/observer"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// collectEvery is how often the series are written: a scrape every fifteen seconds and more sees each state once.
const collectEvery = 10 * time.Second

// Figures are those of one engine. It is a drive.Observer and a prometheus.Collector.
type Figures struct {
	active     func() bool
	engine     *engine.Engine
	placements placements
	owners     owners
	evictions  evictions
	room       room
	agreement  agreement

	written time.Time
	latest  atomic.Pointer[[]prometheus.Metric]
}

var (
	_ drive.Observer       = (*Figures)(nil)
	_ prometheus.Collector = (*Figures)(nil)
)

// New returns the figures of an engine of these feature gates, to which [Figures.Of] names it. They count, and are collected, while active
// says so: a standby would count what the leader does a second time. It may be called on any goroutine.
func New(f config.Features, active func() bool) *Figures {
	return &Figures{
		active:     active,
		placements: newPlacements(), owners: newOwners(), agreement: newAgreement(),
		evictions: newEvictions(observer.Options{ComparisonOperators: f.Enabled(config.TaintTolerationComparisonOperators)}),
	}
}

// Of makes the figures those of an engine, whose inputs, decisions and effects they are to observe.
func (f *Figures) Of(e *engine.Engine) drive.Observer {
	f.engine = e
	return f
}

// moved takes in a transition of the queue.
func (f *Figures) moved(t *queue.Transition) {
	j := f.placements.journeys[t.UID]
	if j == nil {
		pod := f.engine.Store().Pod(t.Namespace, t.Name)
		if t.From != queue.Gone || t.To == queue.Gone || pod == nil || pod.UID != t.UID || pod.Spec.NodeName != "" {
			return
		}
		if j = f.placements.begin(pod, t.At); j == nil {
			f.placements.unmeasured++
			return
		}
	} else if j.state != queue.Gone {
		f.owners.count(j.pendingKey(), -1)
	}
	if t.From == queue.InFlight {
		f.owners.attempted(j.owner, t.To, t.At)
	}
	f.placements.moved(j, t, f.engine)
	if t.To != queue.Gone {
		f.owners.count(j.pendingKey(), 1)
	}
}

// Applied implements drive.Observer.
func (f *Figures) Applied(in world.Input, _ error) {
	f.evictions.apply(in, f.active())
	switch ev := in.Event.(type) {
	case world.Changed:
		if pod, is := ev.Object.(*v1.Pod); is {
			f.settle(pod.UID, pod, ev.Op == world.Deleted, in.At)
		}
	case world.Listed:
		if ev.Kind == world.Pod {
			f.settleAll(in.At)
		}
	}
}

// settle ends the journey of a pod that has a node or is gone.
func (f *Figures) settle(uid types.UID, pod *v1.Pod, gone bool, now time.Time) {
	j := f.placements.journeys[uid]
	if j == nil || !gone && pod.Spec.NodeName == "" {
		return
	}
	if j.state != queue.Gone {
		f.owners.count(j.pendingKey(), -1)
	}
	if pod.Spec.NodeName != "" && f.active() {
		f.placements.bound(j, now)
	}
	delete(f.placements.journeys, uid)
}

// settleAll ends the journeys of pods that a list shows with a node, or not at all.
func (f *Figures) settleAll(now time.Time) {
	held := map[types.UID]*v1.Pod{}
	for o := range f.engine.Store().Objects(world.Pod) {
		if pod, is := o.(*v1.Pod); is && f.placements.journeys[pod.UID] != nil {
			held[pod.UID] = pod
		}
	}
	for uid := range f.placements.journeys {
		pod := held[uid]
		if pod == nil {
			pod = &v1.Pod{}
		}
		f.settle(uid, pod, held[uid] == nil, now)
	}
}

// Stepped implements drive.Observer.
func (f *Figures) Stepped(d *engine.Decision) {
	if d != nil {
		f.placements.decided(d)
	}
}

// Emitted implements drive.Observer.
func (f *Figures) Emitted(effect world.Effect) { f.placements.emitted(effect.Action, f.engine.Now()) }

// Refresh writes the series if it is time. It is called about once a second, between two inputs; the comparator is nil of a scheduler that
// decides itself.
func (f *Figures) Refresh(e *engine.Engine, c *shadow.Comparator) {
	if c != nil {
		f.agreement.refresh(c)
	}
	if now := e.Now(); f.written.IsZero() || now.Sub(f.written) >= collectEvery {
		f.written = now
		f.room.refresh(e)
		f.write()
	}
}

func (f *Figures) write() {
	var all []prometheus.Metric
	add := func(m prometheus.Metric) { all = append(all, m) }
	f.placements.metrics(add)
	f.owners.metrics(add)
	f.evictions.metrics(add)
	f.room.metrics(add)
	f.agreement.metrics(add)
	f.latest.Store(&all)
}

// Describe implements prometheus.Collector.
func (f *Figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		placementDesc, phaseSecondsDesc, phaseDesc, heldDesc, unmeasuredDesc, attemptsDesc, pendingDesc, evictionsDesc, freeDesc, largestDesc, requestedDesc, fitDesc, fragmentedDesc,
		decisionsDesc, differencesDesc,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector. It may be called on any goroutine.
func (f *Figures) Collect(to chan<- prometheus.Metric) {
	if latest := f.latest.Load(); latest != nil && f.active() {
		for _, m := range *latest {
			to <- m
		}
	}
}

func counter(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
}

func gauge(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}
