package world

import v1 "k8s.io/api/core/v1"

// PendingMessage returns what a scheduler wrote of its last attempt to place a pod; empty if none failed.
func PendingMessage(pod *v1.Pod) string {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}
