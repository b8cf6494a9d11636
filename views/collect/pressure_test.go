package collect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
	"orrery/views"
	"orrery/views/collect"
)

// pressedNode is a node with pods and their usage by its kubelet, which has none of the pod unseen.
func pressedNode(t *testing.T) (*engine.Engine, *usage.Reading) {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	node := mk.Node("n1").CPU("8").Memory("8Gi").Pods("110").Obj()
	node.Status.Conditions = append(node.Status.Conditions, v1.NodeCondition{
		Type: v1.NodeDiskPressure, Status: v1.ConditionTrue, LastTransitionTime: metav1.Time{Time: start},
	})
	summary := `{"node":{"nodeName":"n1","memory":{"availableBytes":1073741824,"workingSetBytes":7516192768},
		"fs":{"availableBytes":5368709120,"capacityBytes":107374182400,"usedBytes":1}},"pods":[`
	objects := []world.Object{node}
	for i, p := range []struct {
		name, asks string
		uses, disk int64
		priority   int32
	}{
		{"within", "4Gi", 2 << 30, 1 << 30, 0},
		{"beyond", "1Gi", 3 << 30, 2 << 30, 0},
		{"dear", "1Gi", 5 << 30, 3 << 30, 1000},
		{"critical", "1Gi", 6 << 30, 0, 2000001000},
		{"unseen", "1Gi", 0, 0, 0},
	} {
		objects = append(objects, mk.Pod(p.name).Namespace("shop").UID("uid-"+p.name).Memory(p.asks).Priority(p.priority).Node("n1").Label("app", p.name).Obj())
		if p.name == "unseen" {
			continue
		}
		if i > 0 {
			summary += ","
		}
		summary += fmt.Sprintf(`{"podRef":{"name":%q,"namespace":"shop","uid":%q},"memory":{"workingSetBytes":%d},"ephemeral-storage":{"usedBytes":%d},
			"containers":[{"name":"main","memory":{"workingSetBytes":%d},"rootfs":{"usedBytes":%d},"logs":{"usedBytes":0}}]}`, p.name, "uid-"+p.name, p.uses, p.disk, p.uses, p.disk)
	}
	objects = append(objects, mk.Pod("huge").CPU("900").Obj())
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for more := true; more; { // an attempt updates the snapshot
		_, more = e.Step()
	}
	s, err := usage.Summary([]byte(summary+"]}"), "n1")
	if err != nil {
		t.Fatal(err)
	}
	c := pressure.DefaultConfiguration("linux")
	c.Hard[pressure.ContainerFsAvailable] = "5%"
	return e, &usage.Reading{Node: "n1", Queried: true, At: start, Source: usage.Kubelet, Summary: s, Configuration: c, Configured: true}
}

// order lists the pods of a pressure pane with their ranks.
func order(p *views.Pressure) (list []string) {
	for _, row := range p.Pods.Rows {
		list = append(list, fmt.Sprintf("%s %s of %s (%s) %s", strings.TrimPrefix(row.Name, "shop/"), row.Usage, row.Request, row.Excess, row.ExcludedBecause))
	}
	return list
}

func pressureModel(t *testing.T, e *engine.Engine, query collect.Query) *views.Pressure {
	t.Helper()
	query.Open, query.Node = views.PressurePane, "n1"
	if query.Rows == 0 {
		query.Rows = 100
	}
	p := collect.New(collect.Options{}).Model(e, query).Pressure
	if p == nil {
		t.Fatal("the node is missing")
	}
	return p
}

func TestPressure_EvictionOrder(t *testing.T) {
	e, r := pressedNode(t)
	p := pressureModel(t, e, collect.Query{Usage: r, Sort: "memory"})
	want := []string{
		"unseen · of 1Gi (·) ", "beyond 3Gi of 1Gi (+2Gi) ", "dear 5Gi of 1Gi (+4Gi) ", "critical 6Gi of 1Gi (+5Gi) critical", "within 2Gi of 4Gi (·) ",
	}
	if diff := cmp.Diff(want, order(p)); diff != "" || p.RankedBy != "memory.available" || p.UnrankedBecause != "" {
		t.Errorf("by %s, %q (-want +got):\n%s", p.RankedBy, p.UnrankedBecause, diff)
	}
	if last := p.Pods.Rows[4]; last.Rank != 4 || last.Share != 0.5 || last.Exceeds {
		t.Errorf("the last pod is %+v: an exempt pod has no rank", last)
	}
	// The kubelet never evicts that one: 6Gi of 8Gi are 750 thousandths, and its request of 1Gi makes it 1000 - 125.
	if want := "if memory runs out first, the kernel kills shop/critical (main): oom_score 1625, adj 875"; p.KilledFirst != want {
		t.Errorf("out of memory: %q, want %q", p.KilledFirst, want)
	}
	if !slices.Equal(p.Warnings, []string{"found containerfs.available for hard eviction. ignoring"}) || p.Thresholds != "thresholds: the kubelet's own" {
		t.Errorf("thresholds %q and warnings %q", p.Thresholds, p.Warnings)
	}
}

