package controllerapi

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

// Create checks a new object. The rules are those for its pods. An object of another kind is valid.
func Create(o any, rules podapi.Options) field.ErrorList {
	subdomain := func(m *metav1.ObjectMeta) field.ErrorList { return podapi.Meta(m, true, validation.NameIsDNSSubdomain) }
	switch o := o.(type) {
	case *appsv1.Deployment:
		return append(subdomain(&o.ObjectMeta), deployment(&o.Spec, rules)...)
	case *appsv1.ReplicaSet:
		return append(subdomain(&o.ObjectMeta), replicaSet(&o.Spec, rules)...)
	case *v1.ReplicationController:
		return append(subdomain(&o.ObjectMeta), replicationController(o, rules)...)
	case *appsv1.StatefulSet:
		return slices.Concat(podapi.Meta(&o.ObjectMeta, true, validation.NameIsDNSLabel), claimTemplates(&o.Spec), statefulSet(&o.Spec, rules))
	case *appsv1.DaemonSet:
		return append(subdomain(&o.ObjectMeta), daemonSet(&o.Spec, rules)...)
	case *batchv1.Job:
		s := o.Spec.DeepCopy()
		nameJob(&s.Template, o.Name)
		return slices.Concat(subdomain(&o.ObjectMeta), job(s, rules), inherited(o.Labels, s.Template.Labels))
	}
	return nil
}

// inherited checks the labels that an object without any has of its template.
func inherited(own, template map[string]string) field.ErrorList {
	if len(own) > 0 {
		return nil
	}
	return metav1validation.ValidateLabels(template, field.NewPath("metadata", "labels"))
}

var spec = field.NewPath("spec")

// Update checks a change of an object, its status aside.
func Update(changed, old any, rules podapi.Options) field.ErrorList {
	switch o := changed.(type) {
	case *appsv1.Deployment:
		before := old.(*appsv1.Deployment)
		return update(&o.ObjectMeta, &before.ObjectMeta, deployment(&o.Spec, rules), immutable("selector", o.Spec.Selector, before.Spec.Selector))
	case *appsv1.ReplicaSet:
		before := old.(*appsv1.ReplicaSet)
		return update(&o.ObjectMeta, &before.ObjectMeta, replicaSet(&o.Spec, rules), immutable("selector", o.Spec.Selector, before.Spec.Selector))
	case *v1.ReplicationController:
		return update(&o.ObjectMeta, &old.(*v1.ReplicationController).ObjectMeta, replicationController(o, rules), nil)
	case *appsv1.StatefulSet:
		before := old.(*appsv1.StatefulSet)
		return update(&o.ObjectMeta, &before.ObjectMeta, statefulSet(&o.Spec, rules), changedStatefulSet(&o.Spec, &before.Spec))
	case *appsv1.DaemonSet:
		before := old.(*appsv1.DaemonSet)
		return update(&o.ObjectMeta, &before.ObjectMeta, daemonSet(&o.Spec, rules), immutable("selector", o.Spec.Selector, before.Spec.Selector))
	case *batchv1.Job:
		before := old.(*batchv1.Job)
		return update(&o.ObjectMeta, &before.ObjectMeta, job(&o.Spec, rules), changedJob(&o.Spec, &before.Spec))
	}
	return nil
}

func update(changed, old *metav1.ObjectMeta, whole, kept field.ErrorList) field.ErrorList {
	return append(append(podapi.ChangedMeta(changed, old), whole...), kept...)
}

// immutable checks that a field of the spec is what it was.
func immutable(name string, changed, old any) field.ErrorList {
	if equality.Semantic.DeepEqual(changed, old) {
		return nil
	}
	return field.ErrorList{field.Invalid(spec.Child(name), changed, validation.FieldImmutableErrorMsg)}
}
