package queue

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// UnschedulablePod is what a pod without a node is in events up to 1.36, where plugins register for Pod only, which covers all kinds. From 1.37 on
// the kinds are those of the plugin API: fwk.AssignedPod, fwk.UnscheduledPod, and fwk.TargetPod for the pod that an update itself is about;
// plugins register for each.
const UnschedulablePod fwk.EventResource = "UnschedulablePod"

// Labels of transitions that no change of an object caused, as in metrics and records.
const (
	ScheduleAttemptFailure = "ScheduleAttemptFailure" // an attempt failed
	BackoffComplete        = "BackoffComplete"        // the back-off ran out
	PopFromBackoffQ        = "PopFromBackoffQ"        // taken early, because activeQ was empty
	ForceActivate          = "ForceActivate"          // a user or a plugin requested it
	UnschedulableTimeout   = "UnschedulableTimeout"   // too long in unschedulablePods
	PodPopped              = "PodPopped"              // an attempt began
)

// Labels of transitions out of the queue, in records only.
const (
	Done          = "Done"          // the attempt ended and the pod does not come back
	Duplicate     = "Duplicate"     // popped while a pod of the same UID is being scheduled: dropped
	AlreadyQueued = "AlreadyQueued" // came back to find a pod of its name in the queue: dropped
	BoundByOther  = "BoundByOther"  // another scheduler gave it a node, which the note names
)

// The events that do not result from comparing two objects.
var (
	EventAssignedPodAdd       = fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Add}
	EventAssignedPodUpdate    = fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Update}
	EventAssignedPodDelete    = fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}
	EventNodeAdd              = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}
	EventNodeDelete           = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}
	EventResourceClaimUpdate  = fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Update}
	EventForceActivate        = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: ForceActivate}
	EventUnschedulableTimeout = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: UnschedulableTimeout}
)

// UnscheduledPod is what pods without a node are called in events.
func (g FeatureGates) UnscheduledPod() fwk.EventResource {
	if g.SplitPods {
		return fwk.UnscheduledPod
	}
	return UnschedulablePod
}

// targetPod is what a pod without a node is called in events of its own updates.
func (g FeatureGates) targetPod() fwk.EventResource {
	if g.SplitPods {
		return fwk.TargetPod
	}
	return UnschedulablePod
}

// podLabels are the labels of transitions that changes of queued pods cause.
type podLabels struct {
	add, update, delete string
	unknown             string // an update of a pod that is not in the queue
}

func podLabelsOf(g FeatureGates) podLabels {
	label := func(action fwk.ActionType) string {
		return fwk.ClusterEvent{Resource: g.UnscheduledPod(), ActionType: action}.Label()
	}
	labels := podLabels{add: label(fwk.Add), update: label(fwk.Update), delete: label(fwk.Delete)}
	if labels.unknown = labels.update; g.SplitPods {
		labels.unknown = labels.add
	}
	return labels
}

// IsWildcard reports whether an event is the wildcard event.
func IsWildcard(e fwk.ClusterEvent) bool {
	return e.Resource == fwk.WildCard && e.ActionType == fwk.All
}

// Matches reports whether an incoming event is one that a plugin registered for. The actions must share a bit, and the
// incoming action must not be the greater number: a general Update matches registrations for all of Update or more, and
// a special update every registration that is exactly its bit or has it in a greater sum.
func Matches(registered, incoming fwk.ClusterEvent) bool {
	if IsWildcard(registered) {
		return true
	}
	return matchesResource(registered.Resource, incoming.Resource) &&
		registered.ActionType&incoming.ActionType != 0 &&
		incoming.ActionType <= registered.ActionType
}

func matchesResource(registered, incoming fwk.EventResource) bool {
	switch registered {
	case fwk.WildCard, incoming:
		return true
	case fwk.Pod:
		return incoming == fwk.AssignedPod || incoming == UnschedulablePod || incoming == fwk.UnscheduledPod || incoming == fwk.TargetPod
	}
	return false
}

func matchesAny(registered []fwk.ClusterEvent, incoming fwk.ClusterEvent) bool {
	for _, r := range registered {
		if Matches(r, incoming) {
			return true
		}
	}
	return false
}
