package nodevolumelimits_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

const benchNodes, benchVolumes = 5000, 100_000

var sources = map[string]func(int) v1.PersistentVolumeSource{
	"of CSI volumes": func(i int) v1.PersistentVolumeSource {
		return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: ebs, VolumeHandle: fmt.Sprint("vol-", i)}}
	},
	"of in-tree volumes": func(i int) v1.PersistentVolumeSource {
		return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: fmt.Sprint("vol-", i)}}
	},
}

// benchCluster has 5,000 nodes with 20 volumes each, of one kind.
type benchCluster struct {
	store    *store.Store
	cache    *cache.Cache
	snapshot *cache.Snapshot
	source   func(int) v1.PersistentVolumeSource
}

func newBenchCluster(b *testing.B, source func(int) v1.PersistentVolumeSource) *benchCluster {
	c := &benchCluster{store: store.New(), cache: cache.New(), snapshot: cache.NewSnapshot(), source: source}
	for i := range benchNodes {
		name := fmt.Sprint("n", i)
		c.cache.AddNode(mk.Node(name).Zone(fmt.Sprint("z", i%3)).Obj())
		plugintest.Apply(b, c.store, world.Added, mk.CSINode(name).Limit(ebs, 39).Obj())
	}
	for i := range benchVolumes {
		c.addVolume(b, i)
		c.bind(b, i)
	}
	return c
}

func (c *benchCluster) addVolume(b *testing.B, i int) {
	name := fmt.Sprint("volume-", i)
	plugintest.Apply(b, c.store, world.Added, mk.Volume(name).Source(c.source(i)).Obj())
	plugintest.Apply(b, c.store, world.Added, mk.Claim(name).Bound(name).Obj())
}

func benchPod(i int) *v1.Pod { return mk.Pod(fmt.Sprint("p", i)).PVC(fmt.Sprint("volume-", i)).Obj() }

func (c *benchCluster) bind(b *testing.B, i int) {
	pod := benchPod(i)
	pod.Spec.NodeName = fmt.Sprint("n", i%benchNodes)
	if err := c.cache.AddPod(pod); err != nil {
		b.Fatal(err)
	}
}

func (c *benchCluster) nodes(b *testing.B) []fwk.NodeInfo {
	if err := c.cache.UpdateSnapshot(c.snapshot); err != nil {
		b.Fatal(err)
	}
	nodes, _ := c.snapshot.List()
	return nodes
}

func schedule(b *testing.B, p *nodevolumelimits.NodeVolumeLimits, pod *v1.Pod, nodes []fwk.NodeInfo, found int) {
	ctx, state := b.Context(), framework.NewCycleState()
	p.PreFilter(ctx, state, pod, nodes)
	for _, node := range nodes[:found] {
		if status := p.Filter(ctx, state, pod, node); !status.IsSuccess() {
			b.Fatal(plugintest.StatusText(status))
		}
	}
}

// BenchmarkDecision schedules a pod with a claim: PreFilter, and Filter of 500 nodes, each time after a claim and a volume were
// added and a pod was bound to the first node.
func BenchmarkDecision(b *testing.B) {
	for name, source := range sources {
		b.Run(name, func(b *testing.B) {
			c := newBenchCluster(b, source)
			p := tracking(b, c.store, nil)
			made := benchVolumes
			c.addVolume(b, made)
			schedule(b, p, benchPod(made), c.nodes(b), 500)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c.bind(b, made)
				made++
				c.addVolume(b, made)
				nodes := c.nodes(b)
				b.StartTimer()
				schedule(b, p, benchPod(made), nodes, 500)
			}
		})
	}
}

// BenchmarkFirstCycle measures every node, as the plugin of a fork does that explains a pod.
func BenchmarkFirstCycle(b *testing.B) {
	for name, source := range sources {
		b.Run(name, func(b *testing.B) {
			c := newBenchCluster(b, source)
			nodes := c.nodes(b)
			b.ReportAllocs()
			for b.Loop() {
				schedule(b, tracking(b, c.store.Fork(), nil), benchPod(0), nodes, benchNodes)
			}
		})
	}
}
