package podapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/world/deviceapi"
)

// nameCheck checks the name of a resource.
type nameCheck func(v1.ResourceName, *field.Path) field.ErrorList

// Overhead checks the overhead of a pod or of a runtime class.
func Overhead(list v1.ResourceList, path *field.Path) field.ErrorList {
	return containerResources(list, nil, path)
}

func containerResources(limits, requests v1.ResourceList, path *field.Path) field.ErrorList {
	return resources(limits, requests, ContainerResourceName, path)
}

// resources checks limits and requests, each for itself and against each other.
func resources(limits, requests v1.ResourceList, name nameCheck, path *field.Path) field.ErrorList {
	wrong := amounts(limits, name, path.Child("limits"))
	wrong = append(wrong, amounts(requests, name, path.Child("requests"))...)
	for _, resource := range slices.Sorted(maps.Keys(requests)) {
		wrong = append(wrong, request(resource, requests[resource], limits, path)...)
	}
	if (anyHugePages(limits) || anyHugePages(requests)) && !anyCPUOrMemory(limits) && !anyCPUOrMemory(requests) {
		wrong = append(wrong, field.Forbidden(path, "HugePages require cpu or memory"))
	}
	return wrong
}

func amounts(list v1.ResourceList, name nameCheck, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, resource := range slices.Sorted(maps.Keys(list)) {
		at, q := path.Key(string(resource)), list[resource]
		wrong = append(wrong, name(resource, at)...)
		wrong = append(wrong, Quantity(resource, q, at)...)
		if isHugePages(resource) && !isMultiple(q, resource) {
			wrong = append(wrong, field.Invalid(at, q.String(), fmt.Sprintf("%s is not positive integer multiple of %s", q.String(), resource)))
		}
	}
	return wrong
}

// request checks a request against the limit. What cannot be overcommitted needs a limit that is equal.
func request(name v1.ResourceName, q resource.Quantity, limits v1.ResourceList, path *field.Path) field.ErrorList {
	at := path.Child("requests")
	limit, limited := limits[name]
	switch {
	case !limited && !MayOvercommit(name):
		return field.ErrorList{field.Required(path.Child("limits"), "Limit must be set for non overcommitable resources")}
	case limited && !MayOvercommit(name) && q.Cmp(limit) != 0:
		return field.ErrorList{field.Invalid(at, q.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String()))}
	case limited && q.Cmp(limit) > 0:
		return field.ErrorList{field.Invalid(at, q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String()))}
	}
	return nil
}

// Quantity checks an amount of a resource: not negative, and whole unless the resource can be divided.
func Quantity(name v1.ResourceName, q resource.Quantity, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if q.Sign() < 0 {
		wrong = append(wrong, field.Invalid(path, q.String(), validation.IsNegativeErrorMsg))
	}
	if isWhole(name) && q.MilliValue()%1000 != 0 {
		wrong = append(wrong, field.Invalid(path, q, "must be an integer"))
	}
	return wrong
}

// standardNames are the resources without a domain, those of quotas among them.
var standardNames = append([]v1.ResourceName{
	v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, v1.ResourceStorage,
	v1.ResourceRequestsCPU, v1.ResourceRequestsMemory, v1.ResourceRequestsStorage, v1.ResourceRequestsEphemeralStorage,
	v1.ResourceLimitsCPU, v1.ResourceLimitsMemory, v1.ResourceLimitsEphemeralStorage,
}, countedNames...)

// countedNames are the resources that are numbers of objects.
var countedNames = []v1.ResourceName{
	v1.ResourcePods, v1.ResourceQuotas, v1.ResourceServices, v1.ResourceReplicationControllers, v1.ResourceSecrets,
	v1.ResourceConfigMaps, v1.ResourcePersistentVolumeClaims, v1.ResourceServicesNodePorts, v1.ResourceServicesLoadBalancers,
}

// IsStandard reports whether a resource without a domain is one that Kubernetes has, huge pages aside.
func IsStandard(name v1.ResourceName) bool { return slices.Contains(standardNames, name) }

// ResourceName checks the name of a resource of any sort.
func ResourceName(name v1.ResourceName, path *field.Path) field.ErrorList {
	wrong := deviceapi.Invalid(path, name, utilvalidation.IsQualifiedName(string(name)))
	if len(wrong) > 0 || strings.Contains(string(name), "/") {
		return wrong
	}
	quotaHugePages := strings.HasPrefix(string(name), v1.ResourceRequestsHugePagesPrefix)
	if !IsStandard(name) && !isHugePages(name) && !quotaHugePages {
		return field.ErrorList{field.Invalid(path, name, "must be a standard resource type or fully qualified")}
	}
	return nil
}