// The disk has 5% available, the threshold is 10%.
func TestPressure_ShortResourceDecidesOrder(t *testing.T) {
	e, r := pressedNode(t)
	p := pressureModel(t, e, collect.Query{Usage: r})
	if p.RankedBy != "nodefs.available" || p.Pods.Rows[0].Name != "shop/unseen" || p.Pods.Rows[1].Name != "shop/beyond" {
		t.Errorf("by %s the order is %q", p.RankedBy, order(p))
	}
	state := map[string]string{}
	for _, s := range p.Signals {
		state[s.Name] = fmt.Sprintf("%s of %s, %s: %v %v", s.Available, s.Capacity, s.Threshold, s.Measured, s.BelowThreshold)
	}
	for name, want := range map[string]string{
		"memory.available": "1Gi of 8Gi, 100Mi: true false", "nodefs.available": "5Gi of 100Gi, 10%: true true", "imagefs.available": "· of ·, 15%: false false",
	} {
		if state[name] != want {
			t.Errorf("%s: got %q, want %q", name, state[name], want)
		}
	}
	if want := []string{"DiskPressure since " + start.Format("15:04:05")}; !slices.Equal(p.Conditions, want) {
		t.Errorf("the node reports %q, want %q", p.Conditions, want)
	}
}

func TestPressure_UnknownUsage(t *testing.T) {
	e, r := pressedNode(t)
	onlyMemory := *r
	onlyMemory.Source, onlyMemory.Summary = usage.Metrics, &pressure.Summary{Pods: []pressure.PodStats{{PodRef: r.Summary.Pods[0].PodRef, Memory: r.Summary.Pods[0].Memory}}}
	nothing := usage.Reading{
		Queried: true, Problem: "may not get nodes/proxy, and no metrics API is served", MissingRules: []actions.Rule{{Resource: "nodes/proxy", Verb: "get"}},
		Configuration: pressure.DefaultConfiguration("linux"), WhyDefaults: "may not get nodes/proxy",
	}
	for _, tt := range []struct {
		name                        string
		reading                     *usage.Reading
		sort                        string
		usage, thresholds, unranked string
	}{
		{"a recording", nil, "", "no usage data: this recording has none, as no scheduler is told what pods use", "thresholds: a kubelet's defaults", "what the pods use is not known, so this is the order by requests and priority alone"},
		{
			"nothing may be read", &nothing, "", "no usage data: may not get nodes/proxy, and no metrics API is served",
			"thresholds: the defaults, and this kubelet's may be others: may not get nodes/proxy", "what the pods use is not known, so this is the order by requests and priority alone",
		},
		{"the metrics API has memory", &onlyMemory, "memory", "usage from the metrics API", "thresholds: the kubelet's own", ""},
		{"the metrics API has no disks", &onlyMemory, "disk", "usage from the metrics API", "thresholds: the kubelet's own", "pods are in no order of eviction by nodefs.available: the metrics API does not tell that of pods"},
		{"the summary has no processes", r, "processes", "usage from the kubelet's summary", "thresholds: the kubelet's own", "pods are in no order of eviction by pid.available: the kubelet's summary does not tell that of pods"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pressureModel(t, e, collect.Query{Usage: tt.reading, Sort: tt.sort})
			got := [3]string{p.Usage, p.Thresholds, p.UnrankedBecause}
			if diff := cmp.Diff([3]string{tt.usage, tt.thresholds, tt.unranked}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(p.Pods.Rows) != 5 || p.Known != (tt.reading != nil && tt.reading.Summary != nil) {
				t.Errorf("%d pods, known %v", len(p.Pods.Rows), p.Known)
			}
			if tt.unranked != "" && (p.Pods.Rows[0].Name != "shop/beyond" || p.Pods.Rows[0].Usage != "·" || p.RankedBy != "") {
				t.Errorf("by %q: %q", p.RankedBy, order(p))
			}
		})
	}
	if p := pressureModel(t, e, collect.Query{Usage: &nothing}); !slices.Equal(p.Rules, []string{"get nodes/proxy"}) {
		t.Errorf("the rules are %q", p.Rules)
	}
}

