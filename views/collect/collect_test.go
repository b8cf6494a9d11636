package collect_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/observer"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// busyCluster is a small cluster with more pods than capacity: some run, some lack memory, one is gated, and two nodes
// are cordoned or tainted. It has run for twenty seconds.
func busyCluster(t testing.TB) (*engine.Engine, *collect.History) {
	t.Helper()
	c := memory.New(memory.Options{
		Start: start, Seed: 7, Latency: memory.TypicalLatency(),
		NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: start, Immediate: true}),
	})
	create := func(o world.Object) {
		if _, err := c.Create(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"shop", "ml", "batch"} {
		create(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Value: 1000})
	for i := range 9 {
		b := mk.Node(fmt.Sprintf("worker-%02d", i)).CPU("4").Memory("8Gi").Pods("110").Zone("zone-" + string(rune('a'+i%3)))
		if i == 4 {
			b.Taint("dedicated", "ml", v1.TaintEffectNoSchedule)
		}
		if i == 7 {
			b.Unschedulable()
		}
		create(b.Obj())
	}
	for i := range 30 {
		pod := mk.Pod(fmt.Sprintf("cart-%02d", i)).Namespace("shop").UID("").CPU("500m").Memory("1Gi").Obj()
		pod.Spec.PriorityClassName = "shop"
		create(pod)
	}
	for i := range 3 {
		create(mk.Pod(fmt.Sprintf("trainer-%d", i)).Namespace("ml").UID("").CPU("1").Memory("6Gi").Obj())
	}
	create(mk.Pod("nightly").Namespace("batch").UID("").Gate("wait-for-night").Obj())
	create(lease("replica-a", start, 0))
	e, err := engine.New(engine.Options{Start: start, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	ch := collect.NewHistory(collect.HistoryOptions{Observer: observer.Options{Record: evictionRecord()}})
	for second := 2; second <= 20; second += 2 {
		drive.Run(c, start.Add(time.Duration(second)*time.Second), drive.NewScheduler(e, ch))
		holder, transitions := "replica-a", int32(0)
		if second >= 14 {
			holder, transitions = "replica-b", 1
		}
		if _, err := c.Update(lease(holder, e.Now(), transitions)); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range storageObjects() {
		switch o.(type) {
		case *v1.Node, *v1.Pod:
		default:
			in := world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: o}}
			ch.Applied(in, e.Apply(in))
		}
	}
	return e, ch
}

// lease is the scheduler's Lease, renewed by a holder.
func lease(holder string, at time.Time, transitions int32) *coordinationv1.Lease {
	seconds, now := int32(15), metav1.NewMicroTime(at)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &now, RenewTime: &now, LeaseTransitions: &transitions,
		},
	}
}

func evictionRecord() *evict.Record {
	b := evict.NewRecord()
	b.Write(evict.Eviction{
		Pod: world.PodRef{Namespace: "shop", Name: "cart-03", UID: "3"}, Node: "worker-01", Cause: evict.Taint, Phase: evict.CountingDown,
		Initiator: "taint manager", Reason: "node.kubernetes.io/unreachable:NoExecute", Deadline: start.Add(50 * time.Second), Budget: "shop/cart", DisruptionsAllowed: 1,
	})
	b.Write(evict.Eviction{
		Pod: world.PodRef{Namespace: "shop", Name: "cart-04", UID: "4"}, Node: "worker-01", Cause: evict.NodePressure, Phase: evict.AtRisk,
		Initiator: "kubelet", Reason: "memory.available below 100Mi soon",
	})
	return b
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s changed (-want +got):\n%s", path, diff)
	}
}

func TestModel_Golden(t *testing.T) {
	e, ch := busyCluster(t)
	c := collect.New(collect.Options{Source: "rush-hour", Mode: views.Demo, History: ch})
	for name, query := range map[string]collect.Query{
		"overview":  {Open: views.Overview, Columns: 120},
		"queue":     {Open: views.QueuePane},
		"pods":      {Open: views.PodsPane},
		"snapshot":  {Open: views.SnapshotPane},
		"zones":     {Open: views.ZonesPane, Columns: 120},
		"orrery":    {Open: views.OrreryPane},
		"evictions": {Open: views.EvictionsPane},
		"decisions": {Open: views.DecisionsPane},
		"explain":   {Open: views.ExplainPane, Pod: world.PodRef{Namespace: "ml", Name: "trainer-2"}},
		"placed":    {Open: views.ExplainPane, Pod: world.PodRef{Namespace: "shop", Name: "cart-07"}},
		"journey":   {Open: views.JourneyPane, Pod: world.PodRef{Namespace: "ml", Name: "trainer-2"}},
		"node":      {Open: views.NodePane, Node: "worker-02"},
		"metrics":   {Open: views.MetricsPane},
		"leader":    {Open: views.LeaderPane},
		"plugins":   {Open: views.PluginsPane},
	} {
		t.Run(name, func(t *testing.T) {
			query.Rows = 40
			canvas := draw.New(120, 40)
			views.Screen(canvas, c.Model(e, query), &views.State{Open: query.Open, Focus: views.QueuePane}, draw.Braille, e.Now())
			golden(t, name, canvas.Plain())
		})
	}
}

