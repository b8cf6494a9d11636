package play_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const extenderAddress = "http://odd.example.com"

// extenderScene is a cluster of 20 nodes, of which an extender refuses the odd ones. It is slow for a while, longer than its
// timeout, and then it is gone for half a minute. Every second a pod arrives, and some are deleted while they are asked about. In the
// end pods come that preempt others.
func extenderScene(t *testing.T, seed uint64) (engine.Options, *memory.Cluster) {
	c, err := config.Load([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: "`+extenderAddress+`", filterVerb: filter, prioritizeVerb: prioritize, preemptVerb: preempt, weight: 2, nodeCacheCapable: true, httpTimeout: 3s}
`), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	well := memory.Extender{
		Refuses: func(n *v1.Node) bool { return n.Labels["odd"] == "yes" }, Reason: "the node is odd",
		Prefers: func(n *v1.Node) bool { return n.Labels["fast"] == "yes" },
		Takes:   memory.Delay{Base: 5 * time.Millisecond, Jitter: 400 * time.Millisecond},
	}
	slow, gone := well, well
	slow.Takes, gone.Down = memory.Delay{Base: 2 * time.Second, Jitter: 4 * time.Second}, true
	cluster := memory.New(memory.Options{
		Start: start, Seed: seed, Latency: memory.TypicalLatency(), Extenders: map[string]memory.Extender{extenderAddress: well},
	})
	for i := range 20 {
		node := mk.Node(fmt.Sprintf("n%02d", i)).CPU("8").Memory("16Gi")
		if i%2 == 1 {
			node.Label("odd", "yes")
		}
		if i%5 == 0 {
			node.Label("fast", "yes")
		}
		must(cluster.Create(node.Obj()))
	}
	at := func(d time.Duration, act func(c *memory.Cluster)) { cluster.At(start.Add(d), act) }
	for i := range 60 {
		name := fmt.Sprintf("pod-%02d", i)
		arrives := time.Duration(i) * time.Second
		at(arrives, func(c *memory.Cluster) { must(c.Create(mk.Pod(name).CPU("1").Obj())) })
		if i%7 == 3 {
			at(arrives+100*time.Millisecond, func(c *memory.Cluster) { _ = c.Delete(world.Pod, "default", name, metav1.DeleteOptions{}) })
		}
	}
	for i := range 5 {
		name := fmt.Sprintf("high-%d", i)
		arrives := time.Duration(60+2*i) * time.Second
		at(arrives, func(c *memory.Cluster) {
			pod := mk.Pod(name).CPU("8").Obj()
			pod.Spec.PriorityClassName = "system-cluster-critical"
			must(c.Create(pod))
		})
		if i%2 == 1 {
			at(arrives+300*time.Millisecond, func(c *memory.Cluster) { _ = c.Delete(world.Pod, "default", name, metav1.DeleteOptions{}) })
		}
	}
	at(15*time.Second, func(c *memory.Cluster) { c.SetExtender(extenderAddress, slow) })
	at(25*time.Second, func(c *memory.Cluster) { c.SetExtender(extenderAddress, gone) })
	at(55*time.Second, func(c *memory.Cluster) { c.SetExtender(extenderAddress, well) })
	return engine.Options{Config: c, Seed: seed, Start: start}, cluster
}

// recordScene plays the scene, and records it.
func recordScene(t *testing.T, seed uint64) (*engine.Engine, *memory.Cluster, []byte) {
	o, c := extenderScene(t, seed)
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	checked := drive.OnInput(func(world.Input, error) {
		if err := e.Check(); err != nil {
			t.Errorf("at %v: %v", e.Now().Sub(start), err)
		}
	})
	drive.Run(c, start.Add(10*time.Minute), drive.NewScheduler(e, r, checked))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return e, c, file.Bytes()
}

// No pod is lost or bound twice, none is on a node that the extender refuses, and a replay without the extender is the same bit
// for bit.
func TestReplay_ExtenderThatDiesAndComesBack(t *testing.T) {
	for seed := range uint64(5) {
		e, c, file := recordScene(t, seed)
		for _, object := range c.List(world.Pod) {
			pod := object.(*v1.Pod)
			if pod.Spec.NodeName == "" {
				t.Errorf("seed %d: pod %s has no node in the end", seed, pod.Name)
			} else if node, _ := c.Get(world.Node, "", pod.Spec.NodeName); node.GetLabels()["odd"] != "" {
				t.Errorf("seed %d: pod %s is on %s, which the extender refuses", seed, pod.Name, pod.Spec.NodeName)
			}
		}
		if twice := c.BoundTwice(); len(twice) > 0 {
			t.Errorf("seed %d: bound twice: %q", seed, twice)
		}
		if failed := e.Counters().Decisions[engine.Failed]; failed < 5 {
			t.Errorf("seed %d: %d attempts failed, so the extender was hardly slow or gone", seed, failed)
		}
		preempted := 0
		for d := range e.Decisions() {
			if d.Preemption != nil {
				preempted++
			}
		}
		if preempted < 2 {
			t.Errorf("seed %d: %d pods preempted others", seed, preempted)
		}
		if skipped := e.Counters().Decisions[engine.Skipped]; skipped == 0 {
			t.Errorf("seed %d: no pod was deleted while the extender was asked about it", seed)
		}
		again, report := replay(t, file, play.Options{})
		if !report.OK() || !report.Exact || again.Digest() != e.Digest() {
			t.Errorf("seed %d: the replay differs: %v", seed, report.First)
		}
	}
}

// forkingEngine is replaced by its fork after every input.
type forkingEngine struct {
	*engine.Engine
	t *testing.T
}

func (f *forkingEngine) Apply(in world.Input) error {
	err := f.Engine.Apply(in)
	fork, failed := f.Engine.Fork()
	if failed != nil {
		f.t.Fatal(failed)
	}
	f.Engine = fork
	return err
}

// The decisions are the same where the engine is replaced by a fork of itself at every input, also in the middle of calls.
func TestFork_InTheMiddleOfCalls(t *testing.T) {
	for seed := range uint64(3) {
		e, _, _ := recordScene(t, seed)
		o, c := extenderScene(t, seed)
		first, err := engine.New(o)
		if err != nil {
			t.Fatal(err)
		}
		forking := &forkingEngine{first, t}
		drive.Run(c, start.Add(10*time.Minute), drive.NewScheduler(forking))
		if forking.Digest() != e.Digest() {
			t.Errorf("seed %d: the forks come to %v, and the engine to %v", seed, forking.Digest(), e.Digest())
		}
	}
}

// A player seeks into the middle of calls, and goes on from there.
func TestPlayer_SeeksIntoCalls(t *testing.T) {
	_, _, file := recordScene(t, 1)
	player, err := play.NewPlayer(bytes.NewReader(file), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Duration{30 * time.Second, 5 * time.Second, 5*time.Second + 100*time.Millisecond, 70 * time.Second, 5 * time.Minute} {
		if err := player.Seek(start.Add(at)); err != nil {
			t.Fatal(err)
		}
	}
	if report := player.Report(); !report.OK() {
		t.Errorf("the replay differs: %v", report.First)
	}
}

// A replay that begins in the middle, or with hashed names, does not stop at a call without an answer.
func TestReplay_ExtenderLoosely(t *testing.T) {
	o, c := extenderScene(t, 1)
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(10*time.Minute), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, report := replay(t, cut(t, file.Bytes(), start.Add(20*time.Second)), play.Options{})
	if report.Exact || report.Missing > 2 {
		t.Errorf("the report says %+v, want a loose replay that places the pods", *report)
	}
	if waiting := again.PendingEffects(); len(waiting) > 0 || again.Check() != nil {
		t.Errorf("in the end the replay waits for %v", waiting)
	}
}

func TestReplay_ExtenderWithHashedNames(t *testing.T) {
	_, _, file := recordScene(t, 2)
	hash, err := trace.NewNameHasher([]byte("salt and pepper"))
	if err != nil {
		t.Fatal(err)
	}
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(file), &hashed, hash); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(hashed.Bytes(), []byte("pod-0")) || bytes.Contains(hashed.Bytes(), []byte("the node is odd")) {
		t.Error("a name is in the hashed trace")
	}
	if _, report := replay(t, hashed.Bytes(), play.Options{}); !report.OK() || report.Same < 50 {
		t.Errorf("the replay differs: %+v", *report)
	}
}

// A recording that is closed while a cycle waits for an extender has no checkpoint of what a replay has not begun.
func TestRecorder_ClosedInTheMiddleOfCalls(t *testing.T) {
	for _, inputs := range []uint64{30, 100, 150} {
		o, c := extenderScene(t, 1)
		e, err := engine.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		r, err := play.NewRecorder(&file, e, o, play.About{})
		if err != nil {
			t.Fatal(err)
		}
		v := drive.Virtual{World: c, Controllers: []drive.Controller{drive.NewScheduler(e, r)}, Stop: func() bool { return e.Counters().Inputs > inputs && !e.Settled() }}
		v.Run(start.Add(10 * time.Minute))
		if e.Settled() {
			t.Fatal("no cycle waits for an extender")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, report := replay(t, file.Bytes(), play.Options{}); !report.OK() {
			t.Errorf("after %d inputs: the replay differs: %v", inputs, report.First)
		}
	}
}
