package sim

import (
	"errors"
	"strconv"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Store is what an election needs of the API server: optimistic concurrency by resource version. memory.Cluster implements
// it.
type Store interface {
	Get(kind world.Kind, namespace, name string) (world.Object, error)
	Create(o world.Object) (world.Object, error)
	Update(o world.Object) (world.Object, error)
}

// Leases is a Store of Leases only.
type Leases struct {
	version uint64
	leases  map[types.NamespacedName]*coordinationv1.Lease
	// OnChange, if set, receives every change.
	OnChange func(world.Changed)
}

// NewLeases returns an empty store.
func NewLeases() *Leases { return &Leases{leases: map[types.NamespacedName]*coordinationv1.Lease{}} }

var resource = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// Get returns a Lease; the kind must be Lease. The object is shared: copy it before a change.
func (l *Leases) Get(_ world.Kind, namespace, name string) (world.Object, error) {
	lease, ok := l.leases[types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return lease, nil
}

// Create adds a Lease that does not exist.
func (l *Leases) Create(o world.Object) (world.Object, error) {
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	if l.leases[key] != nil {
		return nil, apierrors.NewAlreadyExists(resource, key.Name)
	}
	return l.put(key, o, world.Added), nil
}

// Update changes a Lease at the same resource version.
func (l *Leases) Update(o world.Object) (world.Object, error) {
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	old, ok := l.leases[key]
	if !ok {
		return nil, apierrors.NewNotFound(resource, key.Name)
	}
	if v := o.GetResourceVersion(); v != "" && v != old.ResourceVersion {
		return nil, apierrors.NewConflict(resource, key.Name, errModified)
	}
	return l.put(key, o, world.Modified), nil
}

// Delete removes a Lease if it exists.
func (l *Leases) Delete(namespace, name string) {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if old, ok := l.leases[key]; ok {
		delete(l.leases, key)
		l.notify(world.Deleted, old)
	}
}

var errModified = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again")

func (l *Leases) put(key types.NamespacedName, o world.Object, op world.Op) *coordinationv1.Lease {
	lease := *o.(*coordinationv1.Lease)
	l.version++
	lease.ResourceVersion = strconv.FormatUint(l.version, 10)
	l.leases[key] = &lease
	l.notify(op, &lease)
	return &lease
}

func (l *Leases) notify(op world.Op, lease *coordinationv1.Lease) {
	if l.OnChange != nil {
		l.OnChange(world.Changed{Op: op, Object: lease})
	}
}
