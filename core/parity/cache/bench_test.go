package cache

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

const benchNodes, benchPods = 5000, 20

func benchNode(i int) *v1.Node {
	return mk.Node(fmt.Sprint("node-", i)).Zone(fmt.Sprint("z", i%3)).CPU("16").Memory("64Gi").Obj()
}

func benchPod(node, nth int) *v1.Pod {
	return mk.Pod(fmt.Sprintf("web-%d-%d", node, nth)).Node(fmt.Sprint("node-", node)).CPU("100m").Memory("128Mi").Obj()
}

// A scheduling cycle's use of the cache: assume a pod, confirm it, remove it, with an update of the snapshot after each.
func BenchmarkCycle(b *testing.B) {
	pod := benchPod(benchNodes/2, 1000)
	b.Run("upstream", func(b *testing.B) {
		ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		defer cancel()
		log, c, s := logr.Discard(), upstream.New(ctx, nil, false, false), upstream.NewEmptySnapshot()
		fill(func(n *v1.Node) { c.AddNode(log, n) }, func(p *v1.Pod) error { return c.AddPod(log, p) })
		cycle(b, func() error { return c.UpdateSnapshot(log, s) },
			func() error { return c.AssumePod(log, pod) },
			func() error { return c.AddPod(log, pod) },
			func() error { return c.RemovePod(log, pod) })
	})
	b.Run("ours", func(b *testing.B) {
		c, s := cache.NewWithAccounting(newestAccounting()), cache.NewSnapshot()
		fill(func(n *v1.Node) { c.AddNode(n) }, c.AddPod)
		cycle(b, func() error { return c.UpdateSnapshot(s) },
			func() error {
				_, err := c.AssumePod(pod, pod.Spec.NodeName)
				return err
			},
			func() error { return c.AddPod(pod) },
			func() error { return c.RemovePod(pod) })
	})
}

func fill(addNode func(*v1.Node), addPod func(*v1.Pod) error) {
	for i := range benchNodes {
		addNode(benchNode(i))
		for j := range benchPods {
			if err := addPod(benchPod(i, j)); err != nil {
				panic(err)
			}
		}
	}
}

func cycle(b *testing.B, refresh func() error, steps ...func() error) {
	b.ReportAllocs()
	for b.Loop() {
		for _, step := range steps {
			if err := step(); err != nil {
				b.Fatal(err)
			}
			if err := refresh(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// Preemption begins with a copy of every candidate node.
func BenchmarkCopyNodeWith100Pods(b *testing.B) {
	pods := make([]*v1.Pod, 100)
	for i := range pods {
		pods[i] = benchPod(0, i)
	}
	for name, snapshot := range map[string]fwk.SharedLister{
		"upstream": upstream.NewSnapshot(pods, []*v1.Node{benchNode(0)}),
		"ours":     cache.SnapshotOf(pods, []*v1.Node{benchNode(0)}),
	} {
		b.Run(name, func(b *testing.B) {
			info, err := snapshot.NodeInfos().Get("node-0")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				copied = info.Snapshot()
			}
		})
	}
}

var copied fwk.NodeInfo
