package figures

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// scene is a scheduler in a simulated cluster, with its figures.
type scene struct {
	t         *testing.T
	figures   *Figures
	engine    *engine.Engine
	cluster   *memory.Cluster
	scheduler *drive.Scheduler
	now       time.Time
}

func newScene(t *testing.T, active func() bool, objects ...world.Object) *scene {
	t.Helper()
	f := New(config.DefaultFeatures(), active)
	e, err := engine.New(engine.Options{Start: start, Seed: 1, Listener: f.Listener(nil)})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, figures: f, engine: e, cluster: memory.New(memory.Options{Start: start}), now: start}
	if err := s.cluster.Load(objects...); err != nil {
		t.Fatal(err)
	}
	s.scheduler = drive.NewScheduler(e, f.Of(e))
	return s
}

func always() bool { return true }

// run lets time pass, and returns the series, by name and labels' values; of a histogram its sum, and its count as NAME#.
func (s *scene) run(d time.Duration) map[string]float64 {
	s.t.Helper()
	s.now = s.now.Add(d)
	drive.Run(s.cluster, s.now, s.scheduler)
	return s.series(nil)
}

// series returns the series as of now.
func (s *scene) series(c *shadow.Comparator) map[string]float64 {
	s.t.Helper()
	s.figures.written = time.Time{}
	s.figures.Refresh(s.engine, c)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s.figures)
	all, err := registry.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range all {
		for _, m := range f.Metric {
			name := strings.TrimPrefix(f.GetName(), "orrery_")
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			for _, l := range []string{"namespace", "priority", "owner_kind", "owner", "queue", "outcome", "phase", "plugins", "class", "result", "cause", "plugin", "resource", "cpu", "memory"} {
				if v, has := labels[l]; has {
					name += " " + v
				}
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum()
			if h := m.GetHistogram(); h != nil {
				values[name+"#"] = float64(h.GetSampleCount())
			}
		}
	}
	return values
}

func (s *scene) create(o world.Object) {
	s.t.Helper()
	if _, err := s.cluster.Create(o); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) check(got map[string]float64, want map[string]float64) {
	s.t.Helper()
	for name, value := range want {
		v, there := got[name]
		if !there || math.Abs(v-value) > 0.5 {
			s.t.Errorf("%s is %v (there: %t), want %v", name, v, there, value)
		}
	}
}

