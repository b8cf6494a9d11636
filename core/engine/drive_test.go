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

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/taint"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// beyond is where the numbers of other controllers' effects begin.
const beyond world.EffectID = 1 << 40

// town is three nodes and four replicas of a web server, of which one node is about to be cut off.
func town(latency memory.Latency, faults memory.Faults) *memory.Cluster {
	c := memory.New(memory.Options{Start: start, Seed: 1, Latency: latency, Faults: faults})
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

// whereabouts says for every node how many pods it has, and how many of them are being deleted.
func whereabouts(c *memory.Cluster) string {
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
		words = append(words, fmt.Sprintf("%s: %d (%d leaving)", node, n[0], n[1]))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func TestPodsOfALostNodeAreEvictedAndScheduledElsewhere(t *testing.T) {
	c, e, b := town(memory.Latency{}, memory.Faults{}), newEngine(t, 1), evict.NewBoard()
	taints := taint.New(taint.Options{Act: true, First: beyond, Board: b})
	for _, row := range []struct {
		at    time.Duration
		where string
		open  string
	}{
		// The replicas are spread, 2 on one node; the kubelet falls silent at 10 s, and is given up 50 s later.
		{59 * time.Second, "n1: 1 (0 leaving), n2: 2 (0 leaving), n3: 1 (0 leaving)", ""},
		{60 * time.Second, "n1: 1 (0 leaving), n2: 2 (0 leaving), n3: 1 (0 leaving)", "counting until 360s"},
		{359 * time.Second, "n1: 1 (0 leaving), n2: 2 (0 leaving), n3: 1 (0 leaving)", "counting until 360s"},
		// Every pod tolerates an unreachable node for 300 s. What was on it cannot be stopped, but is replaced.
		{360 * time.Second, "n1: 1 (1 leaving), n2: 2 (0 leaving), n3: 2 (0 leaving)", "leaving until 390s"},
		{900 * time.Second, "n1: 1 (1 leaving), n2: 2 (0 leaving), n3: 2 (0 leaving)", "leaving until 390s"},
	} {
		engine.Drive(e, c, start.Add(row.at), nil, taints)
		var open []string
		for _, d := range b.Open() {
			open = append(open, fmt.Sprintf("%s until %vs", d.Phase, d.Deadline.Sub(start).Seconds()))
		}
		if diff := cmp.Diff(row.where, whereabouts(c)); diff != "" {
			t.Errorf("after %v, the pods (-want +got):\n%s", row.at, diff)
		}
		if diff := cmp.Diff(row.open, strings.Join(open, ", ")); diff != "" {
			t.Errorf("after %v, the board (-want +got):\n%s", row.at, diff)
		}
	}
}

func TestOneThatPredictsForetellsWhatAnotherDoes(t *testing.T) {
	c, e := town(memory.Latency{}, memory.Faults{}), newEngine(t, 1)
	foretold, done := evict.NewBoard(), evict.NewBoard()
	engine.Drive(e, c, start.Add(900*time.Second), nil,
		taint.New(taint.Options{Board: foretold}), taint.New(taint.Options{Act: true, First: beyond, Board: done}))
	differ := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Predicted" || p.Last().String() == ".Foretold"
	}, cmp.Ignore())
	if diff := cmp.Diff(done.Open(), foretold.Open(), differ); diff != "" || len(done.Open()) != 1 {
		t.Errorf("%d departures, and they differ (-done +foretold):\n%s", len(done.Open()), diff)
	}
}

func TestEvictionGetsThroughABadDay(t *testing.T) {
	c, e := town(memory.TypicalLatency(), everyFault()), newEngine(t, 1)
	taints := taint.New(taint.Options{Act: true, First: beyond})
	engine.Drive(e, c, start.Add(900*time.Second), nil, taints)
	staying := 0
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" {
			continue
		}
		if staying++; pod.Spec.NodeName == "n1" {
			t.Errorf("%s is still on the lost node, and nobody has asked it to leave", pod.Name)
		}
	}
	if taints.Tally().Evicted == 0 {
		t.Error("nothing was evicted")
	}
	if staying != 4 {
		t.Errorf("%d replicas are on nodes, want 4: %s", staying, whereabouts(c))
	}
}

// paced has a cluster's NoExecute taints set as slowly as kube-controller-manager sets them.
type paced struct{ machine *lifecycle.Machine }

func (p paced) Tell(now time.Time, op world.Op, node *v1.Node) {
	p.machine.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: node}})
}

func (p paced) NextWake() (time.Time, bool) { return p.machine.NextWake() }
func (p paced) Fork() memory.Pacer          { return paced{p.machine.Fork(evict.NewBoard())} }

func (p paced) Due(now time.Time) (due []memory.Retaint) {
	p.machine.Apply(world.Input{At: now, Event: world.Passed{}})
	for _, c := range p.machine.Changes() {
		change := memory.Retaint{Node: c.Node, Add: evict.NoExecute(c.Add), Remove: evict.NoExecute(c.Remove)}
		if len(change.Add)+len(change.Remove) > 0 {
			due = append(due, change)
		}
	}
	return due
}

// When a rack fails, its nodes are given up together, and tainted one every ten seconds.
func TestALostRackIsEvictedNodeByNode(t *testing.T) {
	c := memory.New(memory.Options{
		Start: start, Seed: 1, Pace: paced{lifecycle.New(lifecycle.Options{Start: start})},
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
	b := evict.NewBoard()
	engine.Drive(newEngine(t, 1), c, start.Add(200*time.Second), nil, taint.New(taint.Options{Act: true, First: beyond, Board: b}))
	var got []string
	for _, d := range b.Open() {
		got = append(got, fmt.Sprintf("%s at %vs", d.Pod.Name, d.Deadline.Sub(start).Seconds()))
	}
	// Silent since 7 s, given up at 60 s, which the next look notices; the pods tolerate that for 300 s.
	want := []string{"on-n1 at 365s", "on-n2 at 375s", "on-n3 at 385s", "on-n4 at 395s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who leaves when (-want +got):\n%s", diff)
	}
	fork := c.Fork()
	for _, cluster := range []*memory.Cluster{c, fork} {
		if err := cluster.RecoverNode("n2"); err != nil {
			t.Fatal(err)
		}
		cluster.Advance(10 * time.Second)
		if taints := evict.NoExecute(cluster.Node("n2").Spec.Taints); len(taints) > 0 {
			t.Errorf("a node that is back is still tainted: %v", taints)
		}
	}
}
