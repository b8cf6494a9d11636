package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/client-go/informers/apiserverinternal"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/autoscaling"
	"k8s.io/client-go/informers/batch"
	"k8s.io/client-go/informers/certificates"
	"k8s.io/client-go/informers/coordination"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/discovery"
	"k8s.io/client-go/informers/events"
	"k8s.io/client-go/informers/extensions"
	"k8s.io/client-go/informers/flowcontrol"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/lifecycle"
	"k8s.io/client-go/informers/networking"
	"k8s.io/client-go/informers/node"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/rbac"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/informers/storagemigration"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// factory is client-go's informer factory with the store in the place of the API server. client-go's own listers use its
// informers.
type factory struct {
	store     *Store
	mu        sync.Mutex // of the map; plugins may ask for an informer on any goroutine
	informers map[reflect.Type]*informer
}

var _ informers.SharedInformerFactory = (*factory)(nil)

// InformerFor returns the informer for objects of the type of example. An informer that the store cannot serve stays empty,
// never syncs, and refuses handlers.
func (f *factory) InformerFor(example runtime.Object, _ internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	goType := reflect.TypeOf(example)
	f.mu.Lock()
	defer f.mu.Unlock()
	if in, asked := f.informers[goType]; asked {
		return in
	}
	var sh *kindStore
	if kind := world.KindOfType(goType); kind != "" {
		sh = f.store.byKind[kind]
	}
	in := newInformer(sh, goType)
	if sh != nil {
		sh.informer.Store(in)
	}
	f.informers[goType] = in
	return in
}

// ForResource returns the informer for a resource.
func (f *factory) ForResource(gvr schema.GroupVersionResource) (informers.GenericInformer, error) {
	i := slices.IndexFunc(world.Kinds(), func(kind world.Kind) bool { return kind.Resource() == gvr })
	if i < 0 {
		return nil, fmt.Errorf("no informer for %s: the store holds %v only", gvr.String(), world.Kinds())
	}
	example, err := world.New(world.Kinds()[i])
	if err != nil {
		return nil, err
	}
	in := f.InformerFor(example, nil)
	return generic{in, cache.NewGenericLister(in.GetIndexer(), gvr.GroupResource())}, nil
}

type generic struct {
	informer cache.SharedIndexInformer
	lister   cache.GenericLister
}

func (g generic) Informer() cache.SharedIndexInformer { return g.informer }
func (g generic) Lister() cache.GenericLister         { return g.lister }

// InformerName is nil: these informers have no metrics of their own.
func (f *factory) InformerName() *cache.InformerName { return nil }

// Start, Shutdown and WaitForCacheSync have nothing to start, to stop or to wait for.

func (f *factory) Start(<-chan struct{})            {}
func (f *factory) StartWithContext(context.Context) {}
func (f *factory) Shutdown()                        {}

// WaitForCacheSync reports, without waiting, which of the requested informers are served.
func (f *factory) WaitForCacheSync(<-chan struct{}) map[reflect.Type]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	synced := make(map[reflect.Type]bool, len(f.informers))
	for goType, in := range f.informers {
		synced[goType] = in.HasSynced()
	}
	return synced
}

// WaitForCacheSyncWithContext reports the same.
func (f *factory) WaitForCacheSyncWithContext(context.Context) cache.SyncResult {
	return cache.SyncResult{Synced: f.WaitForCacheSync(nil)}
}

// RequestedKinds lists the kinds whose informers were requested, in the order of world.Kinds: plugins read them beyond the
// events they registered for. A live world has to watch these.
func (s *Store) RequestedKinds() []world.Kind {
	var kinds []world.Kind
	for _, kind := range world.Kinds() {
		if sh := s.byKind[kind]; sh != nil && sh.informer.Load() != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// UnservedTypes lists, sorted, the Go types of requested informers that the store cannot serve. A plugin would wait for
// such an informer or decide without its objects, which deserves an error at the start.
func (s *Store) UnservedTypes() []string {
	if s.factory == nil {
		return nil
	}
	s.factory.mu.Lock()
	defer s.factory.mu.Unlock()
	var types []string
	for goType, in := range s.factory.informers {
		if !in.HasSynced() {
			types = append(types, goType.String())
		}
	}
	slices.Sort(types)
	return types
}

// The generated groups, as client-go's own factory returns them.

func (f *factory) Admissionregistration() admissionregistration.Interface {
	return admissionregistration.New(f, metav1.NamespaceAll, nil)
}

func (f *factory) Internal() apiserverinternal.Interface {
	return apiserverinternal.New(f, metav1.NamespaceAll, nil)
}
func (f *factory) Apps() apps.Interface { return apps.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Autoscaling() autoscaling.Interface {
	return autoscaling.New(f, metav1.NamespaceAll, nil)
}
func (f *factory) Batch() batch.Interface { return batch.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Certificates() certificates.Interface {
	return certificates.New(f, metav1.NamespaceAll, nil)
}

func (f *factory) Coordination() coordination.Interface {
	return coordination.New(f, metav1.NamespaceAll, nil)
}
func (f *factory) Core() core.Interface { return core.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Discovery() discovery.Interface { return discovery.New(f, metav1.NamespaceAll, nil) }
func (f *factory) Events() events.Interface       { return events.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Extensions() extensions.Interface {
	return extensions.New(f, metav1.NamespaceAll, nil)
}

func (f *factory) Flowcontrol() flowcontrol.Interface {
	return flowcontrol.New(f, metav1.NamespaceAll, nil)
}

func (f *factory) Lifecycle() lifecycle.Interface { return lifecycle.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Networking() networking.Interface {
	return networking.New(f, metav1.NamespaceAll, nil)
}
func (f *factory) Node() node.Interface     { return node.New(f, metav1.NamespaceAll, nil) }
func (f *factory) Policy() policy.Interface { return policy.New(f, metav1.NamespaceAll, nil) }
func (f *factory) Rbac() rbac.Interface     { return rbac.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Scheduling() scheduling.Interface {
	return scheduling.New(f, metav1.NamespaceAll, nil)
}
func (f *factory) Storage() storage.Interface { return storage.New(f, metav1.NamespaceAll, nil) }

func (f *factory) Storagemigration() storagemigration.Interface {
	return storagemigration.New(f, metav1.NamespaceAll, nil)
}
