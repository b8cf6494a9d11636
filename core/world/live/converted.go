package live

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"orrery/core/objects/workloads"
)

// conversion makes an object of a Go type of what a dynamic client reads.
type conversion func(*unstructured.Unstructured) (runtime.Object, error)

// converted lists and watches objects as a type that client-go does not know, or by which it would lose fields.
type converted struct {
	client  dynamic.ResourceInterface
	convert conversion
}

// List lists the objects.
func (c converted) List(ctx context.Context, o metav1.ListOptions) (*objectList, error) {
	found, err := c.client.List(ctx, o)
	if err != nil {
		return nil, err
	}
	return c.convert.list(found)
}

// Watch watches the objects.
func (c converted) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	events, err := c.client.Watch(ctx, o)
	if err != nil {
		return nil, err
	}
	return c.convert.watch(events), nil
}

// objectList is a list of objects of any type.
type objectList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

// DeepCopyObject returns a copy that has the same objects, which nobody changes.
func (l *objectList) DeepCopyObject() runtime.Object {
	c := *l
	c.Items = slices.Clone(l.Items)
	return &c
}

func (convert conversion) list(found *unstructured.UnstructuredList) (*objectList, error) {
	list := &objectList{ListMeta: metav1.ListMeta{
		ResourceVersion: found.GetResourceVersion(), Continue: found.GetContinue(), RemainingItemCount: found.GetRemainingItemCount(),
	}}
	for i := range found.Items {
		object, err := convert(&found.Items[i])
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, object)
	}
	return list, nil
}

// watch converts the objects of events, and those of bookmarks: a reflector takes none of another type, and waits for the bookmark that ends a
// watched list. An event that has no object, such as an error, is passed on as it is.
func (convert conversion) watch(events watch.Interface) watch.Interface {
	return watch.Filter(events, func(e watch.Event) (watch.Event, bool) {
		whole, is := e.Object.(*unstructured.Unstructured)
		if !is || e.Type == watch.Error {
			return e, true
		}
		object, err := convert(whole)
		if err != nil {
			status := apierrors.NewInternalError(err).Status()
			return watch.Event{Type: watch.Error, Object: &status}, true
		}
		e.Object = object
		return e, true
	})
}

func workloadOf(whole *unstructured.Unstructured) (runtime.Object, error) {
	workload := &workloads.Workload{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, workload)
	workload.TypeMeta = metav1.TypeMeta{} // as client-go decodes objects of kinds that it knows
	return workload, err
}

// memberOf decodes a pod of a cluster with workloads, with the group that it is a member of.
func memberOf(whole *unstructured.Unstructured) (runtime.Object, error) {
	pod := &v1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, pod); err != nil {
		return nil, err
	}
	pod.TypeMeta = metav1.TypeMeta{}
	if ref, is, _ := unstructured.NestedStringMap(whole.Object, "spec", "workloadRef"); is {
		workloads.SetRef(&pod.ObjectMeta, workloads.Reference{Name: ref["name"], PodGroup: ref["podGroup"], PodGroupReplicaKey: ref["podGroupReplicaKey"]})
	}
	return pod, nil
}
