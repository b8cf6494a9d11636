package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// Options configure Start.
type Options struct {
	Client kubernetes.Interface
	// Latency is how long the provisioner takes to create a volume.
	Latency time.Duration
	// Manager runs upstream's controllers. Without one they run in this process.
	Manager *Manager
}

// Cluster is running storage.
type Cluster struct {
	*Provisioner

	cancel context.CancelFunc
	from   informers.SharedInformerFactory
	group  sync.WaitGroup
}

// Start runs the controllers, the driver and the kubelets until Stop.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{from: informers.NewSharedInformerFactory(o.Client, 0)}
	ctx, c.cancel = context.WithCancel(ctx)
	all, err := c.parts(ctx, o)
	if err != nil {
		c.cancel()
		return nil, fmt.Errorf("starting the storage: %w", err)
	}
	c.from.Start(ctx.Done())
	c.from.WaitForCacheSync(ctx.Done())
	for _, run := range all {
		c.group.Go(func() { run(ctx) })
	}
	return c, nil
}

func (c *Cluster) parts(ctx context.Context, o Options) ([]func(context.Context), error) {
	p, all, err := driver(o.Client, c.from, o.Latency)
	kubelets, kubeletsErr := newKubelet(o.Client, c.from)
	if err := errors.Join(err, kubeletsErr); err != nil {
		return nil, err
	}
	c.Provisioner = p
	all = append(all, func(ctx context.Context) { kubelets.changed.run(ctx, kubelets.sync) })
	if o.Manager != nil {
		run, err := o.Manager.start()
		return append(all, run), err
	}
	hosted, err := controllers(ctx, o.Client, c.from)
	return append(append(all, hosted...), statefulSets(ctx, o.Client, c.from)), err
}

// Parts returns the controllers of volumes, the provisioner and the attacher: each is created on the informers, and run once
// these have been started. A volume takes the latency to be created.
func Parts(ctx context.Context, client kubernetes.Interface, from informers.SharedInformerFactory, latency time.Duration) (*Provisioner, []func(context.Context), error) {
	all, err := controllers(ctx, client, from)
	p, fake, driverErr := driver(client, from, latency)
	return p, append(all, fake...), errors.Join(err, driverErr)
}

// driver returns what is fake: the provisioner and the attacher.
func driver(client kubernetes.Interface, from informers.SharedInformerFactory, latency time.Duration) (*Provisioner, []func(context.Context), error) {
	p, provisionerErr := newProvisioner(client, from, latency)
	a, attacherErr := newAttacher(client, from)
	return p, []func(context.Context){
		func(ctx context.Context) { p.wanted.run(ctx, p.provision) },
		func(ctx context.Context) { p.released.run(ctx, p.remove) },
		func(ctx context.Context) { a.changed.run(ctx, a.attach) },
	}, errors.Join(provisionerErr, attacherErr)
}

// Stop stops all of it.
func (c *Cluster) Stop() {
	c.cancel()
	c.from.Shutdown()
	c.group.Wait()
}
