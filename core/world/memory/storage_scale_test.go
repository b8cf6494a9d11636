package memory_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// populateClaims creates so many claims that are bound at once, and a pod on a node for each.
func populateClaims(tb testing.TB, c *memory.Cluster, nodes, pods int) {
	tb.Helper()
	populate(tb, c, nodes, 0)
	objects := []world.Object{disksDriver(), immediateClass("slow", disks)}
	for i := range nodes {
		objects = append(objects, csiNode(fmt.Sprintf("node-%05d", i), 0))
	}
	for i := range pods {
		name := fmt.Sprintf("data-%06d", i)
		objects = append(objects, preBound(everywhere(name), name), claim(name, "1Gi"),
			mk.Pod(fmt.Sprintf("pod-%06d", i)).PVC(name).Node(fmt.Sprintf("node-%05d", i%nodes)).Obj())
	}
	for _, o := range objects {
		if _, err := c.Create(o); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestCluster_ManyClaims(t *testing.T) {
	const nodes, pods = 50, 1000
	c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
	populateClaims(t, c, nodes, pods)
	rest(c, func(world.Input) {})
	if got := storageErrors(c); len(got) > 0 {
		t.Errorf("at rest: %v", got)
	}
	for kind, want := range map[world.Kind]int{world.PersistentVolume: pods, world.VolumeAttachment: pods} {
		if got := len(c.List(kind)); got != want {
			t.Errorf("there are %d of %s, want %d", got, kind, want)
		}
	}
	if pod := c.Pod("default", "pod-000999"); pod.Status.Phase != "Running" {
		t.Errorf("the last pod is %s", pod.Status.Phase)
	}
}

// 5,000 nodes, and 100,000 pods that each have a volume to be bound and attached.
func BenchmarkCluster_AttachAndStart(b *testing.B) {
	const nodes, pods = 5_000, 100_000
	for range b.N {
		b.StopTimer()
		c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
		populateClaims(b, c, nodes, pods)
		b.StartTimer()
		rest(c, func(world.Input) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pods), "ns/pod")
}

// Immediate claims that look for the smallest of many free volumes.
func BenchmarkCluster_FindVolumes(b *testing.B) {
	const volumes = 2_000
	for range b.N {
		c := memory.New(memory.Options{Start: dawn})
		for i := range volumes {
			if _, err := c.Create(volume(fmt.Sprintf("disk-%05d", i), fmt.Sprintf("%dGi", 1+i%7))); err != nil {
				b.Fatal(err)
			}
		}
		c.Advance(time.Second)
		for i := range volumes {
			if _, err := c.Create(claim(fmt.Sprintf("data-%05d", i), "1Gi")); err != nil {
				b.Fatal(err)
			}
		}
		c.Advance(time.Second)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*volumes), "ns/claim")
}