func namespace(name string) *v1.Namespace {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestWorkload_NamesWhatBringsPodsAbout(t *testing.T) {
	of := func(kind, name string, labels map[string]string) *v1.Pod {
		pod := mk.Pod("web-0").Obj()
		pod.Labels, pod.OwnerReferences = labels, []metav1.OwnerReference{{Kind: kind, Name: name, Controller: ptr.To(true)}}
		return pod
	}
	for _, c := range []struct {
		pod  *v1.Pod
		want owner
	}{
		{mk.Pod("alone").Obj(), owner{"default", "pod", ""}},
		{of("StatefulSet", "db", nil), owner{"default", "statefulset", "db"}},
		{of("ReplicaSet", "web-5d", map[string]string{"pod-template-hash": "5d"}), owner{"default", "deployment", "web"}},
		{of("Hostile", "a\x1b[2J", nil), owner{"default", "hostile", `a\x1b[2J`}},
	} {
		if _, got := workloadOf(c.pod); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	urgent := mk.Pod("urgent").Obj()
	urgent.Spec.Priority = ptr.To[int32](1000)
	if c, _ := workloadOf(urgent); c != (class{"default", "1000", "pod"}) {
		t.Errorf("the class is %+v", c)
	}
	urgent.Spec.PriorityClassName = "high"
	if c, _ := workloadOf(urgent); c.priority != "high" {
		t.Errorf("the class is %+v", c)
	}
}

// A pod waits a minute for its gate and two for a node: the phases sum up to the time of its placement, and the plugin that held it is named.
func TestPlacement_SplitsIntoPhases(t *testing.T) {
	s := newScene(t, always, mk.Node("small").CPU("1").Pods("10").Obj(), namespace("shop"))
	s.create(mk.Pod("web-0").Namespace("shop").CPU("4").Gate("example.com/wait").Obj())
	got := s.run(time.Minute)
	s.check(got, map[string]float64{"owner_pending_pods shop pod  gated SchedulingGates": 1})
	open := s.cluster.Pod("shop", "web-0").DeepCopy()
	open.Spec.SchedulingGates = nil
	if _, err := s.cluster.Update(open); err != nil {
		t.Fatal(err)
	}
	got = s.run(2 * time.Minute)
	s.check(got, map[string]float64{
		"owner_pending_pods shop pod  unschedulable NodeResourcesFit": 1,
		"owner_attempts_total shop pod  requeued":                     1,
	})
	s.create(mk.Node("large").CPU("8").Pods("10").Obj())
	got = s.run(time.Minute)
	s.check(got, map[string]float64{
		"pod_placement_seconds shop 0 pod": 180, "pod_placement_seconds shop 0 pod#": 1,
		"pod_phase_seconds_total shop 0 pod gate": 60, "pod_phase_seconds_total shop 0 pod unschedulable": 120,
		"pod_placement_phase_seconds gate#": 1, "pod_placement_phase_seconds unschedulable": 120,
		"pod_held_seconds_total SchedulingGates": 60, "pod_held_seconds_total NodeResourcesFit": 120,
		"owner_attempts_total shop pod  requeued": 1, "owner_attempts_total shop pod  left": 1,
	})
	sum := 0.0
	for name, value := range got {
		if strings.HasPrefix(name, "pod_phase_seconds_total") {
			sum += value
		}
	}
	if total := got["pod_placement_seconds shop 0 pod"]; math.Abs(sum-total) > 1e-6 {
		t.Errorf("the phases sum up to %v, and the placement took %v", sum, total)
	}
}

// The places of labels are bounded: the first keys have one each, the others share one, and an idle one is given away.
func TestSlots_AreBounded(t *testing.T) {
	s := newSlots[string, int](2)
	for i, key := range []string{"a", "b", "c", "d", "a"} {
		*s.of(key, start.Add(time.Duration(i)*time.Minute))++
	}
	seen := func() (text string) {
		for _, key := range []string{"a", "b", "c", "d", other} {
			s.each(other, func(k string, n *int) {
				if k == key {
					text += fmt.Sprintf("%s=%d ", k, *n)
				}
			})
		}
		return strings.TrimSpace(text)
	}
	if got, want := seen(), "a=2 b=1 (other)=2"; got != want {
		t.Errorf("it has %s, want %s", got, want)
	}
	*s.of("c", start.Add(61*time.Minute+time.Second))++ // b was idle for an hour, and a was not
	if got, want := seen(), "a=2 c=1 (other)=2"; got != want {
		t.Errorf("it has %s, want %s", got, want)
	}
}

// However many namespaces and owners there are, the series are as many as the bounds say, and no pod is left out of the sums.
func TestFigures_CardinalityIsBounded(t *testing.T) {
	s := newScene(t, always, mk.Node("small").CPU("1").Pods("10").Obj())
	const pods = 300
	for i := range pods {
		s.create(namespace(fmt.Sprintf("team-%d", i)))
		s.create(mk.Pod("web").Namespace(fmt.Sprintf("team-%d", i)).CPU("4").Obj())
	}
	got := s.run(10 * time.Second)
	s.create(mk.Node("large").CPU("4000").Pods("1000").Obj())
	pending, series := 0.0, map[string]int{}
	for name, value := range got {
		family, _, _ := strings.Cut(name, " ")
		series[family]++
		if family == "owner_pending_pods" {
			pending += value
		}
	}
	if pending != pods {
		t.Errorf("%v pods are pending, want %d", pending, pods)
	}
	got = s.run(10 * time.Minute)
	placed := 0.0
	clear(series)
	for name, value := range got {
		family, _, _ := strings.Cut(name, " ")
		series[family]++
		if family == "pod_placement_seconds" && strings.HasSuffix(name, "#") {
			placed += value
		}
	}
	if placed != pods {
		t.Errorf("%v pods were placed, want %d", placed, pods)
	}
	for family, most := range map[string]int{
		"pod_placement_seconds": 2 * (maxClasses + 1), "pod_phase_seconds_total": int(phases) * (maxClasses + 1), "owner_attempts_total": 2 * (maxOwners + 1),
		"owner_pending_pods": maxPending + 5, "pod_held_seconds_total": maxReasons + 1,
	} {
		if series[family] > most {
			t.Errorf("%s has %d series, want %d at most", family, series[family], most)
		}
	}
	if left := len(s.figures.placements.journeys) + len(s.figures.owners.pending); left > 0 {
		t.Errorf("%d journeys and counts of pending pods are left", left)
	}
}

// Of more pods than may be followed each is counted once, however often it is tried.
func TestPlacement_CountsWhatItDoesNotMeasure(t *testing.T) {
	s := newScene(t, always, mk.Node("small").CPU("1").Pods("10").Obj())
	s.figures.placements.most = 1
	for _, name := range []string{"a", "b", "c"} {
		s.create(mk.Pod(name).CPU("4").Obj())
	}
	s.run(time.Minute)
	s.create(mk.Node("large").CPU("64").Pods("10").Obj())
	s.check(s.run(10*time.Minute), map[string]float64{"pod_placements_unmeasured_total": 2, "pod_placement_seconds default 0 pod#": 1})
}

// A standby counts nothing, and has no series.
func TestFigures_OnlyOfTheLeader(t *testing.T) {
	leads := false
	s := newScene(t, func() bool { return leads }, mk.Node("large").CPU("8").Pods("10").Obj())
	s.create(mk.Pod("one").CPU("1").Obj())
	if got := s.run(time.Minute); len(got) > 0 {
		t.Errorf("a standby has the series %v", got)
	}
	leads = true
	s.create(mk.Pod("two").CPU("1").Obj())
	s.check(s.run(time.Minute), map[string]float64{"pod_placement_seconds default 0 pod#": 1})
}

// Room and evictions are the cluster's: a pod that its node's taint evicts, and what is free after it.
func TestFigures_RoomAndEvictions(t *testing.T) {
	s := newScene(t, always, mk.Node("large").CPU("8").Memory("8Gi").Pods("10").Obj(), mk.Pod("runs").CPU("2").Memory("1Gi").Node("large").Phase(v1.PodRunning).Obj())
	got := s.run(time.Second)
	s.check(got, map[string]float64{
		"room_free cpu": 6, "room_largest_free cpu": 6, "room_free pods": 9, "room_pods 2 1073741824": 3, "evictions_total taint": 0, "evictions_total preemption": 0,
	})
	evicted := s.cluster.Pod("default", "runs").DeepCopy()
	evicted.Status.Conditions = append(evicted.Status.Conditions, v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "DeletionByTaintManager"})
	if _, err := s.cluster.UpdateStatus(evicted); err != nil {
		t.Fatal(err)
	}
	s.run(2 * time.Minute)
	if err := s.cluster.Delete(world.Pod, "default", "runs", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}); err != nil {
		t.Fatal(err)
	}
	s.check(s.run(time.Second), map[string]float64{"evictions_total taint": 1, "room_free cpu": 8})
}

func TestFigures_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	described := make(chan *prometheus.Desc, 100)
	New(config.DefaultFeatures(), always).Describe(described)
	close(described)
	for d := range described {
		_, name, _ := strings.Cut(d.String(), `fqName: "`)
		if name, _, _ = strings.Cut(name, `"`); !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/observe.md does not describe %s", name)
		}
	}
}
