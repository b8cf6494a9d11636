package shadow

import v1 "k8s.io/api/core/v1"

// failure returns the condition by which a scheduler says that it could not schedule or bind a pod; nil if there is none.
func failure(pod *v1.Pod) *v1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return c
		}
	}
	return nil
}

// triedBefore reports whether a scheduler has tried the pod in vain.
func triedBefore(pod *v1.Pod) bool { return failure(pod) != nil }

// newFailure returns the failure that a change of a pod set or changed; nil if there is none. was is nil if the pod is new.
func newFailure(was, is *v1.Pod) *v1.PodCondition {
	now := failure(is)
	if now == nil || was == nil || was.UID != is.UID {
		return now
	}
	before := failure(was)
	if before != nil && before.Reason == now.Reason && before.Message == now.Message && before.LastTransitionTime.Equal(&now.LastTransitionTime) {
		return nil
	}
	return now
}

// newlyUnschedulable is newFailure of a pod that was declared unschedulable.
func newlyUnschedulable(was, is *v1.Pod) *v1.PodCondition {
	if c := newFailure(was, is); c != nil && c.Reason == v1.PodReasonUnschedulable && is.Spec.NodeName == "" {
		return c
	}
	return nil
}
