package deviceapi

import (
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validator checks objects. The zero value is ready for use, by one goroutine at a time.
type Validator struct {
	selectors map[selector]verdict
}

// Create checks a new object. An object of another kind is valid.
func (v *Validator) Create(o any) field.ErrorList {
	spec := field.NewPath("spec")
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		return append(newMeta(&o.ObjectMeta, true), v.claim(&o.Spec.Devices, spec.Child("devices"), false)...)
	case *resourcev1.ResourceClaimTemplate:
		return append(newMeta(&o.ObjectMeta, true), v.template(&o.Spec, spec)...)
	case *resourcev1.DeviceClass:
		return append(newMeta(&o.ObjectMeta, false), v.class(&o.Spec, nil, spec)...)
	case *resourcev1.ResourceSlice:
		return append(newMeta(&o.ObjectMeta, false), slice(&o.Spec, nil, spec)...)
	case *resourcev1alpha3.DeviceTaintRule:
		return append(newMeta(&o.ObjectMeta, false), taintRule(&o.Spec, nil, spec)...)
	}
	return nil
}

// Update checks a change of an object, its status aside.
func (v *Validator) Update(changed, old any) field.ErrorList {
	spec := field.NewPath("spec")
	switch o := changed.(type) {
	case *resourcev1.ResourceClaim:
		before := old.(*resourcev1.ResourceClaim)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), validation.ValidateImmutableField(o.Spec, before.Spec, spec)...)
	case *resourcev1.ResourceClaimTemplate:
		before := old.(*resourcev1.ResourceClaimTemplate)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), validation.ValidateImmutableField(o.Spec, before.Spec, spec)...)
	case *resourcev1.DeviceClass:
		before := old.(*resourcev1.DeviceClass)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), v.class(&o.Spec, &before.Spec, spec)...)
	case *resourcev1.ResourceSlice:
		before := old.(*resourcev1.ResourceSlice)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), slice(&o.Spec, &before.Spec, spec)...)
	case *resourcev1alpha3.DeviceTaintRule:
		before := old.(*resourcev1alpha3.DeviceTaintRule)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), taintRule(&o.Spec, &before.Spec, spec)...)
	}
	return nil
}

// UpdateStatus checks a change of an object's status.
func (v *Validator) UpdateStatus(changed, old any) field.ErrorList {
	switch o := changed.(type) {
	case *resourcev1.ResourceClaim:
		before := old.(*resourcev1.ResourceClaim)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), claimStatus(o, &before.Status)...)
	case *resourcev1alpha3.DeviceTaintRule:
		before := old.(*resourcev1alpha3.DeviceTaintRule)
		return append(changedMeta(&o.ObjectMeta, &before.ObjectMeta), taintRuleStatus(&o.Status)...)
	}
	return nil
}

func newMeta(m *metav1.ObjectMeta, namespaced bool) field.ErrorList {
	return validation.ValidateObjectMeta(m, namespaced, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

func changedMeta(changed, old *metav1.ObjectMeta) field.ErrorList {
	return validation.ValidateObjectMetaUpdate(changed, old, field.NewPath("metadata"))
}
