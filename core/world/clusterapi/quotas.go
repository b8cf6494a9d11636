package clusterapi

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

// Resources of pods and of claims, which the scopes of a quota may go with.
var (
	ofPods = []v1.ResourceName{
		v1.ResourcePods, v1.ResourceCPU, v1.ResourceMemory, v1.ResourceRequestsCPU, v1.ResourceRequestsMemory, v1.ResourceLimitsCPU, v1.ResourceLimitsMemory,
	}
	scopes = map[v1.ResourceQuotaScope][]v1.ResourceName{
		v1.ResourceQuotaScopeTerminating:               ofPods,
		v1.ResourceQuotaScopeNotTerminating:            ofPods,
		v1.ResourceQuotaScopeBestEffort:                ofPods[:1],
		v1.ResourceQuotaScopeNotBestEffort:             ofPods,
		v1.ResourceQuotaScopePriorityClass:             ofPods,
		v1.ResourceQuotaScopeCrossNamespacePodAffinity: ofPods,
		v1.ResourceQuotaScopeVolumeAttributesClass:     {v1.ResourcePersistentVolumeClaims, v1.ResourceRequestsStorage},
	}
)

func resourceQuota(q *v1.ResourceQuota) field.ErrorList {
	return append(podapi.Meta(&q.ObjectMeta, true, validation.NameIsDNSSubdomain), quotaSpec(&q.Spec)...)
}

func changedResourceQuota(q, old *v1.ResourceQuota) field.ErrorList {
	wrong := append(podapi.ChangedMeta(&q.ObjectMeta, &old.ObjectMeta), quotaSpec(&q.Spec)...)
	if !sets.New(q.Spec.Scopes...).Equal(sets.New(old.Spec.Scopes...)) {
		wrong = append(wrong, field.Invalid(field.NewPath("spec", "scopes"), q.Spec.Scopes, validation.FieldImmutableErrorMsg))
	}
	return wrong
}

func quotaSpec(s *v1.ResourceQuotaSpec) field.ErrorList {
	path := field.NewPath("spec")
	wrong := quotaAmounts(s.Hard, path.Child("hard"))
	at := path.Child("scopes")
	for _, scope := range s.Scopes {
		if scopes[scope] == nil {
			wrong = append(wrong, field.Invalid(at, s.Scopes, "unsupported scope"))
		}
		wrong = append(wrong, unlimited(scope, s, at, s.Scopes)...)
	}
	wrong = append(wrong, conflicts(s.Scopes, s, at)...)
	if s.ScopeSelector == nil {
		return wrong
	}
	at = path.Child("scopeSelector", "matchExpressions")
	var selected []v1.ResourceQuotaScope
	for i := range s.ScopeSelector.MatchExpressions {
		r := &s.ScopeSelector.MatchExpressions[i]
		if scopes[r.ScopeName] == nil {
			wrong = append(wrong, field.Invalid(at.Child("scopeName"), r.ScopeName, "unsupported scope"))
		}
		wrong = append(wrong, unlimited(r.ScopeName, s, at, s.ScopeSelector)...)
		wrong = append(wrong, scopeRequirement(r, at)...)
		selected = append(selected, r.ScopeName)
	}
	return append(wrong, conflicts(selected, s, at)...)
}

func quotaAmounts(list v1.ResourceList, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(list)) {
		at := path.Key(string(name))
		wrong = append(wrong, podapi.ResourceName(name, at)...)
		if !strings.Contains(string(name), "/") && !isQuotaName(name) {
			wrong = append(wrong, field.Invalid(at, name, "must be a standard resource for quota"))
		}
		wrong = append(wrong, podapi.Quantity(name, list[name], at)...)
	}
	return wrong
}

// isQuotaName reports whether a resource without a domain is one of quotas.
func isQuotaName(name v1.ResourceName) bool {
	return name != v1.ResourceStorage && podapi.IsStandard(name) ||
		strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix) || strings.HasPrefix(string(name), v1.ResourceRequestsHugePagesPrefix)
}

// unlimited returns an error for each standard resource of a quota that a scope does not go with.
func unlimited(scope v1.ResourceQuotaScope, s *v1.ResourceQuotaSpec, path *field.Path, value any) field.ErrorList {
	limits, known := scopes[scope]
	var wrong field.ErrorList
	for name := range s.Hard {
		if known && isQuotaName(name) && !slices.Contains(limits, name) {
			wrong = append(wrong, field.Invalid(path, value, "unsupported scope applied to resource"))
		}
	}
	return wrong
}

// conflicts returns an error for each pair of scopes that no pod is in.
func conflicts(list []v1.ResourceQuotaScope, s *v1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, pair := range [][2]v1.ResourceQuotaScope{
		{v1.ResourceQuotaScopeBestEffort, v1.ResourceQuotaScopeNotBestEffort}, {v1.ResourceQuotaScopeTerminating, v1.ResourceQuotaScopeNotTerminating},
	} {
		if slices.Contains(list, pair[0]) && slices.Contains(list, pair[1]) {
			wrong = append(wrong, field.Invalid(path, s.Scopes, "conflicting scopes"))
		}
	}
	return wrong
}

func scopeRequirement(r *v1.ScopedResourceSelectorRequirement, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	classed := r.ScopeName == v1.ResourceQuotaScopePriorityClass || r.ScopeName == v1.ResourceQuotaScopeVolumeAttributesClass
	if scopes[r.ScopeName] != nil && !classed && r.Operator != v1.ScopeSelectorOpExists {
		wrong = append(wrong, field.Invalid(path.Child("operator"), r.Operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "+
			"ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
	}
	switch r.Operator {
	case v1.ScopeSelectorOpIn, v1.ScopeSelectorOpNotIn:
		if len(r.Values) == 0 {
			wrong = append(wrong, field.Required(path.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
		}
	case v1.ScopeSelectorOpExists, v1.ScopeSelectorOpDoesNotExist:
		if len(r.Values) != 0 {
			wrong = append(wrong, field.Invalid(path.Child("values"), r.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	default:
		wrong = append(wrong, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	return wrong
}
