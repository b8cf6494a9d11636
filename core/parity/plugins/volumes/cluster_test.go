package volumes

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"

	"orrery/core/parity/difftest"
	"orrery/core/parity/informers"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// cluster is a cluster in both caches, with its objects of storage in informers and in Orrery's store.
type cluster struct {
	upstream     upcache.Cache
	upstreamSnap *upcache.Snapshot
	home         *cache.Cache
	homeSnap     *cache.Snapshot
	objects      *informers.Factory
	store        *store.Store

	nodes []*v1.Node
	pods  []*v1.Pod // with a node
	made  int
}

func newCluster() *cluster {
	// Upstream's cache counts metrics in a goroutine until its context ends.
	ended, end := context.WithCancel(context.Background())
	end()
	c := &cluster{
		upstream: upcache.New(ended, nil, false, false), upstreamSnap: upcache.NewEmptySnapshot(), home: cache.New(), homeSnap: cache.NewSnapshot(),
		objects: informers.New(), store: store.New(),
	}
	core, storage := c.objects.Core().V1(), c.objects.Storage().V1()
	core.PersistentVolumeClaims().Informer()
	core.PersistentVolumes().Informer()
	storage.StorageClasses().Informer()
	storage.CSINodes().Informer()
	storage.CSIDrivers().Informer()
	storage.VolumeAttachments().Informer()
	return c
}

// handle has the methods that the plugins use.
type handle struct {
	fwk.Handle
	lister  fwk.SharedLister
	objects clientinformers.SharedInformerFactory
	csi     fwk.CSIManager
}

func (h handle) SnapshotSharedLister() fwk.SharedLister                       { return h.lister }
func (h handle) SharedInformerFactory() clientinformers.SharedInformerFactory { return h.objects }
func (h handle) SharedCSIManager() fwk.CSIManager                             { return h.csi }

// homeHandle also tells of changes, as that of an engine's plugins does.
type homeHandle struct {
	handle
	*store.Store
}

var _ framework.ObjectChanges = homeHandle{}

func (c *cluster) upstreamHandle() fwk.Handle {
	return handle{lister: c.upstreamSnap, objects: c.objects, csi: uplimits.NewCSIManager(c.objects.Storage().V1().CSINodes().Lister())}
}

func (c *cluster) homeHandle() fwk.Handle {
	return homeHandle{handle{lister: c.homeSnap, objects: c.store.Informers(), csi: framework.CSINodes(c.store.Informers())}, c.store}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (c *cluster) refresh() {
	must(c.upstream.UpdateSnapshot(klog.Logger{}, c.upstreamSnap))
	must(c.home.UpdateSnapshot(c.homeSnap))
}

func (c *cluster) name(prefix string) string {
	c.made++
	return fmt.Sprint(prefix, c.made)
}

// set adds or replaces an object.
func (c *cluster) set(object world.Object) {
	c.objects.Set(object)
	op := world.Added
	if c.held(object) != nil {
		op = world.Modified
	}
	_, err := c.store.Apply(world.Changed{Op: op, Object: object})
	must(err)
}

func (c *cluster) remove(object world.Object) {
	c.objects.Delete(object)
	_, err := c.store.Apply(world.Changed{Op: world.Deleted, Object: object})
	must(err)
}

// held is the object of this kind and name that the cluster has, or nil.
func (c *cluster) held(object world.Object) world.Object {
	held := c.store.Object(world.KindOf(object), object.GetNamespace(), object.GetName())
	if held == nil || reflect.ValueOf(held).IsNil() {
		return nil
	}
	return held
}

// fill adds random objects to a new cluster.
func (c *cluster) fill(t *difftest.Source) {
	for _, name := range nodeNames[:t.Range(1, 3)] {
		c.addNode(someNode(t, name))
		if !t.OneIn(4) {
			c.set(someCSINode(t, name))
		}
	}
	for _, namespace := range namespaces[1:] {
		for _, name := range claimNames {
			if !t.OneIn(8) {
				c.set(someClaim(t, namespace, name))
			}
		}
	}
	for _, name := range volumeNames {
		if !t.OneIn(6) {
			c.set(someVolume(t, name))
		}
	}
	for range t.Range(2, 12) {
		c.set(someObject(t))
	}
	for range t.Range(0, 8) {
		c.addPod(t)
	}
}

func (c *cluster) addNode(node *v1.Node) {
	c.nodes = append(c.nodes, node)
	c.upstream.AddNode(klog.Logger{}, node)
	c.home.AddNode(node)
}

// newPod draws a pod, and its own claims with it.
func (c *cluster) newPod(t *difftest.Source) *v1.Pod {
	pod := somePod(t, c.name("p"))
	for _, claim := range ownClaims(t, pod) {
		c.set(claim)
	}
	return pod
}

func (c *cluster) addPod(t *difftest.Source) {
	pod := c.newPod(t)
	pod.Spec.NodeName = pick(t, c.nodes).Name
	c.pods = append(c.pods, pod)
	must(c.upstream.AddPod(klog.Logger{}, pod))
	must(c.home.AddPod(pod))
}

// change changes the cluster once.
func (c *cluster) change(t *difftest.Source) {
	switch t.Range(0, 9) {
	case 0, 1, 2, 3:
		c.set(someObject(t))
	case 4:
		if object := someObject(t); c.held(object) != nil {
			c.remove(c.held(object))
		}
	case 5:
		c.changeNode(t)
	case 6, 7:
		if len(c.pods) > 0 {
			c.removePod(t.Range(0, len(c.pods)-1))
		}
	default:
		c.addPod(t)
	}
}

func (c *cluster) removePod(i int) {
	must(c.upstream.RemovePod(klog.Logger{}, c.pods[i]))
	must(c.home.RemovePod(c.pods[i]))
	c.pods = slices.Delete(c.pods, i, i+1)
}

// changeNode relabels a node, adds one, or removes one that is not the last.
func (c *cluster) changeNode(t *difftest.Source) {
	name := pick(t, nodeNames)
	i := slices.IndexFunc(c.nodes, func(n *v1.Node) bool { return n.Name == name })
	switch {
	case i < 0:
		c.addNode(someNode(t, name))
	case len(c.nodes) > 1 && t.OneIn(3):
		for p := len(c.pods) - 1; p >= 0; p-- {
			if c.pods[p].Spec.NodeName == name {
				c.removePod(p)
			}
		}
		must(c.upstream.RemoveNode(klog.Logger{}, c.nodes[i]))
		must(c.home.RemoveNode(c.nodes[i]))
		c.nodes = slices.Delete(c.nodes, i, i+1)
	default:
		node := someNode(t, name)
		c.upstream.UpdateNode(klog.Logger{}, c.nodes[i], node)
		c.home.UpdateNode(node)
		c.nodes[i] = node
	}
}
