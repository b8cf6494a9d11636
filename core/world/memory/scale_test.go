package memory_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// populate creates so many nodes and pods.
func populate(tb testing.TB, c *memory.Cluster, nodes, pods int) {
	tb.Helper()
	for i := range nodes {
		n := mk.Node(fmt.Sprintf("node-%05d", i)).Zone(fmt.Sprintf("z%d", i%3)).CPU("32").Memory("128Gi").Obj()
		if _, err := c.Create(n); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range pods {
		if _, err := c.Create(mk.Pod(fmt.Sprintf("pod-%06d", i)).CPU("500m").Memory("1Gi").Obj()); err != nil {
			tb.Fatal(err)
		}
	}
}

// bindAll binds every pod in turn to the next node, and gives the number of inputs until the cluster is at rest.
func bindAll(c *memory.Cluster, nodes int) int {
	var effect world.EffectID
	for _, o := range c.List(world.Pod) {
		effect++
		c.Do(world.Effect{ID: effect, At: c.Now(), Action: world.Bind{
			Pod:  world.PodRef{Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID()},
			Node: fmt.Sprintf("node-%05d", int(effect)%nodes),
		}})
	}
	inputs := 0
	for {
		if _, ok := c.Next(c.Now().Add(time.Hour)); !ok {
			return inputs
		}
		inputs++
	}
}

func TestCluster_ManyPods(t *testing.T) {
	const nodes, pods = 100, 3000
	c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
	populate(t, c, nodes, pods)
	lists := len(world.Kinds()) - 2 // of groups there are none
	if got, want := bindAll(c, nodes), lists+3*pods; got != want {
		t.Errorf("there were %d inputs, want %d: the lists, and for each pod its binding, the outcome and its start", got, want)
	}
	if got := c.Overcommitted(); len(got) > 0 {
		t.Errorf("Overcommitted() = %q, want nothing", got)
	}
}

func TestCluster_ListsFirst(t *testing.T) {
	c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
	for _, kind := range world.Kinds() {
		o, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		o.SetName("any")
		if err := c.Load(o); err != nil {
			t.Fatal(err)
		}
	}
	c.RequestActivation(types.NamespacedName{Name: "any"})
	before := c.Digest()
	var kinds []world.Kind
	for _, in := range c.Advance(time.Second) {
		if e, ok := in.Event.(world.Listed); ok {
			kinds = append(kinds, e.Kind)
			if !slices.Contains(names(e.Objects), "any") {
				t.Errorf("of %s these are listed: %v", e.Kind, names(e.Objects))
			}
		}
	}
	if !slices.Equal(kinds, world.Kinds()) {
		t.Errorf("the lists came in the order %v, want %v", kinds, world.Kinds())
	}
	if c.Digest() == before {
		t.Error("the digest takes no notice of the lists")
	}
}

// 5,000 nodes and 100,000 pods, on two slow cores.
func BenchmarkCluster_Populate(b *testing.B) {
	for range b.N {
		populate(b, memory.New(memory.Options{Start: dawn}), 5_000, 100_000)
	}
}

func BenchmarkCluster_BindAndStart(b *testing.B) {
	const nodes, pods = 5_000, 100_000
	for range b.N {
		b.StopTimer()
		c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
		populate(b, c, nodes, pods)
		b.StartTimer()
		bindAll(c, nodes)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pods), "ns/pod")
}

func BenchmarkCluster_Fork(b *testing.B) {
	c := memory.New(memory.Options{Start: dawn})
	populate(b, c, 5_000, 100_000)
	bindAll(c, 5_000)
	b.ResetTimer()
	for range b.N {
		c.Fork()
	}
}
