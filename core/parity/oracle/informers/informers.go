// Package informers has an informer factory whose objects the caller sets. When a call returns, the listers have the object and
// every handler has been called: no goroutine is involved.
package informers

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Object is an object of the API.
type Object interface {
	metav1.Object
	runtime.Object
}

// Factory is the informer factory. API groups without a method here have no objects.
type Factory struct {
	clientinformers.SharedInformerFactory // for what later releases of client-go ask of a factory
	byType                                map[reflect.Type]*informer
	ordered                               map[reflect.Type]bool
	// Wrap, if not nil, wraps each informer that the factory returns, with what its client-go has and earlier ones have not.
	Wrap func(cache.SharedIndexInformer) cache.SharedIndexInformer
}

// New returns a factory without objects. Lists of these types are in the order of names; client-go's are in that of a map.
func New(ordered ...runtime.Object) *Factory {
	f := &Factory{
		SharedInformerFactory: clientinformers.NewSharedInformerFactory(nil, 0),
		byType:                map[reflect.Type]*informer{}, ordered: map[reflect.Type]bool{},
	}
	for _, example := range ordered {
		f.ordered[reflect.TypeOf(example)] = true
	}
	return f
}

// informer has client-go's own index, and calls its handlers itself.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
	ordered  bool
}

// GetIndexer returns the index that listers read.
func (in *informer) GetIndexer() cache.Indexer {
	if in.ordered {
		return orderedIndex{in.SharedIndexInformer.GetIndexer()}
	}
	return in.SharedIndexInformer.GetIndexer()
}

type orderedIndex struct{ cache.Indexer }

func (x orderedIndex) List() []any {
	all := x.Indexer.List()
	slices.SortFunc(all, func(a, b any) int { return cmp.Compare(a.(Object).GetName(), b.(Object).GetName()) })
	return all
}

// InformerFor returns the informer of a type, creating it if needed.
func (f *Factory) InformerFor(example runtime.Object, create internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	goType := reflect.TypeOf(example)
	if f.byType[goType] == nil {
		var none clientset.Interface
		f.byType[goType] = &informer{SharedIndexInformer: create(none, 0), ordered: f.ordered[goType]}
	}
	if f.Wrap != nil {
		return f.Wrap(f.byType[goType])
	}
	return f.byType[goType]
}

func (f *Factory) Core() core.Interface         { return core.New(f, metav1.NamespaceAll, nil) }
func (f *Factory) Apps() apps.Interface         { return apps.New(f, metav1.NamespaceAll, nil) }
func (f *Factory) Policy() policy.Interface     { return policy.New(f, metav1.NamespaceAll, nil) }
func (f *Factory) Storage() storage.Interface   { return storage.New(f, metav1.NamespaceAll, nil) }
func (f *Factory) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

func (f *Factory) Scheduling() scheduling.Interface {
	return scheduling.New(f, metav1.NamespaceAll, nil)
}

// registration is a handler's registration, which is always synced.
type registration struct {
	cache.ResourceEventHandlerRegistration // for what later releases of client-go ask of it
}

func (registration) HasSynced() bool { return true }

func (in *informer) HasSynced() bool { return true }

func (in *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	in.handlers = append(in.handlers, h)
	never, err := in.SharedIndexInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{}) // which is not started
	return registration{never}, err
}

func (in *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

func (in *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

// AddIndexers adds those that are not there yet: several schedulers may read one factory, and each adds its own.
func (in *informer) AddIndexers(indexers cache.Indexers) error {
	missing, has := cache.Indexers{}, in.SharedIndexInformer.GetIndexer().GetIndexers()
	for name, index := range indexers {
		if has[name] == nil {
			missing[name] = index
		}
	}
	return in.SharedIndexInformer.AddIndexers(missing)
}

// RemoveEventHandler is called when upstream stops, after which no object changes.
func (in *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }

// Set adds or updates an object.
func (f *Factory) Set(object Object) {
	if f.Has(object) {
		f.Update(object)
	} else {
		f.Add(object)
	}
}

// Delete deletes the object of this name, if it exists.
func (f *Factory) Delete(object Object) {
	if f.Has(object) {
		f.Remove(object)
	}
}

// Has reports whether there is an object of this name.
func (f *Factory) Has(object Object) bool {
	in := f.byType[reflect.TypeOf(object)]
	if in == nil {
		return false
	}
	_, had, _ := in.GetIndexer().Get(object)
	return had
}

// Add adds an object if its type has an informer. It panics if there is one of this name.
func (f *Factory) Add(object Object) {
	f.change(object, false, cache.Indexer.Add, func(h cache.ResourceEventHandler, _ any) { h.OnAdd(object, false) })
}

// Update changes an object if its type has an informer. It panics if there is none of this name.
func (f *Factory) Update(object Object) {
	f.change(object, true, cache.Indexer.Update, func(h cache.ResourceEventHandler, was any) { h.OnUpdate(was, object) })
}

// Remove deletes an object if its type has an informer. It panics if there is none of this name.
func (f *Factory) Remove(object Object) {
	f.change(object, true, cache.Indexer.Delete, func(h cache.ResourceEventHandler, _ any) { h.OnDelete(object) })
}

func (f *Factory) change(object Object, exists bool, write func(cache.Indexer, any) error, notify func(h cache.ResourceEventHandler, was any)) {
	in := f.byType[reflect.TypeOf(object)]
	if in == nil {
		return
	}
	index := in.GetIndexer()
	was, had, err := index.Get(object)
	if err == nil {
		err = write(index, object)
	}
	if err != nil || had != exists {
		panic(fmt.Sprintf("changing %T %s, which exists: %v; error %v", object, object.GetName(), had, err))
	}
	for _, h := range in.handlers {
		notify(h, was)
	}
}
