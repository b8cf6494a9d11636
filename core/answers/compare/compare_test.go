package compare_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func seconds(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

func arrival(at int, pod *v1.Pod) world.Input {
	return world.Input{At: seconds(at), Event: world.Changed{Op: world.Added, Object: pod}}
}

func deletion(at int, pod *v1.Pod) world.Input {
	return world.Input{At: seconds(at), Event: world.Changed{Op: world.Deleted, Object: pod}}
}

func nodes(cpu string, names ...string) world.Input {
	list := world.Listed{Kind: world.Node}
	for _, name := range names {
		list.Objects = append(list.Objects, mk.Node(name).CPU(cpu).Memory("64Gi").Obj())
	}
	return world.Input{At: start, Event: list}
}

func pod(name, cpu string) *v1.Pod { return mk.Pod(name).CPU(cpu).Memory("1Gi").Obj() }

func traceOf(t testing.TB, inputs ...world.Input) []byte {
	t.Helper()
	return written(t, &trace.ImportedTrace{Start: start, Inputs: inputs})
}

func compared(t testing.TB, file []byte, o compare.Options, all ...compare.Configuration) *compare.Comparison {
	t.Helper()
	c, err := compare.Traces(bytes.NewReader(file), all, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func plain(name string) compare.Configuration {
	return compare.Configuration{Name: name, Config: config.Default(config.DefaultFeatures())}
}

func TestTraces_PackingKeepsRoomForLargePods(t *testing.T) {
	inputs := []world.Input{nodes("4", "a", "b", "c", "d")}
	for i := range 4 {
		inputs = append(inputs, arrival(i, pod(fmt.Sprint("small-", i), "1")))
	}
	for i := range 3 {
		inputs = append(inputs, arrival(10+i, pod(fmt.Sprint("large-", i), "4")))
	}
	inputs = append(inputs, world.Input{At: seconds(100), Event: world.Listed{Kind: world.Service}})
	c := compared(t, traceOf(t, inputs...), compare.Options{}, strategy(t, "LeastAllocated"), strategy(t, "MostAllocated"))
	least, most := c.Results[0], c.Results[1]
	if least.NeverPlaced != 3 || most.NeverPlaced != 0 {
		t.Errorf("spreading leaves %d pods without a node and packing %d, want 3 and 0", least.NeverPlaced, most.NeverPlaced)
	}
	if l, m := least.Resources[0], most.Resources[0]; l.Name != v1.ResourceCPU || l.Fragmentation < 0.2 || m.Fragmentation > 0.1 {
		t.Errorf("fragmentation of %s is %.3f when spreading and %.3f when packing", l.Name, l.Fragmentation, m.Fragmentation)
	}
	if most.OtherNode != 3 {
		t.Errorf("%d pods went elsewhere, want 3: all small ones but the first", most.OtherNode)
	}
}

func TestTraces_PendingTimeIsFromArrivalToFirstPlacement(t *testing.T) {
	first, second, third := pod("first", "4"), pod("second", "4"), pod("third", "4")
	c := compared(t, traceOf(t, nodes("4", "a"), arrival(0, first), arrival(10, second), arrival(20, third), deletion(100, first), deletion(160, second)),
		compare.Options{}, plain("only"))
	r := c.Results[0]
	want := compare.Pending{Pods: 3, Mean: 230 * time.Second / 3, P50: 90 * time.Second, P90: 140 * time.Second, P99: 140 * time.Second, Max: 140 * time.Second}
	if diff := cmp.Diff(want, r.Pending); diff != "" {
		t.Errorf("pending times (-want +got):\n%s", diff)
	}
	if c.Pods != 3 || c.Nodes != 1 || r.NeverPlaced != 0 || r.Placements != 3 {
		t.Errorf("%d pods, %d nodes, %+v", c.Pods, c.Nodes, r)
	}
}

func TestTraces_CountsPodsDeletedWhilePending(t *testing.T) {
	first, second := pod("first", "4"), pod("second", "4")
	c := compared(t, traceOf(t, nodes("4", "a"), arrival(0, first), arrival(1, second), deletion(50, second), deletion(60, first)), compare.Options{}, plain("only"))
	if r := c.Results[0]; r.NeverPlaced != 1 || r.Pending.Pods != 1 {
		t.Errorf("%d were never placed and %d were, want one each", r.NeverPlaced, r.Pending.Pods)
	}
}

func TestTraces_MeasuresFragmentation(t *testing.T) {
	// Half the pods request 3 cpu, half 1; at the end a and b have 2 cpu free each, which only the small pods can use.
	// Memory is useless to a pod without enough cpu.
	inputs := []world.Input{
		nodes("5", "a", "b"),
		arrival(0, pod("l1", "3")), arrival(0, pod("l2", "3")),
		arrival(1, mk.Pod("s1").CPU("1").Memory("1Gi").NodeSelector("no", "where").Obj()), arrival(1, mk.Pod("s2").CPU("1").Memory("1Gi").NodeSelector("no", "where").Obj()),
		{At: seconds(2), Event: world.Listed{Kind: world.Service}},
	}
	c := compared(t, traceOf(t, inputs...), compare.Options{Samples: 1}, plain("only"))
	for _, r := range c.Results[0].Resources {
		if math.Abs(r.Fragmentation-0.5) > 1e-9 {
			t.Errorf("half the typical pods find no room, so half of the free %s is fragmented, not %.3f", r.Name, r.Fragmentation)
		}
	}
	if cpu := c.Results[0].Resources[0]; cpu.Name != v1.ResourceCPU || cpu.Mean != 0.6 {
		t.Errorf("the first resource is %s with %.2f in use, want cpu with 0.60", cpu.Name, cpu.Mean)
	}
	if len(c.Typical) != 2 || c.Typical[0].Share != 0.5 {
		t.Errorf("typical are %+v", c.Typical)
	}
}

func TestTraces_FillSkipsDeletions(t *testing.T) {
	first, second := pod("first", "4"), pod("second", "4")
	file := traceOf(t, nodes("4", "a"), arrival(0, first), deletion(1, first), arrival(2, second), deletion(3, second))
	if r := compared(t, file, compare.Options{}, plain("only")).Results[0]; r.NeverPlaced != 0 {
		t.Errorf("%d pods find no node, though each comes after the other has left", r.NeverPlaced)
	}
	if r := compared(t, file, compare.Options{Fill: true, Samples: 2}, plain("only")).Results[0]; r.NeverPlaced != 1 || r.Resources[0].Peak != 1 {
		t.Errorf("filling up, %d find no node and the peak of cpu is %.2f", r.NeverPlaced, r.Resources[0].Peak)
	}
}

func TestTraces_UsesFirstProfileForUnknownOnes(t *testing.T) {
	other, err := config.Load([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: mine}]
`), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	c := compared(t, traceOf(t, nodes("4", "a"), arrival(0, pod("first", "1"))), compare.Options{}, plain("theirs"), compare.Configuration{Name: "mine", Config: other})
	for _, r := range c.Results {
		if r.Pending.Pods != 1 {
			t.Errorf("%s places %d pods, want 1", r.Name, r.Pending.Pods)
		}
	}
}

func TestTraces_RecreatesOwnedVictims(t *testing.T) {
	owned := mk.Pod("owned").CPU("4").Owner("apps/v1", "ReplicaSet", "web").Obj()
	yes := true
	owned.OwnerReferences[0].Controller = &yes
	vip := mk.Pod("vip").CPU("4").Priority(100).Obj()
	file := traceOf(t, nodes("4", "a"), arrival(0, owned), arrival(10, vip), deletion(50, vip), deletion(100, owned))
	r := compared(t, file, compare.Options{}, plain("only")).Results[0]
	if r.Preemptions != 1 || r.Victims != 1 || r.Placements != 3 || r.NeverPlaced != 0 {
		t.Errorf("got %+v, want one preemption, one victim, and it placed twice", r)
	}
	if r.PendingSeries[len(r.PendingSeries)-1] != 0 {
		t.Errorf("%d pods wait at the end", r.PendingSeries[len(r.PendingSeries)-1])
	}
}

// recorded returns the trace of a scheduler in a busy small cluster.
func recorded(t testing.TB, seed uint64) []byte {
	t.Helper()
	c := memory.New(memory.Options{Start: start, Seed: seed, Latency: memory.TypicalLatency()})
	for i := range 4 {
		if _, err := c.Create(mk.Node(fmt.Sprint("node-", i)).CPU("4").Memory("16Gi").Obj()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		p := pod(fmt.Sprint("pod-", i), fmt.Sprint(1+(i+int(seed))%3))
		at := time.Duration(i) * time.Second
		c.After(at, func(c *memory.Cluster) { _, _ = c.Create(p) })
		c.After(at+20*time.Second, func(c *memory.Cluster) {
			_ = c.Delete(world.Pod, p.Namespace, p.Name, metav1.DeleteOptions{})
		})
	}
	o := engine.Options{Start: start, Seed: seed}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	rec, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(2*time.Minute), drive.NewScheduler(e, rec))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestTraces_IgnoresRecordedOutcomes(t *testing.T) {
	c := compared(t, recorded(t, 1), compare.Options{}, strategy(t, "LeastAllocated"), strategy(t, "MostAllocated"), strategy(t, "LeastAllocated"))
	if c.Pods != 40 {
		t.Errorf("%d pods came, want 40", c.Pods)
	}
	for _, r := range c.Results {
		if r.Pending.Pods+r.NeverPlaced != 40 {
			t.Errorf("%s: %d placed and %d never, of 40", r.Name, r.Pending.Pods, r.NeverPlaced)
		}
	}
	if c.Results[1].OtherNode == 0 || c.Results[2].OtherNode != 0 {
		t.Errorf("%d go elsewhere under another configuration and %d under the same", c.Results[1].OtherNode, c.Results[2].OtherNode)
	}
	if diff := cmp.Diff(c.Results[0], c.Results[2]); diff != "" {
		t.Errorf("the same configuration gives two results:\n%s", diff)
	}
}

func TestTraces_NumbersStayWithinBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := []world.Input{nodes("4", "a", "b", "c")}
		n := rapid.IntRange(0, 25).Draw(rt, "pods")
		at := 0
		for i := range n {
			at += rapid.IntRange(0, 30).Draw(rt, "wait")
			p := pod(fmt.Sprint("p", i), fmt.Sprint(rapid.IntRange(0, 5).Draw(rt, "cpu")))
			inputs = append(inputs, arrival(at, p))
			if rapid.Bool().Draw(rt, "leaves") {
				at += rapid.IntRange(0, 5).Draw(rt, "stay")
				inputs = append(inputs, deletion(at, p))
			}
		}
		o := compare.Options{Samples: rapid.IntRange(1, 9).Draw(rt, "samples"), Fill: rapid.Bool().Draw(rt, "fill")}
		file := traceOf(t, inputs...)
		c := compared(t, file, o, plain("one"), strategy(t, "MostAllocated"))
		for _, r := range c.Results {
			if r.Pending.Pods+r.NeverPlaced != n || c.Pods != n {
				rt.Errorf("%d placed, %d never, %d in all, want %d", r.Pending.Pods, r.NeverPlaced, c.Pods, n)
			}
			for _, share := range append([]float64{r.Fragmentation, r.Spread, r.Deviation}, r.FragmentationSeries...) {
				if share < 0 || share > 1 || math.IsNaN(share) {
					rt.Errorf("a share is %v", share)
				}
			}
			for _, waiting := range r.PendingSeries {
				if waiting < 0 || waiting > n {
					rt.Errorf("%d of %d pods wait", waiting, n)
				}
			}
			if p := r.Pending; p.P50 > p.P90 || p.P90 > p.P99 || p.P99 > p.Max || p.Mean > p.Max {
				rt.Errorf("quantiles are out of order: %+v", p)
			}
			if len(r.PendingSeries) != o.Samples {
				rt.Errorf("%d samples, want %d", len(r.PendingSeries), o.Samples)
			}
		}
		if diff := cmp.Diff(c, compared(t, file, o, plain("one"), strategy(t, "MostAllocated"))); diff != "" {
			rt.Errorf("the same comparison twice differs:\n%s", diff)
		}
	})
}

func TestTraces_StopsAtDamage(t *testing.T) {
	file := recorded(t, 2)
	c := compared(t, file[:len(file)-40], compare.Options{}, plain("only"))
	if c.Damage == nil {
		t.Error("nothing is said of the damage")
	}
}

func TestTraces_NeedsAConfiguration(t *testing.T) {
	_, err := compare.Traces(strings.NewReader("x"), nil, compare.Options{})
	if err == nil || !strings.Contains(err.Error(), "none is given") {
		t.Errorf("got %v", err)
	}
	if _, err := compare.Traces(strings.NewReader("no trace"), []compare.Configuration{plain("a")}, compare.Options{}); err == nil {
		t.Error("what is no trace is compared")
	}
}
