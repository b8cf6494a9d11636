package main

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"orrery/core/world"
)

// server is the API server of a scenario's script. Its context cancels all calls.
type server struct {
	ctx     context.Context
	client  kubernetes.Interface
	dynamic dynamic.Interface
	mapper  meta.RESTMapper
}

// Now implements budget.Server.
func (s *server) Now() time.Time { return time.Now() }

// resource returns the client for objects of a kind.
func (s *server) resource(kind world.Kind, namespace string) (dynamic.ResourceInterface, error) {
	empty, err := world.New(kind)
	if err != nil {
		return nil, err
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(empty)
	if err != nil {
		return nil, fmt.Errorf("finding the API of kind %s: %w", kind, err)
	}
	at, err := s.mapper.RESTMapping(kinds[0].GroupKind(), kinds[0].Version)
	if err != nil {
		return nil, fmt.Errorf("finding the API of kind %s: %w", kind, err)
	}
	all := s.dynamic.Resource(at.Resource)
	if at.Scope.Name() == meta.RESTScopeNameNamespace {
		return all.Namespace(namespace), nil
	}
	return all, nil
}

// Get implements budget.Server.
func (s *server) Get(kind world.Kind, namespace, name string) (world.Object, error) {
	r, err := s.resource(kind, namespace)
	if err != nil {
		return nil, err
	}
	o, err := r.Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return typed(kind, o)
}

// List implements budget.Server. It returns no objects if they cannot be listed.
func (s *server) List(kind world.Kind) []world.Object {
	r, err := s.resource(kind, metav1.NamespaceAll)
	if err != nil {
		return nil
	}
	list, err := r.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	var all []world.Object
	for i := range list.Items {
		if o, err := typed(kind, &list.Items[i]); err == nil {
			all = append(all, o)
		}
	}
	return all
}

// Create implements scenario.Server.
func (s *server) Create(o world.Object) (world.Object, error) {
	if job, ok := o.(*batchv1.Job); ok {
		complete(job)
	}
	return s.send(o, func(r dynamic.ResourceInterface, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return r.Create(s.ctx, o, metav1.CreateOptions{})
	})
}

// complete sets fields of a Job that the API needs and a scenario may leave out. Evicted and preempted pods do not count as
// failed: else a few of them would fail the Job.
func complete(job *batchv1.Job) {
	if job.Spec.Template.Spec.RestartPolicy == "" {
		job.Spec.Template.Spec.RestartPolicy = v1.RestartPolicyNever
	}
	if job.Spec.PodFailurePolicy == nil && job.Spec.Template.Spec.RestartPolicy == v1.RestartPolicyNever {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action:          batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue}},
		}}}
	}
}

// Update implements budget.Server.
func (s *server) Update(o world.Object) (world.Object, error) {
	return s.send(o, func(r dynamic.ResourceInterface, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return r.Update(s.ctx, o, metav1.UpdateOptions{})
	})
}

func (s *server) send(o world.Object, call func(dynamic.ResourceInterface, *unstructured.Unstructured) (*unstructured.Unstructured, error)) (world.Object, error) {
	kind := world.KindOf(o)
	r, err := s.resource(kind, o.GetNamespace())
	if err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("writing %s %s: %w", kind, o.GetName(), err)
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, fmt.Errorf("finding the API of kind %s: %w", kind, err)
	}
	sent := &unstructured.Unstructured{Object: fields}
	sent.SetGroupVersionKind(kinds[0])
	got, err := call(r, sent)
	if err != nil {
		return nil, err
	}
	return typed(kind, got)
}

// Delete implements budget.Server.
func (s *server) Delete(kind world.Kind, namespace, name string, o metav1.DeleteOptions) error {
	r, err := s.resource(kind, namespace)
	if err != nil {
		return err
	}
	return r.Delete(s.ctx, name, o)
}

// Evict implements budget.Server.
func (s *server) Evict(e *policyv1.Eviction) error {
	return s.client.PolicyV1().Evictions(e.Namespace).Evict(s.ctx, e)
}

func typed(kind world.Kind, from *unstructured.Unstructured) (world.Object, error) {
	o, err := world.New(kind)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, o); err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kind, from.GetName(), err)
	}
	return o, nil
}
