package live

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// servedVersion is the number of the version in which a resource was served last.
type servedVersion struct{ last atomic.Int32 }

// served reads a resource in the version that the API server serves. What is read of an object has the same fields in each.
type served struct {
	client dynamic.Interface
	// resource is read in the versions, in the order in which they are tried.
	resource schema.GroupResource
	versions []string
	version  *servedVersion
	in       string // a namespace; empty for all, or if the resource is in none
	convert  conversion
}

// try asks in the version that was served last, and then in the others while there is nothing in it.
func (s served) try(ask func(dynamic.ResourceInterface) error) error {
	in := func(i int32) error {
		return ask(s.client.Resource(s.resource.WithVersion(s.versions[i])).Namespace(s.in))
	}
	last := s.version.last.Load()
	err := in(last)
	for i := range int32(len(s.versions)) {
		if !apierrors.IsNotFound(err) {
			return err
		}
		if i == last {
			continue
		}
		if err = in(i); err == nil {
			s.version.last.Store(i)
		}
	}
	return err
}

// List lists the objects.
func (s served) List(ctx context.Context, o metav1.ListOptions) (*objectList, error) {
	var found *unstructured.UnstructuredList
	err := s.try(func(in dynamic.ResourceInterface) (err error) {
		found, err = in.List(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.convert.list(found)
}

// Watch watches the objects.
func (s served) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	var events watch.Interface
	err := s.try(func(in dynamic.ResourceInterface) (err error) {
		events, err = in.Watch(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.convert.watch(events), nil
}
