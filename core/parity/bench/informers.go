package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// informers is client-go's factory, with informers that never list or watch: the benchmark calls their handlers.
type informers struct {
	factory                          clientinformers.SharedInformerFactory
	pods, nodes, services, namespace *informer
}

func newInformers(client kubernetes.Interface) *informers {
	f := clientinformers.NewSharedInformerFactory(client, 0)
	install := func(example runtime.Object) *informer {
		i := &informer{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
		f.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return i })
		return i
	}
	return &informers{f, install(&v1.Pod{}), install(&v1.Node{}), install(&v1.Service{}), install(&v1.Namespace{})}
}

// added notifies the handlers of a new object.
func (i *informers) added(object world.Object) error {
	one, err := i.of(object)
	if err != nil {
		return err
	}
	if err := one.GetIndexer().Add(object); err != nil {
		return err
	}
	for _, handler := range one.handlers {
		handler.OnAdd(object, false)
	}
	return nil
}

// changed notifies the handlers of a pod's change.
func (i *informers) changed(c change) error {
	if c.new == nil {
		err := i.pods.GetIndexer().Delete(c.old)
		for _, handler := range i.pods.handlers {
			handler.OnDelete(c.old)
		}
		return err
	}
	err := i.pods.GetIndexer().Update(c.new)
	for _, handler := range i.pods.handlers {
		handler.OnUpdate(c.old, c.new)
	}
	return err
}

func (i *informers) of(object world.Object) (*informer, error) {
	switch object.(type) {
	case *v1.Pod:
		return i.pods, nil
	case *v1.Node:
		return i.nodes, nil
	case *v1.Service:
		return i.services, nil
	case *v1.Namespace:
		return i.namespace, nil
	}
	return nil, fmt.Errorf("there is no informer for objects of type %T", object)
}

// informer has client-go's indexer and calls its handlers directly, without a queue in between.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	return i, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *informer) HasSynced() bool { return true }