func TestModel_OnlyWindow(t *testing.T) {
	e, _ := busyCluster(t)
	c := collect.New(collect.Options{})
	all := c.Model(e, collect.Query{Open: views.DecisionsPane, Rows: 1000}).Decisions.List
	part := c.Model(e, collect.Query{Open: views.DecisionsPane, First: 5, Rows: 3}).Decisions.List
	if part.First != 5 || part.Total != all.Total || len(part.Rows) != 3 {
		t.Fatalf("got rows %d to %d of %d, want 5 to 8 of %d", part.First, part.First+len(part.Rows), part.Total, all.Total)
	}
	if diff := cmp.Diff(all.Rows[5:8], part.Rows); diff != "" {
		t.Errorf("the window differs from the whole (-whole +window):\n%s", diff)
	}
	pods := c.Model(e, collect.Query{Open: views.QueuePane, Rows: 1000}).Queue.Pods
	for first := range pods.Total {
		window := c.Model(e, collect.Query{Open: views.QueuePane, First: first, Rows: 2}).Queue.Pods
		if diff := cmp.Diff(pods.Rows[first:min(first+2, pods.Total)], window.Rows); diff != "" {
			t.Errorf("the window at %d differs from the whole:\n%s", first, diff)
		}
	}
}

func TestModel_MissingPodOrNode(t *testing.T) {
	e, _ := busyCluster(t)
	c := collect.New(collect.Options{})
	if m := c.Model(e, collect.Query{Open: views.NodePane, Node: "nowhere"}); m.Node != nil {
		t.Errorf("the detail of a missing node is %v", m.Node)
	}
	if m := c.Model(e, collect.Query{Open: views.ExplainPane, Pod: world.PodRef{Namespace: "a", Name: "b"}}); m.Explain != nil {
		t.Errorf("the explanation of a missing pod is %v", m.Explain)
	}
	if m := c.Model(e, collect.Query{Open: views.JourneyPane, Pod: world.PodRef{Namespace: "a", Name: "b"}}); m.Journey.State != views.Deleted || m.Journey.Steps.Total != 0 {
		t.Errorf("the journey of a missing pod is %v", m.Journey)
	}
}

func TestSnapshot_ChangedNodes(t *testing.T) {
	e, _ := busyCluster(t)
	c := collect.New(collect.Options{})
	query := collect.Query{Open: views.SnapshotPane, Rows: 40}
	apply := func(event world.Event) {
		if err := e.Apply(world.Input{At: e.Now().Add(time.Second), Event: event}); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(pod string) *views.Snapshot {
		apply(world.Changed{Op: world.Added, Object: mk.Pod(pod).Namespace("shop").CPU("100m").Obj()})
		for more := true; more; {
			_, more = e.Step()
		}
		return c.Model(e, query).Snapshot
	}
	for _, n := range decide("first").List.Rows {
		if n.Flags&views.Changed != 0 {
			t.Errorf("%s is marked as changed in the first model", n.Name)
		}
	}
	apply(world.Changed{Op: world.Added, Object: mk.Node("fresh").CPU("1").Memory("1Gi").Pods("10").Zone("zone-d").Obj()})
	s := decide("second")
	changed := map[string]bool{}
	for _, n := range s.List.Rows {
		changed[n.Name] = n.Flags&views.Changed != 0
	}
	if !changed["fresh"] || changed["worker-04"] {
		t.Errorf("the new and an unchanged node are marked as changed: %v and %v, want true and false", changed["fresh"], changed["worker-04"])
	}
	if len(s.Heat) != 4 || s.Heat[3].Name != "zone-d" {
		t.Errorf("the new node's zone is missing in %v", s.Heat)
	}
}

func TestModel_HostileSourceName(t *testing.T) {
	e, _ := busyCluster(t)
	c := collect.New(collect.Options{Source: "\x1b]0;owned\x07"})
	if got := c.Model(e, collect.Query{}).Header.Source; strings.ContainsRune(got, '\x1b') {
		t.Errorf("the source is %q", got)
	}
}

func TestModel_HeaderNamesTheOlderRequeueRule(t *testing.T) {
	for rule, want := range map[queue.RequeueRule]string{queue.QueueingHints: "", queue.MoveRequestCycle: "moveRequestCycle"} {
		e, err := engine.New(engine.Options{RequeueRule: rule})
		if err != nil {
			t.Fatal(err)
		}
		if got := collect.New(collect.Options{}).Model(e, collect.Query{}).Header.RequeueRule; got != want {
			t.Errorf("under %s the header names %q, want %q", rule, got, want)
		}
	}
}

func BenchmarkOverview(b *testing.B) {
	e, ch := busyCluster(b)
	c := collect.New(collect.Options{History: ch})
	b.ReportAllocs()
	for b.Loop() {
		c.Model(e, collect.Query{Open: views.Overview, Columns: 120})
	}
}
