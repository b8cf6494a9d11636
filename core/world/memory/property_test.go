package memory_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict/lifecycle"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// step is one act of a random script. It is data, so that two clusters can be put through the same.
type step struct {
	What string
	A, B int
	Wait time.Duration
}

func anyScript(t *rapid.T) []step {
	what := rapid.SampledFrom([]string{
		"create", "create", "label", "delete", "bind", "bind", "nominate", "lose", "recover", "node", "drop node",
		"replicas", "scale", "drop replicas", "break", "restart", "stall", "twice",
	})
	switch rapid.IntRange(0, 2).Draw(t, "subject") {
	case 1:
		what = rapid.SampledFrom(append(storageSteps, "bind", "bind", "node", "drop node", "lose", "recover", "delete", "restart"))
	case 2:
		what = rapid.SampledFrom(append(deviceSteps, "bind", "bind", "node", "node", "drop node", "lose", "recover", "delete", "restart"))
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			What: what.Draw(t, "what"), A: rapid.IntRange(0, 5).Draw(t, "a"), B: rapid.IntRange(0, 3).Draw(t, "b"),
			Wait: time.Duration(rapid.IntRange(0, 40_000).Draw(t, "wait")) * time.Millisecond,
		}
	}), 1, 40).Draw(t, "script")
}

// play applies a step to a cluster and returns the scheduler's inputs until the next step.
func play(c *memory.Cluster, effect *world.EffectID, s step) []world.Input {
	pod := c.Pod("default", "p"+strconv.Itoa(s.A))
	on := "n" + strconv.Itoa(s.B)
	do := func(act world.Action) {
		*effect++
		c.Do(world.Effect{ID: *effect, At: c.Now(), Action: act})
	}
	switch s.What {
	case "create":
		_, _ = c.Create(mk.Pod("p" + strconv.Itoa(s.A)).CPU(strconv.Itoa(s.B)).Obj())
	case "label":
		if pod != nil {
			changed := pod.DeepCopy()
			changed.Labels = map[string]string{"b": strconv.Itoa(s.B)}
			_, _ = c.Update(changed)
		}
	case "delete":
		_ = c.Delete(world.Pod, "default", "p"+strconv.Itoa(s.A), metav1.DeleteOptions{})
	case "bind":
		if pod != nil {
			do(world.Bind{Pod: world.PodRefOf(pod), Node: on})
		}
	case "nominate":
		if pod != nil {
			do(world.PatchStatus{Pod: world.PodRefOf(pod), NominatedNode: &on})
		}
	case "lose":
		_ = c.LoseNode(on)
	case "recover":
		_ = c.RecoverNode(on)
	case "node":
		_, _ = c.Create(node(on))
	case "drop node":
		_ = c.Delete(world.Node, "", on, metav1.DeleteOptions{})
	case "replicas":
		n := int32(s.A)
		_, _ = c.Create(&appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "set" + strconv.Itoa(s.B)},
			Spec:       appsv1.ReplicaSetSpec{Replicas: &n, Template: v1.PodTemplateSpec{Spec: mk.Pod("").Obj().Spec}},
		})
	case "scale":
		if o, err := c.Get(world.ReplicaSet, "default", "set"+strconv.Itoa(s.B)); err == nil {
			set, n := o.(*appsv1.ReplicaSet).DeepCopy(), int32(s.A)
			set.Spec.Replicas = &n
			_, _ = c.Update(set)
		}
	case "drop replicas":
		_ = c.Delete(world.ReplicaSet, "default", "set"+strconv.Itoa(s.B), metav1.DeleteOptions{})
	case "break":
		c.BreakWatch(world.Pod, s.Wait/2)
	case "restart":
		c.RestartServer(s.Wait / 2)
	case "stall":
		c.StallWatch(world.Node, s.Wait)
	case "twice":
		c.DuplicateNext(world.Pod, s.B)
	default:
		playStorage(c, do, s)
		playDevices(c, do, s)
	}
	return c.Advance(s.Wait)
}

