package queue

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
)

// FeatureGates are the feature gates that affect the events of an update.
type FeatureGates struct {
	InPlacePodVerticalScaling               bool
	InPlacePodLevelResourcesVerticalScaling bool
	DynamicResourceAllocation               bool
	NodeDeclaredFeatures                    bool
	// SplitPods says that events of pods are split, and that a pod which grows is an event, as from Kubernetes 1.37 on.
	SplitPods bool
	// Sum is the rule for what a pod requests while it is resized.
	Sum requests.Sum
}

// DefaultFeatureGates are the defaults of Kubernetes 1.35.
func DefaultFeatureGates() FeatureGates {
	return FeatureGates{InPlacePodVerticalScaling: true, DynamicResourceAllocation: true}
}

// PodUpdateEvents returns the events of a pod update: one for each scheduling-relevant change, or else a general
// update, which matches only registrations for all updates.
func PodUpdateEvents(old, updated *v1.Pod, gates FeatureGates) []fwk.ClusterEvent {
	r := fwk.AssignedPod
	if updated.Spec.NodeName == "" {
		r = gates.targetPod()
	}
	var events []fwk.ClusterEvent
	add := func(changed bool, action fwk.ActionType) {
		if changed {
			events = append(events, fwk.ClusterEvent{Resource: r, ActionType: action})
		}
	}
	add(!maps.Equal(old.Labels, updated.Labels), fwk.UpdatePodLabel)
	shrank, grew := requestsChanged(old, updated, gates)
	add(shrank, fwk.UpdatePodScaleDown)
	// A pod that grows frees nothing, and makes room for none: before 1.37, only the other direction is an event (KEP-1287).
	add(grew && gates.SplitPods, fwk.UpdatePodScaleUp)
	add(len(old.Spec.SchedulingGates) > 0 && len(updated.Spec.SchedulingGates) == 0, fwk.UpdatePodSchedulingGatesEliminated)
	add(len(old.Spec.Tolerations) != len(updated.Spec.Tolerations), fwk.UpdatePodToleration)
	add(gates.DynamicResourceAllocation && claimsChanged(&old.Status, &updated.Status), fwk.UpdatePodGeneratedResourceClaim)
	add(len(events) == 0, fwk.Update)
	return events
}

// requestsChanged reports whether any request of the pod became smaller, by a thousandth at least, or was removed, and whether any became larger,
// or was added.
func requestsChanged(old, updated *v1.Pod, gates FeatureGates) (shrank, grew bool) {
	opts := resource.PodResourcesOptions{
		UseStatusResources: gates.InPlacePodVerticalScaling,
		InPlacePodLevelResourcesVerticalScalingEnabled: gates.InPlacePodLevelResourcesVerticalScaling,
	}
	before, after := gates.Sum.Of(old, opts), gates.Sum.Of(updated, opts)
	return exceeds(before, after), exceeds(after, before)
}

// exceeds reports whether any amount is larger than the other one, or missing there.
func exceeds(amounts, others v1.ResourceList) bool {
	for name, amount := range amounts {
		if other, ok := others[name]; !ok || thousandths(amount) > thousandths(other) {
			return true
		}
	}
	return false
}

func thousandths(q apiresource.Quantity) int64 { return requests.Amount(v1.ResourceCPU, q) }

func claimsChanged(old, updated *v1.PodStatus) bool {
	return !slices.EqualFunc(old.ResourceClaimStatuses, updated.ResourceClaimStatuses, sameClaim) ||
		!sameExtended(old.ExtendedResourceClaimStatus, updated.ExtendedResourceClaimStatus)
}

func sameClaim(a, b v1.PodResourceClaimStatus) bool {
	return a.Name == b.Name && samePointee(a.ResourceClaimName, b.ResourceClaimName)
}

func sameExtended(a, b *v1.PodExtendedResourceClaimStatus) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ResourceClaimName == b.ResourceClaimName && slices.Equal(a.RequestMappings, b.RequestMappings)
}

func samePointee[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// NodeUpdateEvents returns the events of a node update; none if nothing relevant changed. Uncordoning counts as a taint
// change, so there can be two of those.
func NodeUpdateEvents(old, updated *v1.Node, gates FeatureGates) []fwk.ClusterEvent {
	var events []fwk.ClusterEvent
	add := func(changed bool, action fwk.ActionType) {
		if changed {
			events = append(events, fwk.ClusterEvent{Resource: fwk.Node, ActionType: action})
		}
	}
	add(old.Spec.Unschedulable && !updated.Spec.Unschedulable, fwk.UpdateNodeTaint)
	add(!sameResources(old.Status.Allocatable, updated.Status.Allocatable), fwk.UpdateNodeAllocatable)
	add(!maps.Equal(old.Labels, updated.Labels), fwk.UpdateNodeLabel)
	add(!slices.EqualFunc(old.Spec.Taints, updated.Spec.Taints, sameTaint), fwk.UpdateNodeTaint)
	add(!sameConditions(old.Status.Conditions, updated.Status.Conditions), fwk.UpdateNodeCondition)
	add(!maps.Equal(old.Annotations, updated.Annotations), fwk.UpdateNodeAnnotation)
	add(gates.NodeDeclaredFeatures && !slices.Equal(old.Status.DeclaredFeatures, updated.Status.DeclaredFeatures),
		fwk.UpdateNodeDeclaredFeature)
	return events
}

func sameResources(a, b v1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, quantity := range a {
		if other, ok := b[name]; !ok || quantity.Cmp(other) != 0 {
			return false
		}
	}
	return true
}

func sameTaint(a, b v1.Taint) bool {
	if a.Key != b.Key || a.Value != b.Value || a.Effect != b.Effect {
		return false
	}
	if a.TimeAdded == nil || b.TimeAdded == nil {
		return a.TimeAdded == b.TimeAdded
	}
	return a.TimeAdded.Equal(b.TimeAdded)
}

// sameConditions compares types and statuses only; the rest changes with heartbeats.
func sameConditions(a, b []v1.NodeCondition) bool {
	inOrder := slices.EqualFunc(a, b, func(x, y v1.NodeCondition) bool { return x.Type == y.Type && x.Status == y.Status })
	return inOrder || maps.Equal(statuses(a), statuses(b))
}

func statuses(conditions []v1.NodeCondition) map[v1.NodeConditionType]v1.ConditionStatus {
	m := make(map[v1.NodeConditionType]v1.ConditionStatus, len(conditions))
	for i := range conditions {
		m[conditions[i].Type] = conditions[i].Status
	}
	return m
}
