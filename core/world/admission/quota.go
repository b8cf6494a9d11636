package admission

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"

	"orrery/core/world"
)

// ResourceQuota is the kind of quotas. No scheduler reads them.
const ResourceQuota world.Kind = "ResourceQuota"

// withinQuotas refuses a pod that would use more than the quotas of its namespace have left, and charges them. It is ResourceQuota, for
// pods.
func withinQuotas(r Reader, q *Request) error {
	pod, isPod := q.Object.(*v1.Pod)
	if !isPod {
		return nil
	}
	var before []v1.ResourceQuota
	for _, one := range r.List(ResourceQuota) {
		if one.GetNamespace() == pod.Namespace {
			before = append(before, *one.(*v1.ResourceQuota))
		}
	}
	if len(before) == 0 {
		return nil
	}
	operation, old := apiadmission.Create, runtime.Object(nil)
	if q.Old != nil {
		operation, old = apiadmission.Update, q.Old
	}
	wanted := apiadmission.NewAttributesRecord(pod, old, schema.GroupVersionKind{}, pod.Namespace, pod.Name, q.Resource, q.Subresource, operation, nil, false, nil)
	after, err := resourcequota.CheckRequest(before, wanted, QuotaForPods(r.Now()), nil)
	if err != nil {
		return err
	}
	for i := range after {
		if !quotaapi.Equals(before[i].Status.Used, after[i].Status.Used) {
			q.Charged = append(q.Charged, &after[i])
		}
	}
	return nil
}

// QuotaUsed returns what the pods of a quota's namespace use of it.
func QuotaUsed(q *v1.ResourceQuota, pods []runtime.Object, now time.Time) (v1.ResourceList, error) {
	names := quotaapi.ResourceNames(q.Spec.Hard)
	list := func(string) ([]runtime.Object, error) { return pods, nil }
	measure := podMeasure{now}
	stats, err := generic.CalculateUsageStats(quotaapi.UsageStatsOptions{
		Namespace: q.Namespace, Resources: measure.MatchingResources(names), Scopes: q.Spec.Scopes, ScopeSelector: q.Spec.ScopeSelector,
	}, list, podInScope, measure.Usage)
	if err != nil {
		return nil, err
	}
	return quotaapi.Mask(stats.Used, names), nil
}

// QuotaForPods measures pods at a time, for the API server's check of a request.
func QuotaForPods(now time.Time) quotaapi.Evaluator { return podMeasure{now} }

type podMeasure struct{ now time.Time }

func (podMeasure) GroupResource() schema.GroupResource { return world.Pod.Resource().GroupResource() }

// Handles reports whether a request is for a new pod, for a resize, or for one that gets into another scope.
func (podMeasure) Handles(a apiadmission.Attributes) bool {
	switch a.GetSubresource() {
	case "":
		return a.GetOperation() == apiadmission.Create || hasDeadline(a.GetObject().(*v1.Pod)) != hasDeadline(a.GetOldObject().(*v1.Pod))
	case "resize":
		return true
	}
	return false
}

func (m podMeasure) Usage(o runtime.Object) (v1.ResourceList, error) {
	return QuotaUseOf(o.(*v1.Pod), m.now), nil
}

func (podMeasure) Constraints(names []v1.ResourceName, o runtime.Object) error {
	return unspecified(names, o.(*v1.Pod))
}

func (m podMeasure) Matches(q *v1.ResourceQuota, o runtime.Object) (bool, error) {
	return generic.Matches(q, o, m.MatchingResources, podInScope)
}

func (podMeasure) MatchingResources(names []v1.ResourceName) []v1.ResourceName {
	return slices.DeleteFunc(slices.Clone(names), func(name v1.ResourceName) bool { return !countsPods(name) })
}

// MatchingScopes and UncoveredQuotaScopes are for resources that are limited where no quota covers them. There are none.
func (podMeasure) MatchingScopes(runtime.Object, []v1.ScopedResourceSelectorRequirement) ([]v1.ScopedResourceSelectorRequirement, error) {
	return nil, nil
}

func (podMeasure) UncoveredQuotaScopes(_, _ []v1.ScopedResourceSelectorRequirement) ([]v1.ScopedResourceSelectorRequirement, error) {
	return nil, nil
}

// UsageStats is for upstream's own controller of quotas; see [QuotaUsed].
func (podMeasure) UsageStats(quotaapi.UsageStatsOptions) (quotaapi.UsageStats, error) {
	return quotaapi.UsageStats{}, nil
}
