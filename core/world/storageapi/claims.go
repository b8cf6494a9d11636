package storageapi

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

func claim(c *v1.PersistentVolumeClaim) field.ErrorList {
	return append(podapi.Meta(&c.ObjectMeta, true, validation.NameIsDNSSubdomain), ClaimSpec(&c.Spec, field.NewPath("spec"))...)
}

// ClaimSpec checks the spec of a claim or of a template of claims.
func ClaimSpec(s *v1.PersistentVolumeClaimSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if len(s.AccessModes) == 0 {
		wrong = append(wrong, field.Required(path.Child("accessModes"), "at least 1 access mode is required"))
	}
	wrong = append(wrong, metav1validation.ValidateLabelSelector(s.Selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	wrong = append(wrong, accessModes(s.AccessModes, path.Child("accessModes"))...)
	at := path.Child("resources").Key(string(v1.ResourceStorage))
	if size, requested := s.Resources.Requests[v1.ResourceStorage]; !requested {
		wrong = append(wrong, field.Required(at, ""))
	} else {
		wrong = append(wrong, positive(size, at)...)
	}
	if s.StorageClassName != nil {
		wrong = append(wrong, className(*s.StorageClassName, path.Child("storageClassName"))...)
	}
	wrong = append(wrong, volumeMode(s.VolumeMode, path.Child("volumeMode"))...)
	if s.VolumeAttributesClassName != nil {
		wrong = append(wrong, className(*s.VolumeAttributesClassName, path.Child("volumeAttributesClassName"))...)
	}
	return wrong
}

// accessModes checks that modes are known, and that one for a single pod is alone.
func accessModes(modes []v1.PersistentVolumeAccessMode, path *field.Path) field.ErrorList {
	known := []v1.PersistentVolumeAccessMode{v1.ReadOnlyMany, v1.ReadWriteMany, v1.ReadWriteOnce, v1.ReadWriteOncePod}
	var wrong field.ErrorList
	others := false
	for _, mode := range modes {
		if !slices.Contains(known, mode) {
			wrong = append(wrong, field.NotSupported(path, mode, known))
		} else if mode != v1.ReadWriteOncePod {
			others = true
		}
	}
	if others && slices.Contains(modes, v1.ReadWriteOncePod) {
		wrong = append(wrong, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return wrong
}

func volumeMode(mode *v1.PersistentVolumeMode, path *field.Path) field.ErrorList {
	if mode == nil || *mode == v1.PersistentVolumeBlock || *mode == v1.PersistentVolumeFilesystem {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, *mode, []v1.PersistentVolumeMode{v1.PersistentVolumeBlock, v1.PersistentVolumeFilesystem})}
}

func positive(q resource.Quantity, path *field.Path) field.ErrorList {
	if q.Sign() <= 0 {
		return field.ErrorList{field.Invalid(path, q.String(), "must be greater than zero")}
	}
	return nil
}

// className checks the name of a class; an empty one is none.
func className(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	return deviceapi.Invalid(path, name, utilvalidation.IsDNS1123Subdomain(name))
}

// changedClaim checks a change of a claim. Its volume may be set once, and its class if it has none; the size and the attributes of
// a bound one may change, but the size not below what there is.
func changedClaim(c, old *v1.PersistentVolumeClaim) field.ErrorList {
	wrong := append(podapi.ChangedMeta(&c.ObjectMeta, &old.ObjectMeta), claim(c)...)
	before, after := old.Annotations[v1.BetaStorageClassAnnotation], c.Annotations[v1.BetaStorageClassAnnotation]
	classed := old.Spec.StorageClassName == nil && c.Spec.StorageClassName != nil && (before == "" || before == *c.Spec.StorageClassName)
	if before != after && !(classed && before != "" && after == "") {
		wrong = append(wrong, field.Invalid(field.NewPath("metadata", "annotations", v1.BetaStorageClassAnnotation), after, validation.FieldImmutableErrorMsg))
	}
	rest := c.Spec.DeepCopy()
	if old.Spec.VolumeName == "" {
		rest.VolumeName = ""
	}
	if classed {
		rest.StorageClassName = nil
	}
	was, is := old.Spec.Resources.Requests[v1.ResourceStorage], c.Spec.Resources.Requests[v1.ResourceStorage]
	if c.Status.Phase == v1.ClaimBound {
		if rest.Resources.Requests != nil {
			rest.Resources.Requests[v1.ResourceStorage] = was
		}
		rest.VolumeAttributesClassName = old.Spec.VolumeAttributesClassName
	}
	spec := field.NewPath("spec")
	if !equality.Semantic.DeepEqual(*rest, old.Spec) {
		wrong = append(wrong, field.Forbidden(spec, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
	if there := old.Status.Capacity[v1.ResourceStorage]; is.Cmp(was) < 0 && is.Cmp(there) <= 0 {
		wrong = append(wrong, field.Forbidden(spec.Child("resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	wrong = append(wrong, validation.ValidateImmutableField(c.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	return append(wrong, keptAttributes(c.Spec.VolumeAttributesClassName, old, spec.Child("volumeAttributesClassName"))...)
}

// keptAttributes checks that a claim whose volume has the attributes of a class keeps a class.
func keptAttributes(name *string, old *v1.PersistentVolumeClaim, path *field.Path) field.ErrorList {
	switch {
	case old.Status.CurrentVolumeAttributesClassName == nil || equality.Semantic.DeepEqual(name, old.Spec.VolumeAttributesClassName):
		return nil
	case name == nil:
		return field.ErrorList{field.Forbidden(path, "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil")}
	case *name == "":
		return field.ErrorList{field.Forbidden(path, "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil")}
	}
	return nil
}
