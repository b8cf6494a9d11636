// Package informers has the informer factory of package oracle/informers, whose objects change as those of Orrery's world do.
package informers

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"orrery/core/parity/oracle/informers"
	"orrery/core/world"
)

// Factory is the informer factory.
type Factory struct{ *informers.Factory }

// New returns a factory without objects. Lists of these types are in the order of names.
func New(ordered ...runtime.Object) *Factory {
	f := informers.New(ordered...)
	f.Wrap = func(in cache.SharedIndexInformer) cache.SharedIndexInformer { return synced{in} }
	return &Factory{f}
}

// synced is an informer that says to those who wait by a channel, as client-go lets them since 1.36, that it and its handlers are synced.
type synced struct{ cache.SharedIndexInformer }

// syncedHandler is a handler's registration with such an informer.
type syncedHandler struct {
	cache.ResourceEventHandlerRegistration
}

func (synced) HasSyncedChecker() cache.DoneChecker        { return done{} }
func (syncedHandler) HasSyncedChecker() cache.DoneChecker { return done{} }

func (s synced) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

func (s synced) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

func (s synced) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	r, err := s.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
	return syncedHandler{r}, err
}

// done is over from the beginning.
type done struct{}

func (done) Name() string { return "an informer without a server" }

func (done) Done() <-chan struct{} {
	over := make(chan struct{})
	close(over)
	return over
}

// Apply applies a change of an object if its type has an informer. It panics on an impossible change, such as the deletion
// of a missing object.
func (f *Factory) Apply(op world.Op, object world.Object) {
	switch op {
	case world.Added:
		f.Add(object)
	case world.Modified:
		f.Update(object)
	case world.Deleted:
		f.Remove(object)
	}
}
