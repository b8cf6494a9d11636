package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// informer is client-go's shared informer for one kind. It has no goroutine and no queue: a change reaches every
// handler, in the order of their registration, before the store takes in the next.
type informer struct {
	kindStore *kindStore // an empty one of its own when the kind is not served
	served    bool
	goType    reflect.Type
	handlers  []*registration
	indexes   []*customIndex
}

var (
	_ cache.SharedIndexInformer = (*informer)(nil)
	_ cache.Controller          = (*informer)(nil)
)

// registration is the handle of a registered handler. It is in sync when the handler has received all existing objects.
type registration struct {
	handler cache.ResourceEventHandler
	synced  atomic.Bool
	done    chan struct{} // closed when in sync
}

func (r *registration) HasSynced() bool { return r.synced.Load() }

// HasSyncedChecker tells when the handler is in sync.
func (r *registration) HasSyncedChecker() cache.DoneChecker { return whenDone{"handler", r.done} }

// whenDone tells when something has happened: its channel is closed then.
type whenDone struct {
	name string
	done <-chan struct{}
}

func (w whenDone) Name() string          { return w.name }
func (w whenDone) Done() <-chan struct{} { return w.done }

var (
	already = closedChannel()
	never   = make(chan struct{})
)

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func newInformer(sh *kindStore, goType reflect.Type) *informer {
	if sh == nil {
		return &informer{kindStore: newKindStore("", &guard{}), goType: goType}
	}
	return &informer{kindStore: sh, served: true, goType: goType}
}

func (in *informer) updateIndexes(d Delta) {
	for _, index := range in.indexes {
		index.update(d.Old, d.New)
	}
}

// notify calls the handlers. A handler may register or remove handlers; it must not change the store.
func (in *informer) notify(d Delta) {
	for _, r := range in.handlers {
		in.call(func() {
			switch d.Op {
			case world.Added:
				r.handler.OnAdd(d.New, false)
			case world.Modified:
				r.handler.OnUpdate(d.Old, d.New)
			case world.Deleted:
				r.handler.OnDelete(d.Old)
			}
		})
	}
}

// call calls a handler.
func (in *informer) call(handler func()) {
	if report := in.kindStore.guard.onPanic; report != nil {
		defer func() {
			if value := recover(); value != nil {
				report(in.kindStore.kind, value)
			}
		}()
	}
	handler()
}

// AddEventHandler registers a handler and calls OnAdd for every existing object, in order. That has happened when it returns,
// unless a plugin of a running engine calls it: then it happens before the engine's next input or decision.
func (in *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	if !in.served {
		return nil, fmt.Errorf("adding a handler for %s: the store is not told of objects of this type", in.goType)
	}
	r := &registration{handler: handler, done: make(chan struct{})}
	in.kindStore.guard.handlers(func() {
		in.kindStore.objects.all(func(o world.Object) bool {
			in.call(func() { handler.OnAdd(o, true) })
			return true
		})
		in.handlers = append(in.handlers, r)
		r.synced.Store(true)
		close(r.done)
	})
	return r, nil
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: a resync would only repeat objects.
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

// RemoveEventHandler removes a handler; an unknown one is no error.
func (in *informer) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	in.kindStore.guard.handlers(func() {
		// A fresh slice, as notify may be walking the old one.
		in.handlers = slices.DeleteFunc(slices.Clone(in.handlers), func(r *registration) bool { return handle == r })
	})
	return nil
}

// AddIndexers adds indexes over present and future objects.
func (in *informer) AddIndexers(indexers cache.Indexers) error {
	return in.GetIndexer().AddIndexers(indexers)
}

func (in *informer) GetIndexer() cache.Indexer { return indexer{in} }
func (in *informer) GetStore() cache.Store     { return indexer{in} }

// GetController returns the informer, which implements cache.Controller.
func (in *informer) GetController() cache.Controller { return in }

// HasSynced reports whether the store serves this kind. A served kind is always in sync.
func (in *informer) HasSynced() bool { return in.served }

// HasSyncedChecker tells the same.
func (in *informer) HasSyncedChecker() cache.DoneChecker {
	if in.served {
		return whenDone{in.goType.String(), already}
	}
	return whenDone{in.goType.String(), never}
}

// Run returns when stop is closed, as callers expect; it does nothing else.
func (in *informer) Run(stop <-chan struct{}) { <-stop }

// RunWithContext is Run.
func (in *informer) RunWithContext(ctx context.Context) { <-ctx.Done() }

func (in *informer) IsStopped() bool                 { return false }
func (in *informer) LastSyncResourceVersion() string { return "" }

// SetWatchErrorHandler does nothing: the world watches.
func (in *informer) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }

// SetWatchErrorHandlerWithContext does nothing either.
func (in *informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}

// SetTransform fails: all readers share the objects.
func (in *informer) SetTransform(cache.TransformFunc) error {
	return errors.New("an informer that is served from the store cannot transform objects: transform them where they are read")
}
