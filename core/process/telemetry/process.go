package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/reuse"
	"orrery/core/trace/play"
	"orrery/core/world/live"
)

// sample holds the values for one scrape of Orrery's own metrics.
type sample struct {
	connection live.Counters
	leading    bool
	engineSample
}

// engineSample is the part of a sample that is read between two inputs.
type engineSample struct {
	at                    time.Time
	engine                engine.Counters
	panics                []engine.PanicCount
	reuse                 reuse.Stats
	flightRecorderBytes   int64
	flightRecorderSeconds float64
	optionalShare         float64
}

// age is zero before the engine runs: a standby may wait with that.
func (s *sample) age() float64 {
	if s.at.IsZero() {
		return 0
	}
	return time.Since(s.at).Seconds()
}

// processFamily is one metric family: orrery_NAME.
type processFamily struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*sample) float64
}

func counter(name, help string, value func(*sample) uint64) processFamily {
	return processFamily{
		prometheus.NewDesc("orrery_"+name, help, nil, nil), prometheus.CounterValue,
		func(s *sample) float64 { return float64(value(s)) },
	}
}

func gauge(name, help string, value func(*sample) float64) processFamily {
	return processFamily{prometheus.NewDesc("orrery_"+name, help, nil, nil), prometheus.GaugeValue, value}
}

// processFamilies are the metrics without a counterpart in kube-scheduler.
var processFamilies = []processFamily{
	counter("inputs_total", "Inputs that the engine was given.", func(s *sample) uint64 { return s.engine.Inputs }),
	counter("inputs_refused_total", "Inputs that were malformed or contradicted others; the engine left them out.", func(s *sample) uint64 { return s.engine.Refused }),
	counter("problems_total", "Internal errors of the engine.", func(s *sample) uint64 { return s.engine.Problems }),
	gauge("leading", "1 while this replica may schedule.", func(s *sample) float64 {
		if s.leading {
			return 1
		}
		return 0
	}),
	gauge("sample_age_seconds", "Time since the engine's figures were read, which it lets them be once a second while it runs.", (*sample).age),
	counter("watches_total", "Watches that were started.", func(s *sample) uint64 { return s.connection.Watches }),
	counter("relists_total", "Kinds that were listed again because a watch could not resume.", func(s *sample) uint64 { return s.connection.Relists }),
	counter("relist_drift_total", "Objects of which a relist showed a state that the watch had not reported.", func(s *sample) uint64 { return s.connection.Drifted }),
	counter("clock_jumps_total", "Changes of the wall clock by more than a second.", func(s *sample) uint64 { return s.connection.ClockJumps }),
	counter("effects_total", "Bindings, patches, deletions and plugin calls that the engine emitted.", func(s *sample) uint64 { return s.connection.Effects }),
	counter("effects_superseded_total", "Effects that a newer one on the same pod made needless.", func(s *sample) uint64 { return s.connection.Superseded }),
	counter("effects_gave_up_total", "Effects whose calls failed for as long as they are retried.", func(s *sample) uint64 { return s.connection.GaveUp }),
	counter("effects_fenced_total", "Effects that were not carried out because this replica no longer leads.", func(s *sample) uint64 { return s.connection.Fenced }),
	counter("api_call_attempts_total", "Calls to the API server for effects.", func(s *sample) uint64 { return s.connection.Attempts }),
	counter("api_call_retries_total", "Calls to the API server that repeat one that failed.", func(s *sample) uint64 { return s.connection.Retries }),
	gauge("effects_waiting", "Effects that wait for their turn or for a retry.", func(s *sample) float64 { return float64(s.connection.Waiting) }),
	gauge("effects_running", "Effects whose call is in progress.", func(s *sample) float64 { return float64(s.connection.Running) }),
	gauge("plugin_calls_running", "Calls of plugins outside of the engine that have not returned.", func(s *sample) float64 { return float64(s.connection.Plugins) }),
	counter("reused_nodes_total", "Verdicts and scores of nodes that were those of an earlier pod like this one.", func(s *sample) uint64 { return s.reuse.Reused }),
	counter("computed_nodes_total", "Verdicts and scores of nodes that were computed and kept, because the node had changed.", func(s *sample) uint64 { return s.reuse.Computed }),
	counter("reuse_tables_evicted_total", "Tables of verdicts and scores that made room for those of other pods.", func(s *sample) uint64 { return s.reuse.Evicted }),
	gauge("reuse_tables", "Kinds of pods for which verdicts and scores are kept.", func(s *sample) float64 { return float64(s.reuse.Tables) }),
	gauge("reuse_bytes", "Size of the verdicts and scores that are kept.", func(s *sample) float64 { return float64(s.reuse.Bytes) }),
	gauge("flight_recorder_bytes", "Size of what the flight recorder holds.", func(s *sample) float64 { return float64(s.flightRecorderBytes) }),
	gauge("flight_recorder_seconds", "Time that the flight recorder spans.", func(s *sample) float64 { return s.flightRecorderSeconds }),
	gauge("optional_memory_share", "Share of their bounds that the flight recorder and histories may take; below 1 the process is near GOMEMLIMIT.", func(s *sample) float64 { return s.optionalShare }),
}

// ProcessOptions are what the figures of a process are read from.
type ProcessOptions struct {
	// Connection returns the counters of the connection. It is called by any goroutine.
	Connection func() live.Counters
	// Leading reports whether the process may schedule. It is called by any goroutine.
	Leading func() bool
	Flight  *play.FlightRecorder
	// OptionalShare is called by Refresh.
	OptionalShare func() float64
}

// Process has the figures of a process that drives an engine on a cluster, orrery_*. It is a prometheus.Collector.
type Process struct {
	options ProcessOptions
	// latest is the engine's part, refreshed once a second.
	latest atomic.Pointer[engineSample]
}

// NewProcess returns the figures of a process whose engine has not run.
func NewProcess(o ProcessOptions) *Process { return &Process{options: o} }

// Describe implements prometheus.Collector.
func (c *Process) Describe(to chan<- *prometheus.Desc) {
	for _, f := range processFamilies {
		to <- f.desc
	}
	to <- panicsDesc
}

// panicsDesc is the one family with labels.
var panicsDesc = prometheus.NewDesc("orrery_plugin_panics_total", "Panics of plugins; each failed its call.", []string{"plugin", "extension_point"}, nil)

// Collect implements prometheus.Collector.
func (c *Process) Collect(to chan<- prometheus.Metric) {
	s := sample{connection: c.options.Connection(), leading: c.options.Leading()}
	if latest := c.latest.Load(); latest != nil {
		s.engineSample = *latest
	}
	for _, f := range processFamilies {
		to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(&s))
	}
	for _, p := range s.panics {
		to <- prometheus.MustNewConstMetric(panicsDesc, prometheus.CounterValue, float64(p.Panics), p.Plugin, string(p.Point))
	}
}

// SampledAt returns when the engine's part was last read; zero before the engine runs.
func (c *Process) SampledAt() time.Time {
	if latest := c.latest.Load(); latest != nil {
		return latest.at
	}
	return time.Time{}
}

// Refresh reads the engine's part, between two inputs.
func (c *Process) Refresh(e *engine.Engine) {
	flight := c.options.Flight
	c.latest.Store(&engineSample{
		at: time.Now(), engine: e.Counters(), panics: e.Panics(), reuse: e.ReuseStats(), flightRecorderBytes: flight.Bytes(), flightRecorderSeconds: e.Now().Sub(flight.Since()).Seconds(),
		optionalShare: c.options.OptionalShare(),
	})
}