// ContainerResourceName checks the name of a resource that containers may request.
func ContainerResourceName(name v1.ResourceName, path *field.Path) field.ErrorList {
	wrong := ResourceName(name, path)
	switch {
	case !strings.Contains(string(name), "/"):
		standard := name == v1.ResourceCPU || name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage
		if !standard && !isHugePages(name) {
			wrong = append(wrong, field.Invalid(path, name, "must be a standard resource for containers"))
		}
	case !isNative(name) && !requests.IsExtended(name):
		wrong = append(wrong, field.Invalid(path, name, "doesn't follow extended resource name standard"))
	}
	return wrong
}

func podResourceName(name v1.ResourceName, path *field.Path) field.ErrorList {
	if wrong := ResourceName(name, path); len(wrong) > 0 {
		return wrong
	}
	if !podresource.IsSupportedPodLevelResource(name) {
		known := slices.Sorted(maps.Keys(podresource.SupportedPodLevelResources()))
		return field.ErrorList{field.NotSupported(path, name, known)}
	}
	return nil
}

func isHugePages(name v1.ResourceName) bool {
	return strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
}

// isMultiple reports whether an amount of huge pages is made of whole pages.
func isMultiple(q resource.Quantity, name v1.ResourceName) bool {
	page, err := resource.ParseQuantity(strings.TrimPrefix(string(name), v1.ResourceHugePagesPrefix))
	return err == nil && page.Sign() > 0 && page.MilliValue()%1000 == 0 && q.Value()%page.Value() == 0
}

// isNative reports whether a resource is Kubernetes' own.
func isNative(name v1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), v1.ResourceDefaultNamespacePrefix)
}

// MayOvercommit reports whether more of a resource may be limited than is requested.
func MayOvercommit(name v1.ResourceName) bool { return isNative(name) && !isHugePages(name) }

func isWhole(name v1.ResourceName) bool {
	return slices.Contains(countedNames, name) || requests.IsExtended(name)
}

func anyHugePages(list v1.ResourceList) bool {
	for name := range list {
		if isHugePages(name) {
			return true
		}
	}
	return false
}

func anyCPUOrMemory(list v1.ResourceList) bool {
	_, cpu := list[v1.ResourceCPU]
	_, memory := list[v1.ResourceMemory]
	return cpu || memory
}

// podResources checks the resources of a pod as a whole, against those of its containers.
func podResources(s *v1.PodSpec, path *field.Path) field.ErrorList {
	whole := s.Resources
	if whole == nil {
		return nil
	}
	if s.OS != nil && s.OS.Name == v1.Windows {
		return field.ErrorList{field.Forbidden(path, "may not be set for a windows pod")}
	}
	var wrong field.ErrorList
	if whole.Claims != nil {
		wrong = append(wrong, field.Forbidden(path.Child("claims"), "claims may not be set for Resources at pod-level"))
	}
	wrong = append(wrong, resources(whole.Limits, whole.Requests, podResourceName, path)...)
	pod := &v1.Pod{Spec: *s}
	wrong = append(wrong, atLeast(whole.Requests, podresource.AggregateContainerRequests(pod, podresource.PodResourcesOptions{}),
		"requests", path.Child("requests"))...)
	limits := podresource.AggregateContainerLimits(pod, podresource.PodResourcesOptions{})
	maps.DeleteFunc(limits, func(name v1.ResourceName, _ resource.Quantity) bool { return !isHugePages(name) })
	wrong = append(wrong, atLeast(whole.Limits, limits, "limits", path.Child("limits"))...)
	return append(wrong, containerLimits(s, path.Child("containers"))...)
}

// atLeast checks that what a pod has as a whole is no less than its containers have together.
func atLeast(whole, sum v1.ResourceList, what string, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		if q, given := whole[name]; given && q.Cmp(sum[name]) < 0 {
			together := sum[name]
			wrong = append(wrong, field.Invalid(path.Key(string(name)), q.String(),
				fmt.Sprintf("must be greater than or equal to aggregate container %s of %s", what, together.String())))
		}
	}
	return wrong
}

func containerLimits(s *v1.PodSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range s.Containers {
		limits := s.Containers[i].Resources.Limits
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			own, whole := limits[name], s.Resources.Limits[name]
			if _, given := s.Resources.Limits[name]; given && own.Cmp(whole) > 0 {
				wrong = append(wrong, field.Invalid(path.Index(i).Key(string(name)).Child("limits"), own.String(),
					fmt.Sprintf("must be less than or equal to pod limits of %s", whole.String())))
			}
		}
	}
	return wrong
}
