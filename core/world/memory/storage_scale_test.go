package memory_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// populateClaims creates pods on nodes, each with a volume: a claim that is bound at once, or an empty directory.
func populateClaims(tb testing.TB, c *memory.Cluster, nodes, pods int, claims bool) {
	tb.Helper()
	populate(tb, c, nodes, 0)
	objects := []world.Object{disksDriver(), immediateClass("slow", disks)}
	for i := range nodes {
		objects = append(objects, csiNode(fmt.Sprintf("node-%05d", i), 0))
	}
	for i := range pods {
		name := fmt.Sprintf("data-%06d", i)
		pod := mk.Pod(fmt.Sprintf("pod-%06d", i)).Node(fmt.Sprintf("node-%05d", i%nodes))
		if claims {
			objects = append(objects, preBound(everywhere(name), name), claim(name, "1Gi"))
			pod.PVC(name)
		} else {
			pod.Volume(name, v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}})
		}
		objects = append(objects, pod.Obj())
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
	populateClaims(t, c, nodes, pods, true)
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
		populateClaims(b, c, nodes, pods, true)
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

// BenchmarkCluster_HeapOfClaims reports the memory of 100,000 claims, each with its volume and its attachment: what a cluster
// whose pods have them takes more than one whose pods have empty directories.
func BenchmarkCluster_HeapOfClaims(b *testing.B) {
	const nodes, pods = 5_000, 100_000
	for range b.N {
		without := heapOf(func(c *memory.Cluster) { populateClaims(b, c, nodes, pods, false) })
		with := heapOf(func(c *memory.Cluster) { populateClaims(b, c, nodes, pods, true) })
		b.ReportMetric(float64(with-without)/1e6, "MB")
	}
}

// heapOf returns the memory of a cluster at rest.
func heapOf(populate func(*memory.Cluster)) uint64 {
	before := heap()
	c := memory.New(memory.Options{Start: dawn})
	populate(c)
	rest(c, func(world.Input) {})
	taken := heap() - before
	runtime.KeepAlive(c)
	return taken
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
