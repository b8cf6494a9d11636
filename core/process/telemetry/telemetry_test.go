package telemetry_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"

	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/volumes"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var update = flag.Bool("update", false, "write the golden files anew")

var start = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// stopwatch advances by a microsecond at every reading.
func stopwatch() func() time.Duration {
	var now time.Duration
	return func() time.Duration {
		now += time.Microsecond
		return now
	}
}

// watched is a cluster and an engine in it, with metrics.
func watched(t testing.TB) (*memory.Cluster, *engine.Engine, *telemetry.Metrics, metrics.KubeRegistry) {
	t.Helper()
	registry := metrics.NewKubeRegistry()
	m := telemetry.New(registry, config.DefaultFeatures())
	e, err := engine.New(engine.Options{Start: start, Seed: 1, Stopwatch: stopwatch(), OnTiming: m.ObserveTiming, Listener: m})
	if err != nil {
		t.Fatal(err)
	}
	return memory.New(memory.Options{Start: start, Seed: 1}), e, m, registry
}

// gated returns an engine with feature gates, and its metrics.
func gated(t testing.TB, gates string) (*engine.Engine, *telemetry.Metrics, metrics.KubeRegistry) {
	t.Helper()
	features, err := config.ParseFeatureFlag(gates)
	if err != nil {
		t.Fatal(err)
	}
	registry := metrics.NewKubeRegistry()
	m := telemetry.New(registry, features)
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	return e, m, registry
}

func create(t testing.TB, c *memory.Cluster, pods ...*mk.PodBuilder) {
	t.Helper()
	for _, p := range pods {
		if _, err := c.Create(p.Obj()); err != nil {
			t.Fatal(err)
		}
	}
}

// said returns a registry's series, one per line, without single buckets.
func exposed(t testing.TB, r metrics.KubeRegistry) string {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range families {
		for _, s := range f.Metric {
			lines = append(lines, f.GetName()+labels(s)+" "+value(s))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func labels(s *dto.Metric) string {
	var words []string
	for _, l := range s.Label {
		words = append(words, l.GetName()+"="+l.GetValue())
	}
	if len(words) == 0 {
		return ""
	}
	return "{" + strings.Join(words, ",") + "}"
}

func value(s *dto.Metric) string {
	switch {
	case s.Counter != nil:
		return fmt.Sprint(s.Counter.GetValue())
	case s.Gauge != nil:
		return fmt.Sprint(s.Gauge.GetValue())
	default:
		return fmt.Sprintf("%d observed", s.Histogram.GetSampleCount())
	}
}

// Shows QUEUE-22, QUEUE-23, QUEUE-24, CONF-18 and GATE-06.
func TestMetrics_GoldenOfScenario(t *testing.T) {
	c, e, m, registry := watched(t)
	if _, err := c.Create(mk.Node("n1").CPU("2").Memory("4Gi").Obj()); err != nil {
		t.Fatal(err)
	}
	create(t, c, mk.Pod("web").CPU("1"), mk.Pod("idle").CPU("1"), mk.Pod("huge").CPU("64"), mk.Pod("shut").Gate("example.com/later"))
	c.At(start.Add(5*time.Second), func(c *memory.Cluster) {
		vip := mk.Pod("vip").CPU("1500m").Obj()
		vip.Spec.PriorityClassName = "system-cluster-critical"
		if _, err := c.Create(vip); err != nil {
			t.Error(err)
		}
	})
	drive.Run(c, start.Add(90*time.Second), drive.NewScheduler(e, m))
	m.Refresh(e, map[string]int{"pod_binding": 0})
	m.Refresh(e, map[string]int{"pod_binding": 0}) // a second refresh must not count twice

	got := exposed(t, registry)
	if *update {
		if err := os.WriteFile("testdata/morning.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/morning.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the numbers differ (-want +got):\n%s", diff)
	}
}

func TestMetrics_IgnoreDryRuns(t *testing.T) {
	c, e, m, registry := watched(t)
	create(t, c, mk.Pod("web").CPU("1"))
	if _, err := c.Create(mk.Node("n1").CPU("2").Memory("4Gi").Obj()); err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(time.Second), drive.NewScheduler(e, m))
	before := exposed(t, registry)
	if _, err := e.Explain("default", "web"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, exposed(t, registry)); diff != "" {
		t.Errorf("asking why was counted (-before +after):\n%s", diff)
	}
}

// DELETE /metrics detaches the series that are cached.
func TestMetrics_CountAfterReset(t *testing.T) {
	c, e, m, registry := watched(t)
	if _, err := c.Create(mk.Node("n1").CPU("20").Memory("4Gi").Obj()); err != nil {
		t.Fatal(err)
	}
	s := drive.NewScheduler(e, m)
	// round schedules a pod, has a new node run the hints of another one, and returns the families that have series.
	round := func(n int) (names []string) {
		create(t, c, mk.Pod(fmt.Sprintf("huge%d", n)).CPU("64"), mk.Pod(fmt.Sprintf("web%d", n)).CPU("1"))
		end := start.Add(time.Duration(n) * 10 * time.Second)
		c.At(end.Add(-5*time.Second), func(c *memory.Cluster) {
			if _, err := c.Create(mk.Node(fmt.Sprintf("more%d", n)).CPU("20").Memory("4Gi").Obj()); err != nil {
				t.Error(err)
			}
		})
		drive.Run(c, end, s)
		m.Refresh(e, nil)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			names = append(names, f.GetName())
		}
		return names
	}
	before := round(1)
	for _, want := range []string{
		"framework_extension_point_duration_seconds", "plugin_execution_duration_seconds", "event_handling_duration_seconds",
		"queue_incoming_pods_total", "queueing_hint_execution_duration_seconds",
	} {
		if !slices.Contains(before, "scheduler_"+want) {
			t.Errorf("%s has no series before the reset", want)
		}
	}
	for n := range 2 {
		w := httptest.NewRecorder()
		metrics.HandlerWithReset(registry, metrics.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodDelete, "/metrics", nil))
		if diff := cmp.Diff(before, round(n+2)); w.Code != http.StatusOK || diff != "" {
			t.Errorf("families after reset %d, with code %d (-before +after):\n%s", n+1, w.Code, diff)
		}
	}
}

