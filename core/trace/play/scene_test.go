package play_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const sceneLength = 180 * time.Second

// simulatedCluster is a small cluster with scheduled changes: pods are created, changed and deleted, nodes join, are
// cordoned and removed. Every third one has faults.
func simulatedCluster(seed uint64, pods int) *memory.Cluster {
	draw := rand.New(rand.NewPCG(seed, 0x7ace))
	o := memory.Options{Start: start, Seed: seed, Latency: memory.TypicalLatency()}
	if seed%3 == 0 {
		o.Faults = memory.Faults{
			Watch: map[world.Kind]memory.WatchFaults{"": {Break: 0.01, RelistAfter: memory.Delay{Base: time.Second}, Duplicate: 0.05}},
			Calls: map[memory.Call]memory.CallFaults{memory.CallBind: {Refuse: 0.05, LoseReply: 0.05}},
		}
	}
	c := memory.New(o)
	must(c.Create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 100}))
	for i := range 3 + draw.IntN(4) {
		must(c.Create(node(draw, i)))
	}
	for i := range pods {
		pod := pod(draw, i)
		at := start.Add(time.Duration(draw.Int64N(int64(sceneLength))))
		c.At(at, func(c *memory.Cluster) { must(c.Create(pod)) })
		if draw.IntN(2) == 0 {
			at = at.Add(time.Duration(draw.Int64N(int64(time.Minute))))
			c.At(at, func(c *memory.Cluster) { _ = c.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{}) })
		}
	}
	for i := range 6 {
		at := start.Add(time.Duration(draw.Int64N(int64(sceneLength))))
		changeNode(draw, c, at, i)
	}
	return c
}

func must(_ world.Object, err error) {
	if err != nil {
		panic(err)
	}
}

func node(draw *rand.Rand, i int) *v1.Node {
	return mk.Node(fmt.Sprintf("node-%d", i)).CPU([]string{"1", "2", "4"}[draw.IntN(3)]).Memory("4Gi").Pods("20").
		Zone(fmt.Sprintf("zone-%d", draw.IntN(3))).Label("disk", []string{"ssd", "hdd"}[draw.IntN(2)]).Obj()
}

func pod(draw *rand.Rand, i int) *v1.Pod {
	b := mk.Pod(fmt.Sprintf("pod-%03d", i)).UID("").CPU([]string{"0", "100m", "500m", "1", "3"}[draw.IntN(5)]).Memory("64Mi").
		Label("app", []string{"web", "db"}[draw.IntN(2)])
	switch draw.IntN(6) {
	case 0:
		b.NodeSelector("disk", "ssd")
	case 1:
		b.Obj().Spec.PriorityClassName = "high"
	case 2:
		b.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": b.Obj().Labels["app"]}},
		}}
	case 3:
		b.CPU("64") // fits nowhere
	}
	return b.Obj()
}

func changeNode(draw *rand.Rand, c *memory.Cluster, at time.Time, i int) {
	name, fresh := fmt.Sprintf("node-%d", draw.IntN(7)), node(draw, 10+i)
	what := draw.IntN(3)
	c.At(at, func(c *memory.Cluster) {
		held := c.Node(name)
		switch {
		case what == 0:
			must(c.Create(fresh))
		case held == nil:
		case what == 1:
			_ = c.Delete(world.Node, "", name, metav1.DeleteOptions{})
		default:
			held = held.DeepCopy()
			held.Spec.Unschedulable = !held.Spec.Unschedulable
			_, _ = c.Update(held)
		}
	})
}

func options(seed uint64) engine.Options {
	return engine.Options{Seed: seed, Start: start, DecisionLogSize: 256}
}

func newEngine(t testing.TB, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// recorded drives an engine through a simulated cluster and returns the recording.
func recorded(t testing.TB, seed uint64, pods int, about play.About) (*engine.Engine, []byte) {
	t.Helper()
	var file bytes.Buffer
	e := newEngine(t, options(seed))
	r, err := play.NewRecorder(&file, e, options(seed), about)
	if err != nil {
		t.Fatal(err)
	}
	drive.Run(simulatedCluster(seed, pods), start.Add(sceneLength+time.Minute), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return e, file.Bytes()
}

func replay(t testing.TB, file []byte, o play.Options) (*engine.Engine, *play.Report) {
	t.Helper()
	e, report, err := play.Replay(bytes.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	return e, report
}

func infoOf(t testing.TB, file []byte) trace.Info {
	t.Helper()
	info, err := trace.ReadInfo(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
