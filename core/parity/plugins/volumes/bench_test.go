package volumes

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"

	"orrery/core/testing/mk"
)

const benchNodes, benchVolumes, benchDriver = 5000, 100_000, "ebs.csi.aws.com"

// BenchmarkNodeVolumeLimits is the plugin's part of one decision: PreFilter, and Filter of the 500 nodes that a search among
// 5,000 looks at, on one thread. Every node has 20 volumes; then a pod is bound and the next one's volume and claim are added,
// which is not measured.
func BenchmarkNodeVolumeLimits(b *testing.B) {
	for _, row := range []struct {
		name     string
		source   func(handle string) v1.PersistentVolumeSource
		attached bool
	}{
		{"CSI volumes", csiSource, false},
		{"in-tree volumes", ebsSource, false},
		{"attached CSI volumes", csiSource, true},
	} {
		b.Run(row.name, func(b *testing.B) {
			c := newCluster()
			for i := range benchNodes {
				name := fmt.Sprint("n", i)
				c.addNode(mk.Node(name).Obj())
				c.set(mk.CSINode(name).Limit(benchDriver, 39).Obj())
			}
			for i := range benchVolumes {
				c.benchVolume(i, row.source)
				c.benchBind(i)
				if row.attached {
					name := fmt.Sprint("v", i)
					c.set(mk.Attachment(name, fmt.Sprint("n", i%benchNodes), benchDriver, name))
				}
			}
			c.benchVolume(benchVolumes, row.source)
			for i, s := range c.sides(uplimits.CSIName, false) {
				if i == 1 {
					continue // hosted
				}
				b.Run(s.name, func(b *testing.B) { c.benchmark(b, s, row.source) })
			}
		})
	}
}

func csiSource(handle string) v1.PersistentVolumeSource {
	return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: benchDriver, VolumeHandle: handle}}
}

func ebsSource(id string) v1.PersistentVolumeSource {
	return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
}

func (c *cluster) benchVolume(i int, source func(string) v1.PersistentVolumeSource) {
	name := fmt.Sprint("v", i)
	c.set(mk.Volume(name).Source(source(name)).Obj())
	c.set(mk.Claim(name).Bound(name).Obj())
	c.made = i
}

func benchPod(i int) *v1.Pod { return mk.Pod(fmt.Sprint("p", i)).PVC(fmt.Sprint("v", i)).Obj() }

func (c *cluster) benchBind(i int) {
	pod := benchPod(i)
	pod.Spec.NodeName = fmt.Sprint("n", i%benchNodes)
	must(c.upstream.AddPod(klog.Logger{}, pod))
	must(c.home.AddPod(pod))
}

func (c *cluster) benchmark(b *testing.B, s side, source func(string) v1.PersistentVolumeSource) {
	schedule := func(pod *v1.Pod) {
		ctx, state := context.Background(), s.newState()
		nodes, _ := s.lister.NodeInfos().List()
		s.plugin.PreFilter(ctx, state, pod, nodes)
		for _, node := range nodes[:500] {
			s.plugin.Filter(ctx, state, pod, node)
		}
	}
	c.refresh()
	schedule(benchPod(c.made))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c.benchBind(c.made)
		c.benchVolume(c.made+1, source)
		c.refresh()
		pod := benchPod(c.made)
		b.StartTimer()
		schedule(pod)
	}
}