func TestMetrics_FollowFeatureGates(t *testing.T) {
	for _, row := range []struct {
		gates string
		name  string
		there bool
	}{
		{"SchedulerAsyncAPICalls=true", "scheduler_pending_async_api_calls", true},
		{"SchedulerAsyncAPICalls=false", "scheduler_pending_async_api_calls", false},
	} {
		e, m, registry := gated(t, row.gates)
		m.Refresh(e, map[string]int{"pod_binding": 1})
		if got := strings.Contains(exposed(t, registry), row.name+"{"); got != row.there {
			t.Errorf("with %s, %s is there: %v, want %v", row.gates, row.name, got, row.there)
		}
	}
}

func TestResources_OfPods(t *testing.T) {
	web := mk.Pod("web").CPU("250m").Memory("64Mi").Request("hugepages-2Mi", "4Mi").Request("example.com/gpu", "2").Node("n1").Priority(7).Obj()
	web.Spec.Containers[0].Resources.Limits = mk.Resources("cpu", "1")
	web.Spec.SchedulerName = "default-scheduler"
	over := mk.Pod("over").CPU("1").Node("n1").Phase(v1.PodSucceeded).Obj()
	waits := mk.Pod("waits").CPU("0").Memory("1").Obj()
	rec := httptest.NewRecorder()
	telemetry.Resources(func() []*v1.Pod { return []*v1.Pod{web, over, waits} }).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics/resources", nil))
	var got []string
	for line := range strings.Lines(rec.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff([]string{
		`kube_pod_resource_limit{namespace="default",node="n1",pod="web",priority="7",resource="cpu",scheduler="default-scheduler",unit="cores"} 1`,
		`kube_pod_resource_request{namespace="default",node="",pod="waits",priority="",resource="memory",scheduler="default-scheduler",unit="bytes"} 1`,
		`kube_pod_resource_request{namespace="default",node="n1",pod="web",priority="7",resource="cpu",scheduler="default-scheduler",unit="cores"} 0.25`,
		`kube_pod_resource_request{namespace="default",node="n1",pod="web",priority="7",resource="example.com/gpu",scheduler="default-scheduler",unit=""} 2`,
		`kube_pod_resource_request{namespace="default",node="n1",pod="web",priority="7",resource="hugepages-2Mi",scheduler="default-scheduler",unit="bytes"} 4.194304e+06`,
		`kube_pod_resource_request{namespace="default",node="n1",pod="web",priority="7",resource="memory",scheduler="default-scheduler",unit="bytes"} 6.7108864e+07`,
	}, got); diff != "" {
		t.Errorf("the resources differ (-want +got):\n%s", diff)
	}
}

// Metrics must be cheap: there are some ten observations for every decision.
func BenchmarkMetrics(b *testing.B) {
	for _, row := range []struct {
		name   string
		listen bool
	}{{"nobody", false}, {"metrics", true}} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				o := engine.Options{Start: start, Seed: 1}
				m := telemetry.New(metrics.NewKubeRegistry(), config.DefaultFeatures())
				if row.listen {
					began := time.Duration(0)
					o.Stopwatch = func() time.Duration { began++; return began }
					o.OnTiming, o.Listener = m.ObserveTiming, m
				}
				e, err := engine.New(o)
				if err != nil {
					b.Fatal(err)
				}
				c := memory.New(memory.Options{Start: start, Seed: 1})
				for i := range 100 {
					if _, err := c.Create(mk.Node(fmt.Sprintf("n%d", i)).CPU("64").Memory("256Gi").Obj()); err != nil {
						b.Fatal(err)
					}
				}
				for i := range 2000 {
					create(b, c, mk.Pod(fmt.Sprintf("p%d", i)).CPU("10m"))
				}
				drive.Run(c, start.Add(time.Minute), drive.NewScheduler(e))
			}
		})
	}
}

