package monitoring

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"k8s.io/component-base/metrics"

	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// scrapeInterval is that of the ServiceMonitor, and Prometheus evaluates rules as often.
const scrapeInterval = 30 * time.Second

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// healthy are the figures of a process that a simulation has none of, of a leader in good health.
var healthy = map[string]float64{
	`leader_election_master_status{name="kube-scheduler"}`: 1, "orrery_leading": 1, "orrery_sample_age_seconds": 0.4,
	"orrery_relist_drift_total": 0, "orrery_recording_up": 1,
}

// gatherer are the metrics of an engine.
type gatherer struct {
	metrics *telemetry.Metrics
	kube    metrics.KubeRegistry
	own     *prometheus.Registry
}

func newGatherer() *gatherer {
	g := &gatherer{kube: metrics.NewKubeRegistry(), own: prometheus.NewPedanticRegistry()}
	g.metrics = telemetry.New(g.kube, config.DefaultFeatures())
	g.own.MustRegister(g.metrics.Own())
	return g
}

// gather returns what a scrape finds of an engine.
func (g *gatherer) gather(t testing.TB, e *engine.Engine) []*dto.MetricFamily {
	t.Helper()
	g.metrics.Refresh(e, nil)
	kube, err := g.kube.Gather()
	if err != nil {
		t.Fatal(err)
	}
	own, err := g.own.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return append(kube, own...)
}

// simulated is a scheduler in a simulated cluster, scraped and watched by the printed alerts.
type simulated struct {
	t         *testing.T
	cluster   *memory.Cluster
	engine    *engine.Engine
	scheduler *drive.Scheduler
	gatherer  *gatherer
	store     *store
	alerts    *evaluator
	now       time.Time
	// process are the figures of the process, and down says that it is not scraped. slow is how long an attempt takes.
	process map[string]float64
	down    bool
	slow    time.Duration
	fired   map[string]string // the description of every alert that has fired
}

func newSimulated(t *testing.T) *simulated {
	s := &simulated{
		t: t, gatherer: newGatherer(), store: newStore(), now: start, process: maps.Clone(healthy), slow: 10 * time.Microsecond, fired: map[string]string{},
		cluster: memory.New(memory.Options{Start: start, Seed: 1}),
	}
	s.alerts = newEvaluator(s.store, printed(t).Rules)
	var stopwatch time.Duration
	o := engine.Options{Start: start, Seed: 1, Listener: s.gatherer.metrics, OnTiming: s.gatherer.metrics.ObserveTiming, Stopwatch: func() time.Duration {
		stopwatch += s.slow
		return stopwatch
	}}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.engine, s.scheduler = e, drive.NewScheduler(e, s.gatherer.metrics)
	for _, node := range []string{"n1", "n2"} {
		s.create(mk.Node(node).CPU("8").Memory("32Gi").Pods("1000").Zone("z-" + node).Obj())
	}
	return s
}

func (s *simulated) create(o world.Object) {
	s.t.Helper()
	if _, err := s.cluster.Create(o); err != nil {
		s.t.Fatal(err)
	}
}

// busy creates a small pod every ten seconds, for some time.
func (s *simulated) busy(d time.Duration) {
	for at := s.now; at.Before(s.now.Add(d)); at = at.Add(10 * time.Second) {
		s.cluster.At(at, func(*memory.Cluster) { s.create(mk.Pod("pod-" + at.Format("150405")).CPU("10m").Obj()) })
	}
}

// run lets the scheduler work.
func (s *simulated) run(d time.Duration) {
	s.passTime(d, func(until time.Time) { drive.Run(s.cluster, until, s.scheduler) })
}

// follow lets inputs come in, and nothing be decided.
func (s *simulated) follow(d time.Duration) {
	s.passTime(d, func(until time.Time) {
		for {
			in, ok := s.cluster.Next(until)
			if !ok {
				return
			}
			_ = s.engine.Apply(in)
		}
	})
}

func (s *simulated) passTime(d time.Duration, pass func(until time.Time)) {
	s.t.Helper()
	for end := s.now.Add(d); s.now.Before(end); {
		s.now = s.now.Add(scrapeInterval)
		pass(s.now)
		_ = s.engine.Apply(world.Input{At: s.now, Event: world.Tick{}})
		if !s.down {
			s.scrape()
		}
		s.evaluate()
	}
}

func (s *simulated) scrape() {
	s.t.Helper()
	scrapeTarget(s.t, s.store, s.now, s.gatherer, s.engine, s.process)
}

func (s *simulated) evaluate() {
	s.t.Helper()
	firing, err := s.alerts.evaluate(s.t.Context(), s.now)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range firing {
		s.fired[f.alert] = f.description
	}
}

// scrapeTarget scrapes an engine's metrics and a process's figures.
func scrapeTarget(t testing.TB, to *store, at time.Time, g *gatherer, e *engine.Engine, process map[string]float64) {
	t.Helper()
	target := []string{"job", Job, "instance", "10.0.0.1:10259"}
	to.scrape(at, g.gather(t, e), target...)
	counters := e.Counters()
	for name, value := range process {
		pairs := append([]string{labels.MetricName, name}, target...)
		if name == `leader_election_master_status{name="kube-scheduler"}` {
			pairs[1] = "leader_election_master_status"
			pairs = append(pairs, "name", "kube-scheduler")
		}
		to.append(at, value, labels.FromStrings(pairs...))
	}
	for name, value := range map[string]uint64{"orrery_problems_total": counters.Problems, "orrery_inputs_refused_total": counters.Refused} {
		to.append(at, float64(value), labels.FromStrings(append([]string{labels.MetricName, name}, target...)...))
	}
}

// wantFired checks which alerts have fired.
func (s *simulated) wantFired(want ...string) {
	s.t.Helper()
	if got := slices.Sorted(maps.Keys(s.fired)); !slices.Equal(got, want) {
		s.t.Errorf("after %v: fired %q, want %q", s.now.Sub(start), got, want)
	}
}
