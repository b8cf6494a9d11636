package clusterapi

import (
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

// Create checks a new object. An object of another kind is valid.
func Create(o any) field.ErrorList {
	switch o := o.(type) {
	case *v1.Node:
		return node(o)
	case *v1.Namespace:
		return podapi.Meta(&o.ObjectMeta, false, validation.ValidateNamespaceName)
	case *v1.LimitRange:
		return limitRange(o)
	case *v1.ResourceQuota:
		return resourceQuota(o)
	case *v1.Service:
		return metav1validation.ValidateLabels(o.Spec.Selector, field.NewPath("spec", "selector"))
	case *schedulingv1.PriorityClass:
		return priorityClass(o)
	case *nodev1.RuntimeClass:
		return runtimeClass(o)
	case *policyv1.PodDisruptionBudget:
		return budget(&o.Spec, field.NewPath("spec"))
	}
	return nil
}

// Update checks a change of an object, its status aside.
func Update(changed, old any) field.ErrorList {
	switch o := changed.(type) {
	case *v1.Node:
		return append(node(o), changedNode(o, old.(*v1.Node))...)
	case *v1.Namespace:
		return append(Create(o), podapi.ChangedMeta(&o.ObjectMeta, &old.(*v1.Namespace).ObjectMeta)...)
	case *v1.ResourceQuota:
		return changedResourceQuota(o, old.(*v1.ResourceQuota))
	case *schedulingv1.PriorityClass:
		return changedPriorityClass(o, old.(*schedulingv1.PriorityClass))
	case *nodev1.RuntimeClass:
		return append(Create(o), changedRuntimeClass(o, old.(*nodev1.RuntimeClass))...)
	}
	return Create(changed)
}

// UpdateStatus checks a change of an object's status.
func UpdateStatus(changed, old any) field.ErrorList {
	if o, is := changed.(*v1.Node); is {
		return changedNode(o, old.(*v1.Node))
	}
	return nil
}
