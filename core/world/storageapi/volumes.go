package storageapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

func volume(v *v1.PersistentVolume) field.ErrorList {
	return append(podapi.Meta(&v.ObjectMeta, false, validation.NameIsDNSSubdomain), volumeSpec(&v.Spec, field.NewPath("spec"))...)
}

func volumeSpec(s *v1.PersistentVolumeSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if len(s.AccessModes) == 0 {
		wrong = append(wrong, field.Required(path.Child("accessModes"), ""))
	}
	wrong = append(wrong, accessModes(s.AccessModes, path.Child("accessModes"))...)
	wrong = append(wrong, capacity(s.Capacity, path.Child("capacity"))...)
	known := []v1.PersistentVolumeReclaimPolicy{v1.PersistentVolumeReclaimDelete, v1.PersistentVolumeReclaimRecycle, v1.PersistentVolumeReclaimRetain}
	if p := s.PersistentVolumeReclaimPolicy; p != "" && !slices.Contains(known, p) {
		wrong = append(wrong, field.NotSupported(path.Child("persistentVolumeReclaimPolicy"), p, known))
	}
	if s.NodeAffinity != nil {
		at := path.Child("nodeAffinity", "required")
		if s.NodeAffinity.Required == nil {
			wrong = append(wrong, field.Required(at, "must specify required node constraints"))
		} else {
			wrong = append(wrong, deviceapi.NodeSelector(s.NodeAffinity.Required, at)...)
		}
	}
	wrong = append(wrong, source(s, path)...)
	wrong = append(wrong, className(s.StorageClassName, path.Child("storageClassName"))...)
	wrong = append(wrong, volumeMode(s.VolumeMode, path.Child("volumeMode"))...)
	return append(wrong, attributes(s, path)...)
}

// capacity checks that a volume has a size and nothing else.
func capacity(list v1.ResourceList, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if len(list) == 0 {
		wrong = append(wrong, field.Required(path, ""))
	}
	if _, sized := list[v1.ResourceStorage]; !sized || len(list) > 1 {
		wrong = append(wrong, field.NotSupported(path, list, []v1.ResourceName{v1.ResourceStorage}))
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		at, q := path.Key(string(name)), list[name]
		if n := q.Value(); n < 0 {
			wrong = append(wrong, field.Invalid(at, n, "must be a valid resource quantity"))
		}
		wrong = append(wrong, positive(q, at)...)
	}
	return wrong
}

// source checks that a volume has no more than one source. The later ones of several are wrong, in the order of their fields.
func source(s *v1.PersistentVolumeSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	sources := reflect.ValueOf(s.PersistentVolumeSource)
	first := ""
	for i := range sources.NumField() {
		if sources.Field(i).IsNil() {
			continue
		}
		name, _, _ := strings.Cut(sources.Type().Field(i).Tag.Get("json"), ",")
		if first == "" {
			first = name
		} else {
			wrong = append(wrong, field.Forbidden(path.Child(name), "may not specify more than 1 volume type"))
		}
	}
	switch at := path.Child(first); first {
	case "csi":
		wrong = append(wrong, csi(s.CSI, at)...)
	case "local":
		if s.Local.Path == "" {
			wrong = append(wrong, field.Required(at.Child("path"), ""))
		}
		if s.NodeAffinity == nil {
			wrong = append(wrong, field.Required(path.Child("nodeAffinity"), "Local volume requires node affinity"))
		}
	}
	return wrong
}

func csi(c *v1.CSIPersistentVolumeSource, path *field.Path) field.ErrorList {
	wrong := driverName(c.Driver, path.Child("driver"))
	if c.VolumeHandle == "" {
		wrong = append(wrong, field.Required(path.Child("volumeHandle"), ""))
	}
	return wrong
}

// attributes checks the class of a volume's attributes, which needs a CSI driver.
func attributes(s *v1.PersistentVolumeSpec, path *field.Path) field.ErrorList {
	if s.VolumeAttributesClassName == nil {
		return nil
	}
	at := path.Child("volumeAttributesClassName")
	wrong := className(*s.VolumeAttributesClassName, at)
	if *s.VolumeAttributesClassName == "" {
		wrong = append(wrong, field.Required(at, "an empty string is disallowed"))
	}
	if s.CSI == nil {
		wrong = append(wrong, field.Required(path.Child("csi"), "has to be specified when using volumeAttributesClassName"))
	}
	return wrong
}

// changedVolume checks a change of a volume. What a new one is checked for the API server checks twice, and so says twice.
func changedVolume(v, old *v1.PersistentVolume) field.ErrorList {
	wrong := append(volume(v), volume(v)...)
	if !equality.Semantic.DeepEqual(v.Spec.PersistentVolumeSource, old.Spec.PersistentVolumeSource) {
		wrong = append(wrong, field.Forbidden(field.NewPath("spec", "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
	}
	wrong = append(wrong, validation.ValidateImmutableField(v.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	if old.Spec.NodeAffinity != nil && !equality.Semantic.DeepEqual(v.Spec.NodeAffinity, old.Spec.NodeAffinity) {
		wrong = append(wrong, field.Invalid(field.NewPath("nodeAffinity"), v.Spec.NodeAffinity, validation.FieldImmutableErrorMsg+", except for updating from beta label to GA"))
	}
	if old.Spec.VolumeAttributesClassName != nil && v.Spec.VolumeAttributesClassName == nil {
		wrong = append(wrong, field.Forbidden(field.NewPath("spec", "volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return wrong
}
