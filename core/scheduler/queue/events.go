package queue

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// Plugins do not register these two kinds of pod event: a registration for Pod covers both.
const (
	AssignedPod      fwk.EventResource = "AssignedPod"
	UnschedulablePod fwk.EventResource = "UnschedulablePod"
)

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
	EventAssignedPodAdd       = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Add}
	EventAssignedPodUpdate    = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Update}
	EventAssignedPodDelete    = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Delete}
	EventUnscheduledPodAdd    = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Add}
	EventUnscheduledPodUpdate = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Update}
	EventUnscheduledPodDelete = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Delete}
	EventNodeAdd              = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}
	EventNodeDelete           = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}
	EventResourceClaimUpdate  = fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Update}
	EventForceActivate        = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: ForceActivate}
	EventUnschedulableTimeout = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: UnschedulableTimeout}
)

var (
	labelPodAdd    = EventUnscheduledPodAdd.Label()
	labelPodUpdate = EventUnscheduledPodUpdate.Label()
	labelPodDelete = EventUnscheduledPodDelete.Label()
)

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
		return incoming == AssignedPod || incoming == UnschedulablePod
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
