package telemetry

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// Registry is the interface of component-base's registry, so that its flags for hidden and disabled metrics apply.
type Registry interface {
	MustRegister(...metrics.Registerable)
	// RawMustRegister calls a collector's Reset, if it has one, after those of earlier ones.
	RawMustRegister(...prometheus.Collector)
}

// Metrics counts the work of an engine. It is an engine.Listener and a drive.Observer: pass it, and its ObserveTiming,
// to the engine's options and to the engine's driver.
type Metrics struct {
	families
	preemptions preemptions
	own         Own
	last        lastSeen

	points         series[pointKey, metrics.ObserverMetric]
	plugins        series[pluginKey, metrics.ObserverMetric]
	hints          series[hintKey, metrics.ObserverMetric]
	incomingSeries series[incomingKey, metrics.CounterMetric]
	events         series[string, metrics.ObserverMetric]
}

var (
	_ engine.Listener = (*Metrics)(nil)
	_ drive.Observer  = (*Metrics)(nil)
)

// The keys of cached series.
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
		verdict       queue.HintResult
	}
	incomingKey struct{ queue, event string }
)

// New registers every family that kube-scheduler has under these feature gates.
func New(r Registry, f config.Features) *Metrics {
	reset := &resets{}
	m := &Metrics{
		families:       *declare(f),
		preemptions:    newPreemptions(),
		last:           newLastSeen(),
		points:         series[pointKey, metrics.ObserverMetric]{resets: reset},
		plugins:        series[pluginKey, metrics.ObserverMetric]{resets: reset},
		hints:          series[hintKey, metrics.ObserverMetric]{resets: reset},
		incomingSeries: series[incomingKey, metrics.CounterMetric]{resets: reset},
		events:         series[string, metrics.ObserverMetric]{resets: reset},
	}
	r.MustRegister(m.all...)
	r.RawMustRegister(reset)
	return m
}

// ObserveTiming observes the duration of an extension point or a plugin.
func (m *Metrics) ObserveTiming(t framework.Timing) {
	if t.Plugin == "" {
		m.points.of(pointKey{t.Profile, t.Point, t.Code}, func() metrics.ObserverMetric {
			return m.pointDuration.WithLabelValues(string(t.Point), t.Code.String(), t.Profile)
		}).Observe(t.Duration.Seconds())
		return
	}
	m.plugins.of(pluginKey{t.Plugin, t.Point, t.Code}, func() metrics.ObserverMetric {
		return m.pluginDuration.WithLabelValues(t.Plugin, string(t.Point), t.Code.String())
	}).Observe(t.Duration.Seconds())
}

// Recorded implements engine.Listener. Package queue documents how transitions become metrics.
func (m *Metrics) Recorded(t *queue.Transition, took time.Duration) {
	switch t.Kind {
	case queue.HintRun:
		m.hints.of(hintKey{t.Plugin, t.Event, t.HintResult}, func() metrics.ObserverMetric {
			return m.hintDuration.WithLabelValues(t.Plugin, t.Event, string(t.HintResult))
		}).Observe(took.Seconds())
	case queue.InFlightEventAdded:
		m.inFlight.WithLabelValues(t.Event).Add(1)
	case queue.InFlightEventsReleased:
		m.inFlight.WithLabelValues(t.Event).Add(-float64(t.Count))
	case queue.GroupHeld:
		m.countIncoming(queue.Gated, t.Event, t.Count)
	case queue.Moved:
		m.own.Moved(t)
		m.observeMove(t)
	}
}

// countIncoming counts pods that entered a state of the queue.
func (m *Metrics) countIncoming(to queue.State, event string, pods int) {
	if label := to.QueueLabel(); label != "" {
		m.incomingSeries.of(incomingKey{label, event}, func() metrics.CounterMetric {
			return m.incoming.WithLabelValues(label, event)
		}).Add(float64(pods))
	}
}

// entityType is the type of a pod that is scheduled by itself.
const entityType = "pod"

// countEntity counts a pod that entered another part of the queue.
func (m *Metrics) countEntity(t *queue.Transition) {
	if label := t.To.QueueLabel(); label != "" && label != t.From.QueueLabel() {
		m.entering.WithLabelValues(label, t.Event, entityType).Inc()
	}
}

func (m *Metrics) observeMove(t *queue.Transition) {
	if t.Entered {
		m.countIncoming(t.To, t.Event, 1)
		m.countEntity(t)
	}
	for _, plugin := range t.NewRejectors {
		m.rejected.WithLabelValues(plugin, t.Profile).Inc()
	}
	for _, plugin := range t.ClearedRejectors {
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
	m.events.of(event, func() metrics.ObserverMetric { return m.eventDuration.WithLabelValues(event) }).Observe(took.Seconds())
}

// Chose implements engine.Listener.
func (m *Metrics) Chose(took time.Duration) { m.algorithmDuration.Observe(took.Seconds()) }

// results are the values of the label result.
var results = map[engine.Verdict]string{engine.Placed: "scheduled", engine.Unschedulable: "unschedulable", engine.Failed: "error"}

// attemptsMost is the number of attempts from which pods share a label.
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
	if a.Flushed {
		m.afterFlush.Inc()
	}
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
	m.nodeHintDuration.WithLabelValues(label, profile).Observe(took.Seconds())
}

// Rescored implements engine.Listener.
func (m *Metrics) Rescored(profile string, took time.Duration) {
	m.rescoreDuration.WithLabelValues(profile).Observe(took.Seconds())
}

// Kept implements engine.Listener.
func (m *Metrics) Kept(profile string, took time.Duration) {
	m.storeResultsDuration.WithLabelValues(profile).Observe(took.Seconds())
}

// Applied implements drive.Observer.
func (m *Metrics) Applied(in world.Input, _ error) {
	if ended, ok := in.Event.(world.EffectDone); ok {
		m.preemptions.deletionDone(in.At, ended, m.preemptionDone)
	}
}

// Stepped implements drive.Observer.
func (m *Metrics) Stepped(d *engine.Decision) {
	if d == nil || d.Preemption == nil {
		return
	}
	if victims := d.Preemption.Victims; len(victims) > 0 {
		m.victims.Observe(float64(len(victims)))
		m.preemptions.start(d.At, d.Preemption)
		m.own.preempted(d.Preemption)
	}
}

// Emitted implements drive.Observer.
func (m *Metrics) Emitted(effect world.Effect) { m.preemptions.emitted(effect) }

func (m *Metrics) preemptionDone(well bool, took time.Duration) {
	result := "success"
	if !well {
		result = "error"
	}
	m.deletions.WithLabelValues(result).Inc()
	m.deletionsDuration.WithLabelValues(result).Observe(took.Seconds())
}
