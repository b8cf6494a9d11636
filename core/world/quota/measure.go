package quota

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"

	"orrery/core/world"
)

// Kind is the kind of quotas. No scheduler reads them.
const Kind world.Kind = "ResourceQuota"

// Objects lists the objects of a resource in a namespace, by name.
type Objects func(resource schema.GroupResource, namespace string) []runtime.Object

// measure is how the objects of a resource are measured.
type measure struct {
	resource schema.GroupResource
	// handles reports whether a request may change what is used.
	handles func(admission.Attributes) bool
	// counts reports whether objects are measured by a resource of quotas.
	counts func(v1.ResourceName) bool
	// inScope reports whether an object is in a scope.
	inScope func(v1.ScopedResourceSelectorRequirement, runtime.Object) (bool, error)
	// lacks returns an error for an object that has to request a resource but does not; nil requires nothing.
	lacks func([]v1.ResourceName, runtime.Object) error
	usage func(runtime.Object) v1.ResourceList
	// objects lists what there is.
	objects Objects
}

var _ quotaapi.Evaluator = (*measure)(nil)

func (m *measure) GroupResource() schema.GroupResource { return m.resource }

func (m *measure) Handles(a admission.Attributes) bool { return m.handles(a) }

func (m *measure) Usage(o runtime.Object) (v1.ResourceList, error) { return m.usage(o), nil }

func (m *measure) Constraints(required []v1.ResourceName, o runtime.Object) error {
	if m.lacks == nil {
		return nil
	}
	return m.lacks(required, o)
}

func (m *measure) Matches(q *v1.ResourceQuota, o runtime.Object) (bool, error) {
	return generic.Matches(q, o, m.MatchingResources, m.inScope)
}

func (m *measure) MatchingResources(names []v1.ResourceName) []v1.ResourceName {
	return slices.DeleteFunc(slices.Clone(names), func(name v1.ResourceName) bool { return !m.counts(name) })
}

func (m *measure) MatchingScopes(o runtime.Object, scopes []v1.ScopedResourceSelectorRequirement) ([]v1.ScopedResourceSelectorRequirement, error) {
	var matching []v1.ScopedResourceSelectorRequirement
	for _, scope := range scopes {
		is, err := m.inScope(scope, o)
		if err != nil {
			return nil, err
		}
		if is {
			matching = append(matching, scope)
		}
	}
	return matching, nil
}

// UncoveredQuotaScopes returns the limited scopes of an object whose name no scope of its quotas has.
func (m *measure) UncoveredQuotaScopes(limited, covered []v1.ScopedResourceSelectorRequirement) ([]v1.ScopedResourceSelectorRequirement, error) {
	return slices.DeleteFunc(slices.Clone(limited), func(l v1.ScopedResourceSelectorRequirement) bool {
		return slices.ContainsFunc(covered, func(c v1.ScopedResourceSelectorRequirement) bool { return c.ScopeName == l.ScopeName })
	}), nil
}

func (m *measure) UsageStats(o quotaapi.UsageStatsOptions) (quotaapi.UsageStats, error) {
	list := func(namespace string) ([]runtime.Object, error) { return m.objects(m.resource, namespace), nil }
	return generic.CalculateUsageStats(o, list, m.inScope, m.Usage)
}

// aliases are the older names of what is counted.
var aliases = map[v1.ResourceName]schema.GroupResource{
	v1.ResourceReplicationControllers: v1.Resource("replicationcontrollers"),
	v1.ResourceQuotas:                 v1.Resource("resourcequotas"),
	v1.ResourceSecrets:                v1.Resource("secrets"),
	v1.ResourceConfigMaps:             v1.Resource("configmaps"),
}

// Of returns how the objects of a resource are measured at a time. It measures single objects.
func Of(resource schema.GroupResource, now time.Time) quotaapi.Evaluator { return of(resource, now) }

func of(resource schema.GroupResource, now time.Time) *measure {
	switch resource {
	case podResource:
		return pods(now)
	case volumeClaimResource:
		return volumeClaims()
	case deviceClaimResource:
		return deviceClaims()
	case serviceResource:
		return services()
	}
	names := []v1.ResourceName{countOf(resource)}
	for alias, of := range aliases {
		if of == resource {
			names = append(names, alias)
		}
	}
	return &measure{
		resource: resource,
		handles: func(a admission.Attributes) bool {
			return a.GetOperation() == admission.Create && a.GetSubresource() == ""
		},
		counts:  func(name v1.ResourceName) bool { return slices.Contains(names, name) },
		inScope: generic.MatchesNoScopeFunc,
		usage:   func(runtime.Object) v1.ResourceList { return one(names...) },
	}
}

const countPrefix = "count/"

// countOf is the resource of quotas that counts objects.
func countOf(resource schema.GroupResource) v1.ResourceName {
	return generic.ObjectCountQuotaResourceNameFor(resource)
}

// counted is the resource that a resource of quotas counts the objects of.
func counted(name v1.ResourceName) (schema.GroupResource, bool) {
	if resource, is := aliases[name]; is {
		return resource, true
	}
	text, is := strings.CutPrefix(string(name), countPrefix)
	return schema.ParseGroupResource(text), is
}

// one is an amount of one of each resource.
func one(names ...v1.ResourceName) v1.ResourceList {
	list := v1.ResourceList{}
	for _, name := range names {
		list[name] = whole(1)
	}
	return list
}

// Used returns what the objects of a quota's namespace use of it.
func Used(q *v1.ResourceQuota, objects Objects, now time.Time) (v1.ResourceList, error) {
	names := quotaapi.ResourceNames(q.Spec.Hard)
	slices.Sort(names)
	resources := []schema.GroupResource{podResource, volumeClaimResource, deviceClaimResource, serviceResource}
	for _, name := range names {
		if resource, is := counted(name); is && !slices.Contains(resources, resource) {
			resources = append(resources, resource)
		}
	}
	used := v1.ResourceList{}
	for _, resource := range resources {
		m := of(resource, now)
		m.objects = objects
		measured := m.MatchingResources(names)
		if len(measured) == 0 {
			continue
		}
		stats, err := m.UsageStats(quotaapi.UsageStatsOptions{
			Namespace: q.Namespace, Resources: measured, Scopes: q.Spec.Scopes, ScopeSelector: q.Spec.ScopeSelector,
		})
		if err != nil {
			return nil, err
		}
		used = quotaapi.Add(used, stats.Used)
	}
	return quotaapi.Mask(used, names), nil
}
