package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	cached "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/storage"
	"orrery/core/world"
	"orrery/demo/scenario"
)

// cluster is a cluster without a scheduler: API server, controllers, kubelets.
type cluster struct {
	server
	config  *rest.Config
	api     *apiserver.Server
	from    informers.SharedInformerFactory
	changes chan world.Changed // of pods and PodDisruptionBudgets
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

// newCluster starts a cluster in a directory. Its pods start, run and stop as the scenario says.
func newCluster(dir string, s *scenario.Scenario) (*cluster, error) {
	api, err := apiserver.New(apiserver.Options{Dir: dir, Tainted: true})
	if err != nil {
		return nil, err
	}
	c := &cluster{api: api, config: api.Config(apiserver.Admin), changes: make(chan world.Changed, 1024)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if err := c.populate(s); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// populate starts the controllers and the kubelets.
func (c *cluster) populate(s *scenario.Scenario) (err error) {
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	if c.dynamic, err = dynamic.NewForConfig(c.config); err != nil {
		return err
	}
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(cached.NewMemCacheClient(c.client.Discovery()))
	c.from = informers.NewSharedInformerFactory(c.client, 0)
	all, err := controllers(c.ctx, c.config, c.client, c.mapper, c.from)
	if err != nil {
		return err
	}
	k := &kubelets{ctx: c.ctx, client: c.client, life: s.PodLife, mounts: storage.NewMounts(c.from), group: &c.group, pods: map[types.UID]*podState{}, nodes: map[types.UID]bool{}}
	if err := c.watch(k); err != nil {
		return err
	}
	c.from.Start(c.ctx.Done())
	c.from.WaitForCacheSync(c.ctx.Done())
	for _, run := range all {
		c.group.Go(func() { run(c.ctx) })
	}
	return nil
}

// watch passes pods and nodes to the kubelets, and pods and budgets to the script.
func (c *cluster) watch(k *kubelets) error {
	pods, nodes, budgets := c.from.Core().V1().Pods().Informer(), c.from.Core().V1().Nodes().Informer(), c.from.Policy().V1().PodDisruptionBudgets().Informer()
	_, podsErr := pods.AddEventHandler(handler(func(op world.Op, pod *v1.Pod) {
		if op == world.Deleted {
			k.deleted(pod)
		} else {
			k.pod(pod)
		}
		c.forward(world.Changed{Op: op, Object: pod})
	}))
	_, nodesErr := nodes.AddEventHandler(handler(func(op world.Op, node *v1.Node) {
		if op != world.Deleted {
			k.node(node)
		}
	}))
	_, budgetsErr := budgets.AddEventHandler(handler(func(op world.Op, pdb *policyv1.PodDisruptionBudget) {
		c.forward(world.Changed{Op: op, Object: pdb})
	}))
	return errors.Join(podsErr, nodesErr, budgetsErr)
}

func (c *cluster) forward(change world.Changed) {
	select {
	case c.changes <- change:
	case <-c.ctx.Done():
	}
}

// handler calls handle with the changes of objects of one type.
func handler[T any](handle func(world.Op, T)) cache.ResourceEventHandlerFuncs {
	to := func(op world.Op, o any) {
		if last, gone := o.(cache.DeletedFinalStateUnknown); gone {
			o = last.Obj
		}
		if object, ok := o.(T); ok {
			handle(op, object)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { to(world.Added, o) },
		UpdateFunc: func(_, o any) { to(world.Modified, o) },
		DeleteFunc: func(o any) { to(world.Deleted, o) },
	}
}

// close stops everything, the API server last.
func (c *cluster) close() error {
	c.cancel()
	if c.from != nil {
		c.from.Shutdown()
	}
	c.group.Wait()
	if err := c.api.Close(); err != nil {
		return fmt.Errorf("stopping the cluster: %w", err)
	}
	return nil
}
