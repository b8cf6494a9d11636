package evict

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// upstreamLifecycle is the API server with upstream's informers, whose caches are always current.
type upstreamLifecycle struct {
	mutex sync.Mutex
	*zoneCluster
	cached  cache.Indexer
	leases  cache.Indexer
	written map[string]bool // nodes, since the last pass over NoSchedule taints
}

func (w *upstreamLifecycle) react(action clienttesting.Action) (bool, runtime.Object, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if get, is := action.(clienttesting.GetAction); is && get.GetResource().Resource == "leases" { // which the cache may lag behind
		return w.lease(get.GetName())
	}
	if action.GetResource().Resource != "nodes" {
		return true, nil, errors.New("unexpected call")
	}
	switch a := action.(type) {
	case clienttesting.UpdateAction:
		return true, w.take(a.GetObject().(*v1.Node).DeepCopy()), nil
	case clienttesting.PatchAction:
		n, err := patchedNode(w.nodes[a.GetName()], a.GetPatch())
		if err != nil {
			return true, nil, err
		}
		return true, w.take(n), nil
	case clienttesting.GetAction:
		return true, w.nodes[a.GetName()], nil
	}
	return true, nil, errors.New("unexpected call")
}

// lease returns a node's lease. The caches are current, so it is the one in the informer.
func (w *upstreamLifecycle) lease(node string) (bool, runtime.Object, error) {
	o, exists, err := w.leases.GetByKey(v1.NamespaceNodeLease + "/" + node)
	if err == nil && !exists {
		err = apierrors.NewNotFound(coordinationv1.Resource("leases"), node)
	}
	lease, _ := o.(*coordinationv1.Lease)
	return true, lease, err
}

func patchedNode(n *v1.Node, patch []byte) (*v1.Node, error) {
	before, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, v1.Node{})
	if err != nil {
		return nil, err
	}
	next := n.DeepCopy()
	next.Spec.Taints = nil
	var read v1.Node
	err = json.Unmarshal(after, &read)
	next.Spec.Taints = read.Spec.Taints
	return next, err
}

func (w *upstreamLifecycle) take(n *v1.Node) *v1.Node {
	w.write(time.Now(), n)
	w.written[n.Name] = true
	_ = w.cached.Update(n)
	return n
}

// playUpstreamLifecycle calls upstream's passes in virtual time as its goroutines would: the health monitor before the
// tainting passes of the same time, and after each the NoSchedule pass for changed nodes.
func playUpstreamLifecycle(t *testing.T, h zoneHistory) (changes []string) {
	synctest.Test(t, func(t *testing.T) {
		client := &fake.Clientset{}
		factory := informers.NewSharedInformerFactory(client, 0)
		nodes, leases := factory.Core().V1().Nodes(), factory.Coordination().V1().Leases()
		w := &upstreamLifecycle{zoneCluster: newZoneCluster(h), cached: nodes.Informer().GetIndexer(), leases: leases.Informer().GetIndexer(), written: map[string]bool{}}
		client.AddReactor("*", "*", w.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		grace, startup := h.settings.GracePeriod, h.settings.StartupGracePeriod
		if !h.heartbeats {
			grace, startup = time.Hour*1e4, time.Hour*1e4
		}
		c, err := nodelifecycle.NewNodeLifecycleController(ctx, leases, factory.Core().V1().Pods(), nodes, factory.Apps().V1().DaemonSets(), client,
			h.settings.MonitorPeriod, startup, grace, float32(h.settings.EvictionRate), float32(h.settings.SecondaryEvictionRate),
			int32(h.settings.LargeClusterSizeThreshold), h.settings.UnhealthyZoneThreshold)
		if err != nil {
			t.Fatal(err)
		}
		noSchedule := func() {
			for len(w.written) > 0 {
				var names []string
				for name := range w.written {
					names = append(names, name)
				}
				clear(w.written)
				for _, name := range names {
					if err := doNoScheduleTaintingPass(c, ctx, name); err != nil {
						t.Error(err)
					}
				}
			}
		}
		pass := func(at time.Duration) {
			if at%h.settings.MonitorPeriod == 0 {
				if err := monitorNodeHealth(c, ctx); err != nil {
					t.Error(err)
				}
				noSchedule()
			}
			doNoExecuteTaintingPass(c, ctx)
			noSchedule()
		}
		change := func(objects []world.Object) {
			for _, o := range objects {
				if n, ok := o.(*v1.Node); ok {
					w.written[n.Name] = true
					_ = w.cached.Update(n)
				} else {
					_ = w.leases.Update(o)
				}
			}
			noSchedule()
		}
		pass(0)
		time.Sleep(nodesAppear)
		for _, name := range w.names() {
			change([]world.Object{w.nodes[name]})
		}
		steps := h.steps
		for at := 100 * time.Millisecond; at <= h.until; at += 100 * time.Millisecond {
			for ; len(steps) > 0 && steps[0].at < at; steps = steps[1:] {
				time.Sleep(time.Until(difftest.SynctestStart.Add(steps[0].at)))
				change(w.step(steps[0]))
			}
			time.Sleep(time.Until(difftest.SynctestStart.Add(at)))
			pass(at)
		}
		changes = w.changes
		stop()
		c.Run(ctx) // stops what New has started
	})
	return changes
}
