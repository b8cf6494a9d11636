package queue

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// Two kinds of pod event that plugins never register by these names: a plugin that registered Pod hears both.
const (
	AssignedPod      fwk.EventResource = "AssignedPod"
	UnschedulablePod fwk.EventResource = "UnschedulablePod"
)

// Labels of the moves that no change of an object caused, as they stand in metrics and records.
const (
	ScheduleAttemptFailure = "ScheduleAttemptFailure" // an attempt failed
	BackoffComplete        = "BackoffComplete"        // the back-off ran out
	PopFromBackoffQ        = "PopFromBackoffQ"        // taken early, because activeQ was empty
	ForceActivate          = "ForceActivate"          // somebody asked for the pod
	UnschedulableTimeout   = "UnschedulableTimeout"   // parked for too long
	PodPopped              = "PodPopped"              // an attempt began
)

// Labels of the ways out of the queue, in records only.
const (
	Done          = "Done"          // the attempt ended and the pod does not come back
	Duplicate     = "Duplicate"     // popped while a pod of the same UID is being scheduled: dropped
	AlreadyQueued = "AlreadyQueued" // came back to find a pod of its name in the queue: dropped
	BoundByOther  = "BoundByOther"  // another scheduler gave it a node, which the note names
)

// The events that are not derived from a comparison of two objects.
var (
	EventAssignedPodAdd       = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Add}
	EventAssignedPodUpdate    = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Update}
	EventAssignedPodDelete    = fwk.ClusterEvent{Resource: AssignedPod, ActionType: fwk.Delete}
	EventUnscheduledPodAdd    = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Add}
	EventUnscheduledPodUpdate = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Update}
	EventUnscheduledPodDelete = fwk.ClusterEvent{Resource: UnschedulablePod, ActionType: fwk.Delete}
	EventNodeAdd              = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}
	EventNodeDelete           = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}
	EventForceActivate        = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: ForceActivate}
	EventUnschedulableTimeout = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All, CustomLabel: UnschedulableTimeout}
)

var (
	labelPodAdd    = EventUnscheduledPodAdd.Label()
	labelPodUpdate = EventUnscheduledPodUpdate.Label()
	labelPodDelete = EventUnscheduledPodDelete.Label()
)

// IsWildcard tells whether an event stands for everything.
func IsWildcard(e fwk.ClusterEvent) bool {
	return e.Resource == fwk.WildCard && e.ActionType == fwk.All
}

// Matches tells whether an incoming event is one that a plugin registered for. The actions must share a bit, and the
// incoming one must not be the greater number: a general Update reaches those who registered all of Update or more,
// while a special update reaches everyone who has its bit, or who has it among others and a greater sum.
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