func anyOptions(t *rapid.T) memory.Options {
	o := memory.Options{Start: dawn, NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: dawn, Immediate: true}), Seed: rapid.Uint64().Draw(t, "seed")}
	if rapid.Bool().Draw(t, "latency") {
		o.Latency = memory.TypicalLatency()
		o.Latency.Watch.Jitter = 3 * time.Second
	}
	return o
}

func troubled(o memory.Options) memory.Options {
	o.Faults = memory.Faults{
		Watch: map[world.Kind]memory.WatchFaults{"": {
			Break: 0.05, RelistAfter: memory.Delay{Base: time.Second, Jitter: 5 * time.Second},
			Delay: 0.2, DelayBy: memory.Delay{Jitter: 10 * time.Second}, Duplicate: 0.1,
		}},
		Calls: map[memory.Call]memory.CallFaults{
			memory.CallBind:        {Refuse: 0.1, Lose: 0.1, LoseReply: 0.1, BoundByOther: 0.1, Slow: 0.2, SlowBy: memory.Delay{Jitter: time.Minute}},
			memory.CallPatchStatus: {Refuse: 0.3},
			memory.CallVolume:      {Refuse: 0.1, Lose: 0.1, LoseReply: 0.1, Slow: 0.2, SlowBy: memory.Delay{Jitter: time.Minute}},
		},
	}
	return o
}

func TestCluster_Deterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, script := troubled(anyOptions(t)), anyScript(t)
		run := func() (string, []string) {
			own := o
			own.NodeLifecycle = o.NodeLifecycle.Fork() // it remembers the nodes that it has seen
			c, effect := memory.New(own), world.EffectID(0)
			var all []world.Input
			for _, s := range script {
				all = append(all, play(c, &effect, s)...)
			}
			return c.Digest(), lines(tape(all))
		}
		one, first := run()
		two, second := run()
		if one != two {
			t.Fatalf("the digests are %s and %s; the runs (-first +second):\n%s", one, two, cmp.Diff(first, second))
		}
	})
}

func TestFork_SameFuture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, script := troubled(anyOptions(t)), anyScript(t)
		c, effect := memory.New(o), world.EffectID(0)
		half := rapid.IntRange(0, len(script)-1).Draw(t, "half")
		for _, s := range script[:half] {
			play(c, &effect, s)
		}
		f, forkEffect := c.Fork(), effect
		stray, strayEffect := c.Fork(), effect
		for _, s := range slices.Backward(script) {
			play(stray, &strayEffect, s)
		}
		var told, forkTold []world.Input
		for _, s := range script[half:] {
			told = append(told, play(c, &effect, s)...)
			forkTold = append(forkTold, play(f, &forkEffect, s)...)
		}
		if c.Digest() != f.Digest() {
			t.Fatalf("the fork went another way (-original +fork):\n%s", cmp.Diff(lines(tape(told)), lines(tape(forkTold))))
		}
	})
}

// mirror is a scheduler's picture of the cluster, made of inputs alone.
type mirror map[world.Kind]map[types.NamespacedName]world.Object

func (m mirror) learn(in world.Input) {
	key := func(o world.Object) types.NamespacedName {
		return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	}
	switch e := in.Event.(type) {
	case world.Listed:
		m[e.Kind] = map[types.NamespacedName]world.Object{}
		for _, o := range e.Objects {
			m[e.Kind][key(o)] = o
		}
	case world.Changed:
		of := m[world.KindOf(e.Object)]
		if e.Op == world.Deleted {
			delete(of, key(e.Object))
			return
		}
		of[key(e.Object)] = e.Object
	}
}

// rest runs a cluster until it is at rest, and passes its inputs to listen.
func rest(c *memory.Cluster, listen func(world.Input)) {
	for {
		in, ok := c.Next(c.Now().Add(time.Hour))
		if !ok {
			return
		}
		listen(in)
	}
}

