package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// required are the resources that every container has to request, or to limit, in a namespace with a quota of them.
var required = []v1.ResourceName{
	v1.ResourceCPU, v1.ResourceMemory, v1.ResourceRequestsCPU, v1.ResourceRequestsMemory, v1.ResourceLimitsCPU, v1.ResourceLimitsMemory,
}

const countPods = v1.ResourceName("count/pods")

// ofPods are the resources that pods are measured by, besides huge pages and extended resources.
var ofPods = append([]v1.ResourceName{
	countPods, v1.ResourcePods,
	v1.ResourceEphemeralStorage, v1.ResourceRequestsEphemeralStorage, v1.ResourceLimitsEphemeralStorage,
}, required...)

// one is an amount of one of a resource.
func one(name v1.ResourceName) v1.ResourceList {
	return v1.ResourceList{name: *resource.NewQuantity(1, resource.DecimalSI)}
}

// countsPods reports whether pods are measured by a resource of quotas.
func countsPods(name v1.ResourceName) bool {
	text := string(name)
	request, isRequest := strings.CutPrefix(text, v1.DefaultResourceRequestsPrefix)
	return slices.Contains(ofPods, name) ||
		strings.HasPrefix(text, v1.ResourceHugePagesPrefix) || strings.HasPrefix(request, v1.ResourceHugePagesPrefix) ||
		isRequest && (strings.HasPrefix(request, resourcev1.ResourceDeviceClassPrefix) ||
			strings.Contains(text, "/") && !strings.Contains(text, v1.ResourceDefaultNamespacePrefix))
}

// QuotaUseOf returns what a pod uses: what it requests and limits until it has ended, or should have been gone for its grace period.
func QuotaUseOf(pod *v1.Pod, now time.Time) v1.ResourceList {
	use := one(countPods)
	if hasEnded(pod, now) {
		return use
	}
	options := podresource.PodResourcesOptions{UseStatusResources: true}
	return quotaapi.Add(use, charge(requests.Of(pod, options), requests.Limits(pod, options)))
}

func hasEnded(pod *v1.Pod, now time.Time) bool {
	if pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded {
		return true
	}
	grace := pod.DeletionGracePeriodSeconds
	return pod.DeletionTimestamp != nil && grace != nil && now.After(pod.DeletionTimestamp.Add(saturating.Seconds(*grace)))
}

// charge turns requests and limits into resources of quotas.
func charge(requested, limits v1.ResourceList) v1.ResourceList {
	use := one(v1.ResourcePods)
	for name, q := range requested {
		text := string(name)
		hugePages := strings.HasPrefix(text, v1.ResourceHugePagesPrefix)
		native := name == v1.ResourceCPU || name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage || hugePages
		if native {
			use[name] = q
		}
		if native || requests.IsExtended(name) || strings.HasPrefix(text, resourcev1.ResourceDeviceClassPrefix) {
			use[v1.DefaultResourceRequestsPrefix+name] = q
		}
	}
	for name, limit := range map[v1.ResourceName]v1.ResourceName{
		v1.ResourceCPU: v1.ResourceLimitsCPU, v1.ResourceMemory: v1.ResourceLimitsMemory, v1.ResourceEphemeralStorage: v1.ResourceLimitsEphemeralStorage,
	} {
		if q, limited := limits[name]; limited {
			use[limit] = q
		}
	}
	return use
}

// unspecified returns an error if containers lack a request or limit that quotas require. Resources of the whole pod do instead.
func unspecified(names []v1.ResourceName, pod *v1.Pod) error {
	if podresource.IsPodLevelResourcesSet(pod) {
		return nil
	}
	lacking := map[v1.ResourceName][]string{}
	for c := range Containers(&pod.Spec) {
		use := charge(c.Resources.Requests, c.Resources.Limits)
		for _, name := range names {
			if _, said := use[name]; !said && slices.Contains(required, name) {
				lacking[name] = append(lacking[name], c.Name)
			}
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(lacking)) {
		slices.Sort(lacking[name])
		all = append(all, fmt.Sprintf("%s for: %s", name, strings.Join(slices.Compact(lacking[name]), ",")))
	}
	return fmt.Errorf("must specify %s", strings.Join(all, "; "))
}

// podInScope reports whether a quota of a scope is for a pod.
func podInScope(scope v1.ScopedResourceSelectorRequirement, o runtime.Object) (bool, error) {
	pod := o.(*v1.Pod)
	switch scope.ScopeName {
	case v1.ResourceQuotaScopeTerminating:
		return hasDeadline(pod), nil
	case v1.ResourceQuotaScopeNotTerminating:
		return !hasDeadline(pod), nil
	case v1.ResourceQuotaScopeBestEffort:
		return qosClass(pod) == v1.PodQOSBestEffort, nil
	case v1.ResourceQuotaScopeNotBestEffort:
		return qosClass(pod) != v1.PodQOSBestEffort, nil
	case v1.ResourceQuotaScopePriorityClass:
		return selected(scope, pod.Spec.PriorityClassName)
	case v1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossesNamespaces(pod), nil
	}
	return false, nil
}

func hasDeadline(pod *v1.Pod) bool {
	return pod.Spec.ActiveDeadlineSeconds != nil && *pod.Spec.ActiveDeadlineSeconds >= 0
}

// operators are those of selectors, by those of scopes.
var operators = map[v1.ScopeSelectorOperator]selection.Operator{
	v1.ScopeSelectorOpIn: selection.In, v1.ScopeSelectorOpNotIn: selection.NotIn,
	v1.ScopeSelectorOpExists: selection.Exists, v1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
}

// selected reports whether a scope selects the name of a class, or, with an empty name, an object without one.
func selected(scope v1.ScopedResourceSelectorRequirement, class string) (bool, error) {
	if scope.Operator == v1.ScopeSelectorOpExists {
		return class != "", nil
	}
	key := string(scope.ScopeName)
	r, err := labels.NewRequirement(key, operators[scope.Operator], scope.Values)
	if err != nil {
		return false, fmt.Errorf("failed to parse and convert selector: %w", err)
	}
	set := labels.Set{}
	if class != "" {
		set[key] = class
	}
	return r.Matches(set), nil
}

func crossesNamespaces(pod *v1.Pod) bool {
	for term := range affinityTerms(pod.Spec.Affinity) {
		if len(term.Namespaces) > 0 || term.NamespaceSelector != nil {
			return true
		}
	}
	return false
}
