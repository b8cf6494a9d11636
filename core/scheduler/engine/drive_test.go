package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/drive"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// controllerEffects is the first number of other controllers' effects.
const controllerEffects world.EffectID = 1 << 40

// newEvictionCluster is three nodes and four replicas of a web server, of which one node is lost.
func newEvictionCluster(latency memory.Latency, faults memory.Faults) *memory.Cluster {
	c := memory.New(memory.Options{
		Start: start, Seed: 1, Latency: latency, Faults: faults,
		NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: start, Immediate: true}),
	})
	for i := range 3 {
		must(c.Create(mk.Node(fmt.Sprintf("n%d", i+1)).CPU("2").Memory("4Gi").Obj()))
	}
	replicas, labels := int32(4), map[string]string{"app": "web"}
	must(c.Create(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: mk.Pod("").CPU("500m").Obj().Spec},
		},
	}))
	c.At(start.Add(10*time.Second), func(c *memory.Cluster) {
		if err := c.LoseNode("n1"); err != nil {
			panic(err)
		}
	})
	return c
}

// podsByNode lists the number of pods of every node, and how many of them are terminating.
func podsByNode(c *memory.Cluster) string {
	count := map[string][2]int{}
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		n := count[pod.Spec.NodeName]
		n[0]++
		if pod.DeletionTimestamp != nil {
			n[1]++
		}
		count[pod.Spec.NodeName] = n
	}
	var words []string
	for node, n := range count {
		words = append(words, fmt.Sprintf("%s: %d (%d terminating)", node, n[0], n[1]))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func TestTaintEviction_LostNodePodsRescheduled(t *testing.T) {
	c, e, b := newEvictionCluster(memory.Latency{}, memory.Faults{}), newEngine(t, 1), evict.NewRecord()
	taints := taint.New(taint.Options{Act: true, FirstEffect: controllerEffects, Record: b})
	for _, row := range []struct {
		at    time.Duration
		where string
		open  string
	}{
		// The replicas are spread, 2 on one node; the kubelet stops reporting at 10 s, and the node is unreachable 50 s later.
		{59 * time.Second, "n1: 1 (0 terminating), n2: 2 (0 terminating), n3: 1 (0 terminating)", ""},
		{60 * time.Second, "n1: 1 (0 terminating), n2: 2 (0 terminating), n3: 1 (0 terminating)", "counting down until 360s"},
		{359 * time.Second, "n1: 1 (0 terminating), n2: 2 (0 terminating), n3: 1 (0 terminating)", "counting down until 360s"},
		// Every pod tolerates an unreachable node for 300 s. Its pods cannot be stopped, but are replaced.
		{360 * time.Second, "n1: 1 (1 terminating), n2: 2 (0 terminating), n3: 2 (0 terminating)", "terminating until 390s"},
		{900 * time.Second, "n1: 1 (1 terminating), n2: 2 (0 terminating), n3: 2 (0 terminating)", "terminating until 390s"},
	} {
		drive.Run(c, start.Add(row.at), drive.NewScheduler(e), taints)
		var open []string
		for _, d := range b.Open() {
			open = append(open, fmt.Sprintf("%s until %vs", d.Phase, d.Deadline.Sub(start).Seconds()))
		}
		if diff := cmp.Diff(row.where, podsByNode(c)); diff != "" {
			t.Errorf("after %v, the pods (-want +got):\n%s", row.at, diff)
		}
		if diff := cmp.Diff(row.open, strings.Join(open, ", ")); diff != "" {
			t.Errorf("after %v, the record (-want +got):\n%s", row.at, diff)
		}
	}
}

func TestTaintEviction_PredictionMatchesAction(t *testing.T) {
	c, e := newEvictionCluster(memory.Latency{}, memory.Faults{}), newEngine(t, 1)
	predicted, done := evict.NewRecord(), evict.NewRecord()
	drive.Run(c, start.Add(900*time.Second), drive.NewScheduler(e), taint.New(taint.Options{Record: predicted}), taint.New(taint.Options{Act: true, FirstEffect: controllerEffects, Record: done}))
	differ := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Predicted" || p.Last().String() == ".Prediction"
	}, cmp.Ignore())
	if diff := cmp.Diff(done.Open(), predicted.Open(), differ); diff != "" || len(done.Open()) != 1 {
		t.Errorf("%d evictions, and they differ (-done +predicted):\n%s", len(done.Open()), diff)
	}
}

func TestTaintEviction_SurvivesFaults(t *testing.T) {
	c, e := newEvictionCluster(memory.TypicalLatency(), allFaults()), newEngine(t, 1)
	taints := taint.New(taint.Options{Act: true, FirstEffect: controllerEffects})
	drive.Run(c, start.Add(900*time.Second), drive.NewScheduler(e), taints)
	running := 0
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" {
			continue
		}
		if running++; pod.Spec.NodeName == "n1" {
			t.Errorf("%s is on the lost node and not terminating", pod.Name)
		}
	}
	if taints.Counters().Evicted == 0 {
		t.Error("no pod was evicted")
	}
	if running != 4 {
		t.Errorf("%d replicas are on nodes, want 4: %s", running, podsByNode(c))
	}
}

// When a rack fails, its nodes become unreachable together, and are tainted one every ten seconds.
func TestTaintEviction_LostRackIsRateLimited(t *testing.T) {
	c := memory.New(memory.Options{
		Start: start, Seed: 1, NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: start}),
	})
	for i := range 9 {
		name := fmt.Sprintf("n%d", i+1)
		must(c.Create(mk.Node(name).CPU("4").Zone("z").Obj()))
		if i < 4 {
			must(c.Create(mk.Pod("on-" + name).UID("").Node(name).Obj()))
			c.At(start.Add(7*time.Second), func(c *memory.Cluster) {
				if err := c.LoseNode(name); err != nil {
					panic(err)
				}
			})
		}
	}
	b := evict.NewRecord()
	drive.Run(c, start.Add(200*time.Second), drive.NewScheduler(newEngine(t, 1)), taint.New(taint.Options{Act: true, FirstEffect: controllerEffects, Record: b}))
	var got []string
	for _, d := range b.Open() {
		got = append(got, fmt.Sprintf("%s at %vs", d.Pod.Name, d.Deadline.Sub(start).Seconds()))
	}
	// Silent since 7 s, unreachable at 60 s; the pods tolerate that for 300 s.
	want := []string{"on-n1 at 365s", "on-n2 at 375s", "on-n3 at 385s", "on-n4 at 395s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("evictions (-want +got):\n%s", diff)
	}
	fork := c.Fork()
	for _, cluster := range []*memory.Cluster{c, fork} {
		if err := cluster.RecoverNode("n2"); err != nil {
			t.Fatal(err)
		}
		cluster.Advance(10 * time.Second)
		if taints := evict.NoExecute(cluster.Node("n2").Spec.Taints); len(taints) > 0 {
			t.Errorf("a recovered node is tainted: %v", taints)
		}
	}
}