// unknown is what a listener has wrong; empty if it knows the latest state of everything and nothing else.
func (m mirror) unknown(c *memory.Cluster) string {
	for _, kind := range world.Kinds() {
		there := c.List(kind)
		if len(m[kind]) != len(there) {
			return fmt.Sprintf("there are %d of %s, and the scheduler knows %d", len(there), kind, len(m[kind]))
		}
		for _, o := range there {
			if m[kind][types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] != o {
				return fmt.Sprintf("the scheduler does not know the latest state of %s %s", kind, o.GetName())
			}
		}
	}
	return ""
}

func TestFaults_RelistRepairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, effect, m := memory.New(troubled(anyOptions(t))), world.EffectID(0), mirror{}
		for _, s := range anyScript(t) {
			for _, in := range play(c, &effect, s) {
				m.learn(in)
			}
		}
		rest(c, m.learn)
		c.RestartServer(time.Second)
		rest(c, m.learn)
		if problem := m.unknown(c); problem != "" {
			t.Fatal(problem)
		}
	})
}

// version is a resource version as a number.
func version(o world.Object) uint64 {
	n, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("the version of %s: %v", o.GetName(), err))
	}
	return n
}

func TestWatch_OnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, effect, m := memory.New(anyOptions(t)), world.EffectID(0), mirror{}
		latest := map[world.Kind]uint64{}
		var last time.Time
		observe := func(in world.Input) {
			if in.At.Before(last) {
				t.Fatalf("an input of %v came after one of %v", in.At, last)
			}
			last = in.At
			e, ok := in.Event.(world.Changed)
			if ok {
				kind := world.KindOf(e.Object)
				if v := version(e.Object); v <= latest[kind] {
					t.Fatalf("of %s, version %d came after %d", kind, v, latest[kind])
				}
				latest[kind] = version(e.Object)
				name := types.NamespacedName{Namespace: e.Object.GetNamespace(), Name: e.Object.GetName()}
				if _, known := m[kind][name]; known != (e.Op != world.Added) {
					t.Fatalf("%s %s was %s, known before: %v", kind, name, e.Op, known)
				}
			}
			m.learn(in)
		}
		for _, s := range anyScript(t) {
			switch s.What {
			case "break", "restart", "twice":
				continue
			}
			for _, in := range play(c, &effect, s) {
				observe(in)
			}
		}
		rest(c, observe)
		if problem := m.unknown(c); problem != "" {
			t.Fatal(problem)
		}
	})
}

func TestCluster_ObjectsAreImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, effect := memory.New(anyOptions(t)), world.EffectID(0)
		type handedOut struct {
			o    world.Object
			copy world.Object
		}
		var all []handedOut
		for _, s := range anyScript(t) {
			for _, in := range play(c, &effect, s) {
				if e, ok := in.Event.(world.Changed); ok {
					all = append(all, handedOut{e.Object, e.Object.DeepCopyObject().(world.Object)})
				}
			}
		}
		for _, p := range all {
			if diff := cmp.Diff(p.copy, p.o); diff != "" {
				t.Fatalf("%s was changed after it had been handed out (-then +now):\n%s", p.o.GetName(), diff)
			}
		}
	})
}

func TestFork_Concurrent(t *testing.T) {
	c := memory.New(troubled(memory.Options{Start: dawn, NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: dawn, Immediate: true}), Latency: memory.TypicalLatency()}))
	populate(t, c, 5, 200)
	digests := make(chan string)
	for range 2 {
		f := c.Fork()
		go func() {
			bindAll(f, 5)
			digests <- f.Digest()
		}()
	}
	if one, two := <-digests, <-digests; one != two {
		t.Errorf("the forks ended with %s and %s, want the same", one, two)
	}
}

func TestCluster_ComesToRest(t *testing.T) {
	c := memory.New(memory.Options{Start: dawn})
	populate(t, c, 1, 1)
	if at, ok := c.NextAt(); !ok || !at.Equal(dawn) {
		t.Errorf("the next thing happens at %v (%v), want the first list at %v", at, ok, dawn)
	}
	rest(c, func(world.Input) {})
	if at, ok := c.NextAt(); ok {
		t.Errorf("something still happens at %v, want rest", at)
	}
}