func TestObserveCall_NamesWritesForBinding(t *testing.T) {
	features, err := config.ParseFeatures(map[string]bool{"SchedulerAsyncAPICalls": true, "DRAExtendedResource": true})
	if err != nil {
		t.Fatal(err)
	}
	registry := metrics.NewKubeRegistry()
	m := telemetry.New(registry, features)
	m.ObserveCall(world.ClaimVolume{}, nil, time.Second)
	m.ObserveCall(world.CreateResourceClaim{}, nil, time.Second)
	m.ObserveCall(world.CreateResourceClaim{}, errors.New("refused"), time.Second)
	m.ObserveCall(world.SelectNode{}, errors.New("refused"), time.Second)
	m.ObserveCall(world.ReserveResourceClaim{}, nil, time.Second)
	got := exposed(t, registry)
	for _, want := range []string{
		"scheduler_async_api_call_execution_total{call_type=persistentvolume_patch,result=success} 1\n",
		"scheduler_async_api_call_execution_total{call_type=persistentvolumeclaim_patch,result=error} 1\n",
		"scheduler_async_api_call_execution_total{call_type=resourceclaim_status_update,result=success} 1\n",
		"scheduler_resourceclaim_creates_total{status=failure} 1\n",
		"scheduler_resourceclaim_creates_total{status=success} 1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no series %s in\n%s", want, got)
		}
	}
}

// A call type without pending calls is missing in what Refresh is given.
func TestRefresh_PendingCallsGoBackToZero(t *testing.T) {
	e, m, registry := gated(t, "SchedulerAsyncAPICalls=true")
	for _, row := range []struct {
		waiting map[string]int
		want    string
	}{{map[string]int{"pod_binding": 17}, "17"}, {nil, "0"}} {
		m.Refresh(e, row.waiting)
		if want := "scheduler_pending_async_api_calls{call_type=pod_binding} " + row.want + "\n"; !strings.Contains(exposed(t, registry), want) {
			t.Errorf("no series %s after a refresh with %v", want, row.waiting)
		}
	}
}

func TestRefresh_CountsVolumeErrors(t *testing.T) {
	_, e, m, registry := watched(t)
	e.Volumes().Errors = volumes.Errors{Predicate: 1, Bind: 2}
	m.Refresh(e, nil)
	e.Volumes().Errors.Bind++
	m.Refresh(e, nil)
	got := exposed(t, registry)
	for _, want := range []string{
		"scheduler_volume_scheduling_stage_error_total{operation=bind} 3\n",
		"scheduler_volume_scheduling_stage_error_total{operation=predicate} 1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q among the metrics", want)
		}
	}
}

// Shows rules 36-15 and 37-M.
func TestMetrics_FamiliesOfReleases(t *testing.T) {
	since := map[string]release.Release{
		"scheduler_pod_scheduled_after_flush_total": release.V136, "scheduler_queued_entities": release.V137, "scheduler_queue_incoming_entities_total": release.V137,
		"scheduler_batch_rescore_attempts_total": release.V137, "scheduler_batch_rescore_duration_seconds": release.V137,
		"scheduler_pre_queueing_hint_evaluations_total": release.V137,
	}
	for _, r := range release.All() {
		names := familiesOf{}
		telemetry.New(names, config.FeaturesOf(r))
		for name, first := range since {
			if names[name] != (r >= first) {
				t.Errorf("%v has %s: %v, want it since %v", r, name, names[name], first)
			}
		}
	}
}

// familiesOf is a registry of names.
type familiesOf map[string]bool

func (f familiesOf) RawMustRegister(...prometheus.Collector) {}

func (f familiesOf) MustRegister(all ...metrics.Registerable) {
	for _, r := range all {
		f[r.FQName()] = true
	}
}

// A pod that only the flush brought back is counted when it is bound. From 1.37 on what waits is counted as entities, too.
func TestMetrics_FlushedPodsAndEntities(t *testing.T) {
	features := config.FeaturesOf(release.V137)
	registry := metrics.NewKubeRegistry()
	m := telemetry.New(registry, features)
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features), Listener: m})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []world.Object{mk.Node("n1").CPU("1").Memory("4Gi").Obj(), mk.Pod("web").CPU("2").Obj()} {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}); err != nil {
			t.Fatal(err)
		}
	}
	e.Step()
	for _, flushed := range []bool{true, false} {
		m.Attempted(engine.Attempted{Profile: "default-scheduler", Verdict: engine.Placed, Attempts: 2, Flushed: flushed})
	}
	m.Refresh(e, nil)
	got := exposed(t, registry)
	for _, want := range []string{
		"scheduler_pod_scheduled_after_flush_total 1\n", "scheduler_queued_entities{queue=unschedulable,type=pod} 1\n",
		"scheduler_queue_incoming_entities_total{event=UnscheduledPodAdd,queue=active,type=pod} 1\n",
		"scheduler_queue_incoming_entities_total{event=ScheduleAttemptFailure,queue=unschedulable,type=pod} 1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, got)
		}
	}
}
