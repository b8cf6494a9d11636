package storageapi

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

func class(c *storagev1.StorageClass) field.ErrorList {
	wrong := podapi.Meta(&c.ObjectMeta, false, validation.NameIsDNSSubdomain)
	if at := field.NewPath("provisioner"); c.Provisioner == "" {
		wrong = append(wrong, field.Required(at, ""))
	} else {
		wrong = append(wrong, deviceapi.Invalid(at, c.Provisioner, utilvalidation.IsQualifiedName(strings.ToLower(c.Provisioner)))...)
	}
	policies := []v1.PersistentVolumeReclaimPolicy{v1.PersistentVolumeReclaimDelete, v1.PersistentVolumeReclaimRetain}
	if p := c.ReclaimPolicy; p != nil && *p != "" && !slices.Contains(policies, *p) {
		wrong = append(wrong, field.NotSupported(field.NewPath("reclaimPolicy"), *p, policies))
	}
	modes := []storagev1.VolumeBindingMode{storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer}
	if m := c.VolumeBindingMode; m == nil {
		wrong = append(wrong, field.Required(field.NewPath("volumeBindingMode"), ""))
	} else if !slices.Contains(modes, *m) {
		wrong = append(wrong, field.NotSupported(field.NewPath("volumeBindingMode"), *m, modes))
	}
	return append(wrong, topologies(c.AllowedTopologies, field.NewPath("allowedTopologies"))...)
}

// topologies checks the terms for where volumes may be, of which none is empty and no two are alike.
func topologies(terms []v1.TopologySelectorTerm, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	seen := make([]map[string]map[string]bool, len(terms)) // empty ones, so that empty terms are as wrong as in the API server
	for i := range terms {
		at := path.Index(i).Child("matchLabelExpressions")
		values := map[string]map[string]bool{}
		for j, r := range terms[i].MatchLabelExpressions {
			wrong = append(wrong, topology(r, at.Index(j))...)
			if values[r.Key] != nil {
				wrong = append(wrong, field.Duplicate(at.Index(j).Child("key"), r.Key))
			}
			values[r.Key] = map[string]bool{}
			for _, value := range r.Values {
				values[r.Key][value] = true
			}
		}
		for _, other := range seen {
			if maps.EqualFunc(values, other, maps.Equal) {
				wrong = append(wrong, field.Duplicate(at, ""))
			}
		}
		seen = append(seen, values)
	}
	return wrong
}

func topology(r v1.TopologySelectorLabelRequirement, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	at := path.Child("values")
	if len(r.Values) == 0 {
		wrong = append(wrong, field.Required(at, ""))
	}
	for i, value := range r.Values {
		if slices.Contains(r.Values[:i], value) {
			wrong = append(wrong, field.Duplicate(at.Index(i), value))
		}
	}
	return append(wrong, metav1validation.ValidateLabelName(r.Key, path.Child("key"))...)
}

func changedClass(c, old *storagev1.StorageClass) field.ErrorList {
	wrong := append(class(c), podapi.ChangedMeta(&c.ObjectMeta, &old.ObjectMeta)...)
	if !maps.Equal(c.Parameters, old.Parameters) {
		wrong = append(wrong, field.Forbidden(field.NewPath("parameters"), "updates to parameters are forbidden."))
	}
	if c.Provisioner != old.Provisioner {
		wrong = append(wrong, field.Forbidden(field.NewPath("provisioner"), "updates to provisioner are forbidden."))
	}
	if !equality.Semantic.DeepEqual(c.ReclaimPolicy, old.ReclaimPolicy) {
		wrong = append(wrong, field.Forbidden(field.NewPath("reclaimPolicy"), "updates to reclaimPolicy are forbidden."))
	}
	return append(wrong, validation.ValidateImmutableField(c.VolumeBindingMode, old.VolumeBindingMode, field.NewPath("volumeBindingMode"))...)
}
