package world

import (
	"slices"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/objects/workloads"
)

// GroupKinds are the kinds of pods that are scheduled together, since Kubernetes 1.37. Few clusters serve them, and no plugin reads them: where they
// are served and may be read, they are shown.
func GroupKinds() []Kind { return []Kind{Workload, CompositePodGroup, PodGroup} }

// IsGroupCondition reports whether a condition is one by which schedulers report on groups. Its message is theirs, and no other's text.
func IsGroupCondition(name string) bool {
	switch name {
	case schedulingv1beta1.PodGroupInitiallyScheduled, schedulingv1beta1.DisruptionTarget, "CompositePodGroupInitiallyScheduled":
		return true
	}
	return false
}

// otherVersions are the versions in which kinds are read besides that of their resource. What is read has the same fields.
var otherVersions = map[Kind][]schema.GroupVersion{
	Workload: workloads.GroupVersions,
	PodGroup: {schedulingv1alpha3.SchemeGroupVersion, schedulingv1beta1.SchemeGroupVersion},
}

// IsReadIn reports whether a manifest with that apiVersion is read as an object of the kind.
func (k Kind) IsReadIn(apiVersion string) bool {
	return k.Resource().GroupVersion().String() == apiVersion ||
		slices.ContainsFunc(otherVersions[k], func(v schema.GroupVersion) bool { return v.String() == apiVersion })
}
