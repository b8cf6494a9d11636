package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// informers is client-go's factory, with informers that never list or watch: the benchmark calls their handlers.
type informers struct {
	factory clientinformers.SharedInformerFactory
	of      map[world.Kind]*informer
}

// watchedKinds has an example of every kind in the clusters.
var watchedKinds = []world.Object{
	&v1.Pod{}, &v1.Node{}, &v1.Service{}, &v1.Namespace{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{},
	&storagev1.StorageClass{}, &storagev1.CSINode{}, &storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{},
	&resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}, &resourcev1.DeviceClass{},
}

func newInformers(client kubernetes.Interface) *informers {
	i := &informers{clientinformers.NewSharedInformerFactory(client, 0), map[world.Kind]*informer{}}
	for _, example := range watchedKinds {
		one := &informer{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
		i.factory.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return one })
		i.of[world.KindOf(example)] = one
	}
	return i
}

// added notifies the handlers of a new object.
func (i *informers) added(object world.Object) error { return i.changed(change{new: object}) }

// changed notifies the handlers of a change.
func (i *informers) changed(c change) error {
	object := c.new
	if object == nil {
		object = c.old
	}
	one := i.of[world.KindOf(object)]
	if one == nil {
		return fmt.Errorf("there is no informer for objects of type %T", object)
	}
	return one.changed(c)
}

// informer has client-go's indexer and calls its handlers directly, without a queue in between.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// changed updates the indexer, then calls the handlers.
func (i *informer) changed(c change) error {
	switch {
	case c.new == nil:
		err := i.GetIndexer().Delete(c.old)
		for _, handler := range i.handlers {
			handler.OnDelete(c.old)
		}
		return err
	case c.old == nil:
		err := i.GetIndexer().Add(c.new)
		for _, handler := range i.handlers {
			handler.OnAdd(c.new, false)
		}
		return err
	}
	err := i.GetIndexer().Update(c.new)
	for _, handler := range i.handlers {
		handler.OnUpdate(c.old, c.new)
	}
	return err
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
