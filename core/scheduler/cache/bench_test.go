package cache

import (
	"fmt"
	"runtime"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
)

// The figures beside the benchmarks are the middle of five runs with go1.26 on a 2-core linux/amd64 machine that had much
// else to do (load 11), so they are upper bounds.

// cluster is a cache with that many nodes in three zones, each with pods of a realistic size.
func cluster(nodes, podsEach int) *Cache {
	c := New()
	for i := range nodes {
		c.AddNode(mk.Node(fmt.Sprint("node-", i)).Zone(fmt.Sprint("z", i%3)).CPU("16").Memory("64Gi").Obj())
	}
	for i := range nodes {
		for j := range podsEach {
			if err := c.AddPod(bound(i, j)); err != nil {
				panic(err)
			}
		}
	}
	return c
}

func bound(node, nth int) *v1.Pod {
	return mk.Pod(fmt.Sprintf("web-%d-%d", node, nth)).UID(fmt.Sprintf("3b4f2c1e-0000-4000-8000-%06d%06d", node, nth)).
		Node(fmt.Sprint("node-", node)).CPU("100m").Memory("128Mi").Obj()
}

// One decision's worth of change costs the same in any cluster. 4.6, 3.6 and 3.0 µs for 100, 5,000 and 50,000 nodes:
// a pod parsed and assumed, a refresh, the pod forgotten, a refresh.
func BenchmarkUpdateSnapshot_OneChange(b *testing.B) {
	for _, nodes := range []int{100, 5000, 50000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			c, s := cluster(nodes, 0), NewSnapshot()
			pod := bound(nodes/2, 0)
			if err := c.UpdateSnapshot(s); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := assumePod(c, pod); err != nil {
					b.Fatal(err)
				}
				if err := c.UpdateSnapshot(s); err != nil {
					b.Fatal(err)
				}
				if err := c.ForgetPod(pod); err != nil {
					b.Fatal(err)
				}
				if err := c.UpdateSnapshot(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The same without the cost of parsing a pod: the change is one that is already known. 69, 75 and 88 ns.
func BenchmarkUpdateSnapshot_RefreshOnly(b *testing.B) {
	for _, nodes := range []int{100, 5000, 50000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			c, s := cluster(nodes, 0), NewSnapshot()
			if err := c.UpdateSnapshot(s); err != nil {
				b.Fatal(err)
			}
			e := c.entries["node-7"]
			b.ReportAllocs()
			for b.Loop() {
				e.info.generation = c.nextGeneration()
				c.moveToFront(e)
				if err := c.UpdateSnapshot(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// 7 ns.
func BenchmarkUpdateSnapshot_NoChange(b *testing.B) {
	c, s := cluster(5000, 0), NewSnapshot()
	b.ReportAllocs()
	for b.Loop() {
		if err := c.UpdateSnapshot(s); err != nil {
			b.Fatal(err)
		}
	}
}

// 0.34 µs, one allocation.
func BenchmarkNodeInfo_Copy100Pods(b *testing.B) {
	n := SnapshotOf(podsOf(cluster(1, 100)), []*v1.Node{mk.Node("node-0").CPU("16").Obj()}).list[0].(*NodeInfo)
	b.ReportAllocs()
	for b.Loop() {
		copied = n.Copy()
	}
}

// copied prevents the compiler from removing the copy as unused.
var copied *NodeInfo

// Preemption does this on every candidate node: copy, remove a pod, add it again. 1.4 µs.
func BenchmarkNodeInfo_CopyRemoveAdd(b *testing.B) {
	n := cluster(1, 100).newest.info
	victim := n.pods.items[50]
	b.ReportAllocs()
	for b.Loop() {
		own := n.Copy()
		own.detach(50, own.uncachedGeneration())
		own.AddPodInfo(victim)
		copied = own
	}
}

// 1.3 µs on nodes with 100 pods.
func BenchmarkCache_AssumeForget(b *testing.B) {
	c := cluster(100, 100)
	pod := bound(50, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if err := assumePod(c, pod); err != nil {
			b.Fatal(err)
		}
		if err := c.ForgetPod(pod); err != nil {
			b.Fatal(err)
		}
	}
}

// 1.2 ms, 0.6 MB.
func BenchmarkCache_Fork5000Nodes100kPods(b *testing.B) {
	c := cluster(5000, 20)
	b.ReportAllocs()
	for b.Loop() {
		c.Fork()
	}
}

// 3.9 ms, 2 MB.
func BenchmarkSnapshot_Fork5000Nodes(b *testing.B) {
	c, s := cluster(5000, 20), NewSnapshot()
	if err := c.UpdateSnapshot(s); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Fork()
	}
}

// 8.7 ms.
func BenchmarkUpdateSnapshot_First5000Nodes(b *testing.B) {
	c := cluster(5000, 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.UpdateSnapshot(NewSnapshot()); err != nil {
			b.Fatal(err)
		}
	}
}

// What the cache and a snapshot of it hold for each pod beside the pod object itself: 177 bytes. The
// whole, with 100,000 pod objects and 5,000 nodes, is 272 MiB.
func BenchmarkCache_Memory100kPods(b *testing.B) {
	const nodes, each = 5000, 20
	for b.Loop() {
		pods := make([]*v1.Pod, 0, nodes*each)
		for i := range nodes {
			for j := range each {
				pods = append(pods, bound(i, j))
			}
		}
		c, s := cluster(nodes, 0), NewSnapshot()
		before := heap()
		for _, pod := range pods {
			if err := c.AddPod(pod); err != nil {
				b.Fatal(err)
			}
			if c.PodCount()%100 == 0 {
				if err := c.UpdateSnapshot(s); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(heap()-before)/(nodes*each), "bytes/pod")
		b.ReportMetric(float64(heap())/(1<<20), "MiB-in-all")
		runtime.KeepAlive(pods)
		runtime.KeepAlive(c)
		runtime.KeepAlive(s)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func podsOf(c *Cache) []*v1.Pod {
	var pods []*v1.Pod
	for _, info := range c.newest.info.pods.items {
		pods = append(pods, info.GetPod())
	}
	return pods
}
