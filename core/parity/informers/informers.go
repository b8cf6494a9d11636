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

	"orrery/core/world"
)

// Factory is the informer factory. API groups without a method here are nil.
type Factory struct {
	clientinformers.SharedInformerFactory
	byType  map[reflect.Type]*informer
	ordered map[reflect.Type]bool
}

// New returns a factory without objects. Lists of these types are in the order of names; client-go's are in that of a map.
func New(ordered ...runtime.Object) *Factory {
	f := &Factory{byType: map[reflect.Type]*informer{}, ordered: map[reflect.Type]bool{}}
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
	slices.SortFunc(all, func(a, b any) int { return cmp.Compare(a.(world.Object).GetName(), b.(world.Object).GetName()) })
	return all
}

// InformerFor returns the informer of a type, creating it if needed.
func (f *Factory) InformerFor(example runtime.Object, create internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	goType := reflect.TypeOf(example)
	if f.byType[goType] == nil {
		var none clientset.Interface
		f.byType[goType] = &informer{SharedIndexInformer: create(none, 0), ordered: f.ordered[goType]}
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
type registration struct{}

func (registration) HasSynced() bool { return true }

func (in *informer) HasSynced() bool { return true }

func (in *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	in.handlers = append(in.handlers, h)
	return registration{}, nil
}

func (in *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

func (in *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

// RemoveEventHandler is called when upstream stops, after which no object changes.
func (in *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }

// Set adds or updates an object.
func (f *Factory) Set(object world.Object) {
	if f.has(object) {
		f.Apply(world.Modified, object)
	} else {
		f.Apply(world.Added, object)
	}
}

// Delete deletes the object of this name, if it exists.
func (f *Factory) Delete(object world.Object) {
	if f.has(object) {
		f.Apply(world.Deleted, object)
	}
}

func (f *Factory) has(object world.Object) bool {
	in := f.byType[reflect.TypeOf(object)]
	if in == nil {
		return false
	}
	_, had, _ := in.GetIndexer().Get(object)
	return had
}

// Apply applies a change of an object if its type has an informer. It panics on an impossible change, such as the deletion
// of a missing object.
func (f *Factory) Apply(op world.Op, object world.Object) {
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
		panic(fmt.Sprintf("%s %s, which exists: %v; error %v", object.GetName(), op, had, err))
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
