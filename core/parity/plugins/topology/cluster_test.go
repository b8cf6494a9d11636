package topology

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/cache"
)

// cluster is a cluster in both caches.
type cluster struct {
	upstream     upcache.Cache
	upstreamSnap *upcache.Snapshot
	home         *cache.Cache
	homeSnap     *cache.Snapshot
	objects      informers.SharedInformerFactory

	nodes []*v1.Node
	pods  []*v1.Pod // with a node
	made  int

	workers int // of upstream's plugins
}

func newCluster() *cluster {
	// Upstream's cache counts metrics in a goroutine until its context ends.
	ended, end := context.WithCancel(context.Background())
	end()
	return &cluster{
		upstream: upcache.New(ended, nil, false, false), upstreamSnap: upcache.NewEmptySnapshot(),
		home: cache.New(), homeSnap: cache.NewSnapshot(),
		objects: informers.NewSharedInformerFactory(nil, 0), workers: 1,
	}
}

// handle has the three methods that the plugins use.
type handle struct {
	fwk.Handle
	lister  fwk.SharedLister
	objects informers.SharedInformerFactory
	workers int
}

func (h handle) SnapshotSharedLister() fwk.SharedLister                 { return h.lister }
func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.objects }
func (h handle) Parallelizer() fwk.Parallelizer                         { return parallelize.NewParallelizer(h.workers) }

func (c *cluster) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (c *cluster) refresh() {
	c.must(c.upstream.UpdateSnapshot(klog.Background(), c.upstreamSnap))
	c.must(c.home.UpdateSnapshot(c.homeSnap))
}

func (c *cluster) addNode(node *v1.Node) {
	c.nodes = append(c.nodes, node)
	c.upstream.AddNode(klog.Background(), node)
	c.home.AddNode(node)
}

func (c *cluster) updateNode(i int, node *v1.Node) {
	c.upstream.UpdateNode(klog.Background(), c.nodes[i], node)
	c.home.UpdateNode(node)
	c.nodes[i] = node
}

func (c *cluster) removeNode(i int) {
	c.must(c.upstream.RemoveNode(klog.Background(), c.nodes[i]))
	c.must(c.home.RemoveNode(c.nodes[i]))
	c.nodes = slices.Delete(c.nodes, i, i+1)
}

func (c *cluster) addPod(pod *v1.Pod) {
	c.pods = append(c.pods, pod)
	c.must(c.upstream.AddPod(klog.Background(), pod))
	c.must(c.home.AddPod(pod))
}

func (c *cluster) updatePod(i int, pod *v1.Pod) {
	c.must(c.upstream.UpdatePod(klog.Background(), c.pods[i], pod))
	c.must(c.home.UpdatePod(c.pods[i], pod))
	c.pods[i] = pod
}

func (c *cluster) removePod(i int) {
	c.must(c.upstream.RemovePod(klog.Background(), c.pods[i]))
	c.must(c.home.RemovePod(c.pods[i]))
	c.pods = slices.Delete(c.pods, i, i+1)
}

func (c *cluster) name(prefix string) string {
	c.made++
	return fmt.Sprintf("%s%d", prefix, c.made)
}

// fill adds random objects to a new cluster.
func (c *cluster) fill(t *difftest.Source) {
	c.fillObjects(t)
	for range t.Range(1, 9) {
		c.addNode(someNode(t, c.name("n")))
	}
	for range t.Range(0, 15) {
		c.addSomePod(t)
	}
}

func (c *cluster) fillObjects(t *difftest.Source) {
	core, apps := c.objects.Core().V1(), c.objects.Apps().V1()
	for _, name := range namespaces {
		ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if t.Bool() {
			ns.Labels = map[string]string{"team": pick(t, []string{"x", "y"})}
		}
		if !t.OneIn(5) {
			c.must(core.Namespaces().Informer().GetIndexer().Add(ns))
		}
		for i := range t.Range(0, 2) {
			service := &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: fmt.Sprint("s", i)}}
			if !t.OneIn(4) {
				service.Spec.Selector = map[string]string{pick(t, podKeys): pick(t, podValues)}
			}
			c.must(core.Services().Informer().GetIndexer().Add(service))
		}
		meta := metav1.ObjectMeta{Namespace: name, Name: "o1"}
		c.must(core.ReplicationControllers().Informer().GetIndexer().Add(&v1.ReplicationController{
			ObjectMeta: meta, Spec: v1.ReplicationControllerSpec{Selector: map[string]string{"app": pick(t, podValues)}},
		}))
		c.must(apps.ReplicaSets().Informer().GetIndexer().Add(&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: someSelector(t)}}))
		c.must(apps.StatefulSets().Informer().GetIndexer().Add(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: someSelector(t)}}))
	}
}

func (c *cluster) addSomePod(t *difftest.Source) {
	pod := somePod(t, c.name("p"))
	pod.Spec.NodeName = "nowhere"
	if len(c.nodes) > 0 {
		pod.Spec.NodeName = pick(t, c.nodes).Name
	}
	c.addPod(pod)
}

// change makes a random change.
func (c *cluster) change(t *difftest.Source) {
	switch t.Range(0, 9) {
	case 0:
		c.addNode(someNode(t, c.name("n")))
	case 1:
		if i := c.someIndex(t, len(c.nodes)); i >= 0 {
			c.updateNode(i, someNode(t, c.nodes[i].Name))
		}
	case 2:
		if i := c.someIndex(t, len(c.nodes)); i > 0 {
			c.removeNode(i)
		}
	case 3, 4:
		if i := c.someIndex(t, len(c.pods)); i >= 0 {
			c.removePod(i)
		}
	case 5:
		if i := c.someIndex(t, len(c.pods)); i >= 0 {
			now := c.pods[i].DeepCopy()
			now.Labels = somePod(t, now.Name).Labels
			c.updatePod(i, now)
		}
	default:
		c.addSomePod(t)
	}
}

// someIndex returns a random index of n elements, or -1 if there are none.
func (c *cluster) someIndex(t *difftest.Source, n int) int {
	if n == 0 {
		return -1
	}
	return t.Range(0, n-1)
}
