// Package feed is an informer factory that is told of objects by a test. They are in the listers, and every handler has been
// called, when the call returns: nothing is left to goroutines.
package feed

import (
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// Feed is the factory. Groups that it has no method for are nil.
type Feed struct {
	informers.SharedInformerFactory
	byType map[reflect.Type]*informer
}

// New is a factory that knows of no object.
func New() *Feed { return &Feed{byType: map[reflect.Type]*informer{}} }

// informer has client-go's own index, and calls its handlers itself.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// InformerFor is what the groups ask for their informers.
func (f *Feed) InformerFor(example runtime.Object, make internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	goType := reflect.TypeOf(example)
	if f.byType[goType] == nil {
		var nobody clientset.Interface
		f.byType[goType] = &informer{SharedIndexInformer: make(nobody, 0)}
	}
	return f.byType[goType]
}

func (f *Feed) Core() core.Interface         { return core.New(f, metav1.NamespaceAll, nil) }
func (f *Feed) Apps() apps.Interface         { return apps.New(f, metav1.NamespaceAll, nil) }
func (f *Feed) Policy() policy.Interface     { return policy.New(f, metav1.NamespaceAll, nil) }
func (f *Feed) Storage() storage.Interface   { return storage.New(f, metav1.NamespaceAll, nil) }
func (f *Feed) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

func (f *Feed) Scheduling() scheduling.Interface { return scheduling.New(f, metav1.NamespaceAll, nil) }

// handle stands for a handler that was added.
type handle struct{}

func (handle) HasSynced() bool { return true }

func (in *informer) HasSynced() bool { return true }

func (in *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	in.handlers = append(in.handlers, h)
	return handle{}, nil
}

func (in *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

func (in *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

// RemoveEventHandler is called when upstream stops, after which nothing is told any more.
func (in *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }

// Set takes in an object as it is from now on.
func (f *Feed) Set(object world.Object) {
	if f.has(object) {
		f.Tell(world.Modified, object)
	} else {
		f.Tell(world.Added, object)
	}
}

// Drop takes out the object of this name, if there is one.
func (f *Feed) Drop(object world.Object) {
	if f.has(object) {
		f.Tell(world.Deleted, object)
	}
}

func (f *Feed) has(object world.Object) bool {
	in := f.byType[reflect.TypeOf(object)]
	if in == nil {
		return false
	}
	_, had, _ := in.GetIndexer().Get(object)
	return had
}

// Tell takes in one change of an object whose informer somebody has asked for. A change that cannot be is the test's mistake.
func (f *Feed) Tell(op world.Op, object world.Object) {
	in := f.byType[reflect.TypeOf(object)]
	if in == nil {
		return
	}
	index := in.GetIndexer()
	was, had, err := index.Get(object)
	switch op {
	case world.Added:
		err = index.Add(object)
	case world.Modified:
		err = index.Update(object)
	case world.Deleted:
		err = index.Delete(object)
	}
	if err != nil || had != (op != world.Added) {
		panic(fmt.Sprintf("%s %s, which is there: %v; error %v", object.GetName(), op, had, err))
	}
	for _, h := range in.handlers {
		switch op {
		case world.Added:
			h.OnAdd(object, false)
		case world.Modified:
			h.OnUpdate(was, object)
		case world.Deleted:
			h.OnDelete(object)
		}
	}
}
