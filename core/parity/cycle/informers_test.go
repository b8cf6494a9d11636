package cycle

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

// feed is an informer factory that is told of objects by the test: they are in the listers, and every handler has been
// called, when the call returns.
type feed struct {
	informers.SharedInformerFactory // for the groups that nobody asks for
	byType                          map[reflect.Type]*informer
}

func newFeed() *feed { return &feed{byType: map[reflect.Type]*informer{}} }

// informer has client-go's own index, and calls its handlers itself.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

func (f *feed) InformerFor(example runtime.Object, make internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	goType := reflect.TypeOf(example)
	if f.byType[goType] == nil {
		var nobody clientset.Interface
		f.byType[goType] = &informer{SharedIndexInformer: make(nobody, 0)}
	}
	return f.byType[goType]
}

func (f *feed) Core() core.Interface         { return core.New(f, metav1.NamespaceAll, nil) }
func (f *feed) Apps() apps.Interface         { return apps.New(f, metav1.NamespaceAll, nil) }
func (f *feed) Policy() policy.Interface     { return policy.New(f, metav1.NamespaceAll, nil) }
func (f *feed) Storage() storage.Interface   { return storage.New(f, metav1.NamespaceAll, nil) }
func (f *feed) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

func (f *feed) Scheduling() scheduling.Interface { return scheduling.New(f, metav1.NamespaceAll, nil) }

type synced struct{}

func (synced) HasSynced() bool { return true }

func (in *informer) HasSynced() bool { return true }

func (in *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	in.handlers = append(in.handlers, h)
	return synced{}, nil
}

func (in *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

func (in *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(h)
}

// tell takes in one change of an object whose informer somebody has asked for.
func (f *feed) tell(op world.Op, object world.Object) {
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
