package deviceapi

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/objects/requests"
)

// class checks a device class. Selectors and configurations that did not change count as stored.
func (v *Validator) class(spec, old *resourcev1.DeviceClassSpec, path *field.Path) field.ErrorList {
	stored := old != nil && equality.Semantic.DeepEqual(spec.Selectors, old.Selectors)
	wrong := v.selectorList(spec.Selectors, path.Child("selectors"), stored)
	stored = old != nil && equality.Semantic.DeepEqual(spec.Config, old.Config)
	wrong = append(wrong, each(spec.Config, resourcev1.DeviceConfigMaxSize, path.Child("config"),
		func(c *resourcev1.DeviceClassConfiguration, at *field.Path) field.ErrorList {
			return configuration(&c.DeviceConfiguration, at, stored)
		})...)
	if name := spec.ExtendedResourceName; name != nil && !requests.IsExtended(v1.ResourceName(*name)) {
		wrong = append(wrong, field.Invalid(path.Child("extendedResourceName"), *name, "must be a valid extended resource name"))
	}
	return wrong
}
