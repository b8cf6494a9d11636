package telemetry

import (
	"strconv"
	"time"

	"k8s.io/component-base/metrics"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/world"
)

// Registry is where families are registered: component-base's, so that its flags for hidden and disabled metrics hold.
type Registry interface {
	MustRegister(...metrics.Registerable)
}

// Metrics counts what an engine does. It is an engine.Listener, an engine.Witness and a framework.Observer: hand it to
// the engine's options and to what drives the engine.
type Metrics struct {
	families
	deaths deaths
	levels levels

	points  map[pointKey]metrics.ObserverMetric
	plugins map[pluginKey]metrics.ObserverMetric
	hints   map[hintKey]metrics.ObserverMetric
	came    map[cameKey]metrics.CounterMetric
	events  map[string]metrics.ObserverMetric
}

var (
	_ engine.Listener    = (*Metrics)(nil)
	_ engine.Witness     = (*Metrics)(nil)
	_ framework.Observer = (*Metrics)(nil)
)

// Series are looked up by these; the lookup by labels that Prometheus offers costs several times as much.
type (
	pointKey struct {
		profile string
		point   framework.Point
		code    fwk.Code
	}
	pluginKey struct {
		plugin string
		point  framework.Point
		code   fwk.Code
	}
	hintKey struct {
		plugin, event string
		verdict       queue.Verdict
	}
	cameKey struct{ queue, event string }
)

// New registers every family that kube-scheduler has under these feature gates.
func New(r Registry, f config.Features) *Metrics {
	m := &Metrics{
		families: *declare(f),
		deaths:   newDeaths(),
		levels:   newLevels(),
		points:   map[pointKey]metrics.ObserverMetric{},
		plugins:  map[pluginKey]metrics.ObserverMetric{},
		hints:    map[hintKey]metrics.ObserverMetric{},
		came:     map[cameKey]metrics.CounterMetric{},
		events:   map[string]metrics.ObserverMetric{},
	}
	r.MustRegister(m.all...)
	return m
}

// series is the one of a family that a key stands for.
func series[K comparable, S any](known map[K]S, key K, find func() S) S {
	s, ok := known[key]
	if !ok {
		s = find()
		known[key] = s
	}
	return s
}

// PointTook implements framework.Observer.
func (m *Metrics) PointTook(profile string, point framework.Point, code fwk.Code, took time.Duration) {
	series(m.points, pointKey{profile, point, code}, func() metrics.ObserverMetric {
		return m.pointDuration.WithLabelValues(string(point), code.String(), profile)
	}).Observe(took.Seconds())
}

// PluginTook implements framework.Observer.
func (m *Metrics) PluginTook(_ string, point framework.Point, plugin string, code fwk.Code, took time.Duration) {
	series(m.plugins, pluginKey{plugin, point, code}, func() metrics.ObserverMetric {
		return m.pluginDuration.WithLabelValues(plugin, string(point), code.String())
	}).Observe(took.Seconds())
}

// Recorded implements engine.Listener. How queue records become metrics is told in package queue.
func (m *Metrics) Recorded(t *queue.Transition, took time.Duration) {
	switch t.What {
	case queue.Asked:
		series(m.hints, hintKey{t.Plugin, t.Event, t.Verdict}, func() metrics.ObserverMetric {
			return m.hintDuration.WithLabelValues(t.Plugin, t.Event, string(t.Verdict))
		}).Observe(took.Seconds())
	case queue.Noted:
		m.inFlight.WithLabelValues(t.Event).Add(1)
	case queue.Pruned:
		m.inFlight.WithLabelValues(t.Event).Add(-float64(t.Count))
	case queue.Moved:
		m.moved(t)
	}
}

func (m *Metrics) moved(t *queue.Transition) {
	if to := t.To.Queue(); t.Entered && to != "" {
		series(m.came, cameKey{to, t.Event}, func() metrics.CounterMetric {
			return m.incoming.WithLabelValues(to, t.Event)
		}).Inc()
	}
	for _, plugin := range t.Blamed {
		m.rejected.WithLabelValues(plugin, t.Profile).Inc()
	}
	for _, plugin := range t.Cleared {
		m.rejected.WithLabelValues(plugin, t.Profile).Dec()
	}
	if t.To == queue.InFlight {
		m.inFlight.WithLabelValues(queue.PodPopped).Inc()
	}
	if t.From == queue.InFlight {
		m.inFlight.WithLabelValues(queue.PodPopped).Dec()
	}
}

// Handled implements engine.Listener.
func (m *Metrics) Handled(event string, took time.Duration) {
	series(m.events, event, func() metrics.ObserverMetric { return m.eventDuration.WithLabelValues(event) }).Observe(took.Seconds())
}

// Chose implements engine.Listener.
func (m *Metrics) Chose(took time.Duration) { m.algorithmDuration.Observe(took.Seconds()) }

// results are the values of the label result, by verdict.
var results = map[engine.Verdict]string{engine.Placed: "scheduled", engine.Unschedulable: "unschedulable", engine.Failed: "error"}

// attemptsMost is the number of attempts from which on they share one label.
const attemptsMost = 15

// Attempted implements engine.Listener.
func (m *Metrics) Attempted(a engine.Attempted) {
	result := results[a.Verdict]
	m.attempts.WithLabelValues(result, a.Profile).Inc()
	m.attemptDuration.WithLabelValues(result, a.Profile).Observe(a.Took.Seconds())
	if a.Verdict != engine.Placed {
		return
	}
	m.podAttempts.Observe(float64(a.Attempts))
	label := strconv.Itoa(a.Attempts)
	if a.Attempts >= attemptsMost {
		label = "15+"
	}
	m.sliDuration.WithLabelValues(label).Observe(a.Since.Seconds())
}

// Permitted implements engine.Listener.
func (m *Metrics) Permitted(code fwk.Code, waited time.Duration) {
	m.permitDuration.WithLabelValues(code.String()).Observe(waited.Seconds())
}

// Hinted implements engine.Listener.
func (m *Metrics) Hinted(profile string, hinted bool, took time.Duration) {
	label := "no_hint"
	if hinted {
		label = "hint"
	}
	m.batchAsked.WithLabelValues(label, profile).Observe(took.Seconds())
}

// Kept implements engine.Listener.
func (m *Metrics) Kept(profile string, took time.Duration) {
	m.batchStored.WithLabelValues(profile).Observe(took.Seconds())
}

// Applied implements engine.Witness.
func (m *Metrics) Applied(in world.Input, _ error) {
	if ended, ok := in.Event.(world.Ended); ok {
		m.deaths.ended(in.At, ended, m.deleted)
	}
}

// Stepped implements engine.Witness.
func (m *Metrics) Stepped(d *engine.Decision) {
	if d == nil || d.Preemption == nil {
		return
	}
	if victims := d.Preemption.Victims; len(victims) > 0 {
		m.victims.Observe(float64(len(victims)))
		m.deaths.begin(d.At, d.Preemption)
	}
}

// Wanted implements engine.Witness.
func (m *Metrics) Wanted(effect world.Effect) { m.deaths.wanted(effect) }

func (m *Metrics) deleted(well bool, took time.Duration) {
	result := "success"
	if !well {
		result = "error"
	}
	m.deletions.WithLabelValues(result).Inc()
	m.deletionsDuration.WithLabelValues(result).Observe(took.Seconds())
}