// Who is evicted next is said in words, of the pods that can be: while something is short, and before.
func TestPressure_NextByUsage(t *testing.T) {
	for _, tt := range []struct {
		name, sort string
		change     func(e *engine.Engine, r *usage.Reading)
		want       string
	}{
		{"a pod without usage", "", nil, "next: shop/unseen: what it uses is not known, and such pods go first"},
		{"above its request", "", measureAll, "next: shop/beyond: it uses 2Gi and requests 0, and none of a lower priority than 0 exceeds its request"},
		{"by memory", "memory", measureAll, "next: shop/beyond: it uses 3Gi and requests 1Gi, and none of a lower priority than 0 exceeds its request"},
		{"nothing is short", "memory", func(e *engine.Engine, r *usage.Reading) {
			measureAll(e, r)
			*r.Summary.Node.Fs.AvailableBytes = 90 << 30
			calm(t, e)
		}, "next, should memory.available fall below its threshold: shop/beyond: it uses 3Gi and requests 1Gi, and none of a lower priority than 0 exceeds its request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, r := pressedNode(t)
			if tt.change != nil {
				tt.change(e, r)
			}
			if p := pressureModel(t, e, collect.Query{Usage: r, Sort: tt.sort}); p.Next != tt.want {
				t.Errorf("%q, want %q", p.Next, tt.want)
			}
		})
	}
}

// measureAll adds the usage of the pod that has none.
func measureAll(_ *engine.Engine, r *usage.Reading) {
	within := r.Summary.Pods[0]
	within.PodRef.Name, within.PodRef.UID = "unseen", "uid-unseen"
	within.Memory, within.EphemeralStorage, within.Containers = &pressure.MemoryStats{WorkingSetBytes: new(uint64)}, &pressure.FsStats{UsedBytes: new(uint64)}, nil
	r.Summary.Pods = append(r.Summary.Pods, within)
}

// calm ends the pressure that the node reports.
func calm(t *testing.T, e *engine.Engine) {
	t.Helper()
	node := e.Store().Node("n1").DeepCopy()
	node.Status.Conditions = nil
	if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Modified, Object: node}}); err != nil {
		t.Fatal(err)
	}
}

func TestPressure_FilterKeepsRanks(t *testing.T) {
	e, r := pressedNode(t)
	c := collect.New(collect.Options{})
	m := c.Model(e, collect.Query{Open: views.PressurePane, Node: "n1", Usage: r, Sort: "memory", Rows: 10, Filter: mustFilter(t, "within")})
	if rows := m.Pressure.Pods.Rows; len(rows) != 1 || rows[0].Rank != 4 || *m.Filtered != (views.Filtered{Matches: 1, Of: 5}) {
		t.Errorf("%+v of %+v", rows, m.Filtered)
	}
	if m := c.Model(e, collect.Query{Open: views.PressurePane, Node: "elsewhere"}); m.Pressure != nil {
		t.Error("a missing node has a pressure model")
	}
}

// A container that the kernel killed is in the pane of evictions, with the reason, and its pod stays.
func TestEvictions_OutOfMemory(t *testing.T) {
	ch := collect.NewHistory(collect.HistoryOptions{})
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(op world.Op, o world.Object) {
		in := world.Input{At: start.Add(time.Second), Event: world.Changed{Op: op, Object: o}}
		ch.Applied(in, e.Apply(in))
	}
	apply(world.Added, mk.Node("n1").Obj())
	apply(world.Added, mk.Pod("leak").UID("uid-leak").Node("n1").Obj())
	killed := mk.Pod("leak").UID("uid-leak").Node("n1").Obj()
	killed.ResourceVersion = "2"
	killed.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", RestartCount: 1, LastTerminationState: v1.ContainerState{
		Terminated: &v1.ContainerStateTerminated{Reason: "OOMKilled", FinishedAt: metav1.Time{Time: start}},
	}}}
	apply(world.Modified, trim.Object(killed))
	v := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.EvictionsPane, Rows: 10}).Evictions
	if v.Counts[views.StateKilled] != 1 || len(v.List.Rows) != 1 {
		t.Fatalf("the evictions are %+v", v)
	}
	row := v.List.Rows[0]
	if row.State() != views.StateKilled || row.Cause != "out of memory" || row.Initiator != "OOM killer on n1" || !row.Ended.Equal(start) ||
		row.Reason != "container main was killed before its node reported MemoryPressure: faster than an eviction" {
		t.Errorf("the row is %+v", row)
	}
}

