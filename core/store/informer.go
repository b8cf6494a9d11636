package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// informer is client-go's shared informer for one kind. It has no goroutine and no queue: a change reaches every
// handler, in the order of their registration, before the store takes in the next.
type informer struct {
	shelf    *shelf // an empty one that is nobody else's when the kind is not served
	served   bool
	goType   reflect.Type
	handlers []*registration
	indexes  []*customIndex
}

var (
	_ cache.SharedIndexInformer = (*informer)(nil)
	_ cache.Controller          = (*informer)(nil)
)

// registration is a handler's ticket. It has seen what there was by the time it is handed out.
type registration struct{ handler cache.ResourceEventHandler }

func (*registration) HasSynced() bool { return true }

func newInformer(sh *shelf, goType reflect.Type) *informer {
	if sh == nil {
		return &informer{shelf: newShelf(&kindEntry{}), goType: goType}
	}
	return &informer{shelf: sh, served: true, goType: goType}
}

// notify keeps the indexes up to date and calls the handlers. A handler may register or remove handlers; it must not
// tell the store anything.
func (in *informer) notify(d Delta) {
	for _, index := range in.indexes {
		index.update(d.Old, d.New)
	}
	for _, r := range in.handlers {
		switch d.Op {
		case world.Added:
			r.handler.OnAdd(d.New, false)
		case world.Modified:
			r.handler.OnUpdate(d.Old, d.New)
		case world.Deleted:
			r.handler.OnDelete(d.Old)
		}
	}
}

// AddEventHandler registers a handler and tells it of every object there is, in order, before it returns.
func (in *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	if !in.served {
		return nil, fmt.Errorf("adding a handler for %s: the store is not told of objects of this type", in.goType)
	}
	in.shelf.objects.all(func(o world.Object) bool {
		handler.OnAdd(o, true)
		return true
	})
	r := &registration{handler}
	in.handlers = append(in.handlers, r)
	return r, nil
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: what a resync repeats, the store has told already.
func (in *informer) AddEventHandlerWithResyncPeriod(
	handler cache.ResourceEventHandler, _ time.Duration,
) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(handler)
}

// AddEventHandlerWithOptions is AddEventHandler.
func (in *informer) AddEventHandlerWithOptions(
	handler cache.ResourceEventHandler, _ cache.HandlerOptions,
) (cache.ResourceEventHandlerRegistration, error) {
	return in.AddEventHandler(handler)
}

// RemoveEventHandler takes a handler out; one that is not there is no error.
func (in *informer) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	// A fresh slice, as notify may be walking the old one.
	in.handlers = slices.DeleteFunc(slices.Clone(in.handlers), func(r *registration) bool { return handle == r })
	return nil
}

// AddIndexers adds indexes over what there is and what will come.
func (in *informer) AddIndexers(indexers cache.Indexers) error {
	return in.GetIndexer().AddIndexers(indexers)
}

func (in *informer) GetIndexer() cache.Indexer { return indexer{in} }
func (in *informer) GetStore() cache.Store     { return indexer{in} }

// GetController is the informer itself, which is all a controller is asked for.
func (in *informer) GetController() cache.Controller { return in }

// HasSynced tells whether the store is told of this kind. What it holds is what the cluster has told of, always.
func (in *informer) HasSynced() bool { return in.served }

// Run returns when it is told to, as callers expect; nothing happens meanwhile.
func (in *informer) Run(stop <-chan struct{}) { <-stop }

// RunWithContext is Run.
func (in *informer) RunWithContext(ctx context.Context) { <-ctx.Done() }

func (in *informer) IsStopped() bool                 { return false }
func (in *informer) LastSyncResourceVersion() string { return "" }

// SetWatchErrorHandler has nothing to set: watching is the world's concern.
func (in *informer) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }

// SetWatchErrorHandlerWithContext has nothing to set either.
func (in *informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}

// SetTransform is refused: a transformed object would be another one than everybody else reads.
func (in *informer) SetTransform(cache.TransformFunc) error {
	return errors.New("an informer that is served from the store cannot transform objects: transform them where they are read")
}