func TestEvictions_PredictionOutcomes(t *testing.T) {
	ch := collect.NewHistory(collect.HistoryOptions{})
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(after time.Duration, version string, op world.Op, o world.Object) {
		o.SetResourceVersion(version)
		in := world.Input{At: start.Add(after), Event: world.Changed{Op: op, Object: o}}
		ch.Applied(in, e.Apply(in))
	}
	blocked := mk.Pod("stays").UID("uid-stays").Node("n1").Obj()
	apply(0, "1", world.Added, blocked)
	apply(0, "2", world.Added, mk.Node("n1").Taint("repair", "", v1.TaintEffectNoExecute).Obj())
	apply(44*time.Second, "3", world.Added, mk.Node("n2").Obj())
	ch.Refused(e.Now(), world.PodRefOf(blocked), "the budget")
	c := collect.New(collect.Options{History: ch})
	v := c.Model(e, collect.Query{Open: views.EvictionsPane, Rows: 10}).Evictions
	if v.Counts[views.StateOverdue] != 1 || len(v.List.Rows) != 2 {
		t.Fatalf("the evictions are %+v", v)
	}
	if d := v.List.Rows[0]; !d.Overdue || d.ShortOutcome != "overdue 44s" || !strings.HasSuffix(d.Outcome, "overdue by 44s: is taint eviction running?") {
		t.Errorf("the first eviction is %+v", d)
	}
	apply(45*time.Second, "4", world.Modified, mk.Node("n1").Obj())
	v = c.Model(e, collect.Query{Open: views.EvictionsPane, Rows: 10}).Evictions
	want := []views.NamedCount{{Name: "on time"}, {Name: "late"}, {Name: "missed", Count: 1, Bad: true}}
	if diff := cmp.Diff(want, v.Outcomes); diff != "" || v.Counts[views.StateOverdue] != 0 || !v.List.Rows[0].Mispredicted {
		t.Errorf("%+v (-want +got):\n%s", v.List.Rows[0], diff)
	}
}

// TestPressure_ThresholdsFollowTheLayout: as in the kubelet, the filesystem of the containers has the thresholds of the one that it
// lies on, whatever is configured for it. Shows NPE-28.
func TestPressure_ThresholdsFollowTheLayout(t *testing.T) {
	e, r := pressedNode(t) // with a threshold of its own for that filesystem
	fs := func(available, capacity uint64) *pressure.FsStats {
		return &pressure.FsStats{AvailableBytes: &available, CapacityBytes: &capacity}
	}
	node, images := fs(50<<30, 100<<30), fs(20<<30, 200<<30)
	for _, tt := range []struct {
		layout  pressure.Layout
		runtime *pressure.RuntimeStats
		want    string
	}{
		{pressure.OneFs, nil, "10%"},
		{pressure.ImageFs, &pressure.RuntimeStats{ImageFs: images, ContainerFs: images}, "15% 20Gi"},
		{pressure.SplitImageFs, &pressure.RuntimeStats{ImageFs: images, ContainerFs: node}, "10% 50Gi"},
	} {
		r.Summary.Node.Fs, r.Summary.Node.Runtime = node, tt.runtime
		if got := pressure.LayoutOf(r.Summary); got != tt.layout {
			t.Fatalf("the layout is %v, want %v", got, tt.layout)
		}
		var got []string
		for _, s := range pressureModel(t, e, collect.Query{Usage: r}).Signals {
			if s.Name == string(pressure.ContainerFsAvailable) {
				got = append(got, strings.TrimSuffix(s.Threshold+" "+s.Available, " ·"))
			}
		}
		if !slices.Equal(got, []string{tt.want}) {
			t.Errorf("on %v the containers' filesystem has %q, want %q", tt.layout, got, tt.want)
		}
	}
}
