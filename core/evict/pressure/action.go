package pressure

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// TimedAction is an action of a kubelet with its time.
type TimedAction struct {
	At     time.Time
	Action Action
}

// Action is one of [ConditionsChanged], [StatusWritten], [ThresholdMet], [ReclaimResources] and [EvictPod].
type Action interface{ isAction() }

// ConditionsChanged lists the conditions that hold from now on. New pods are admitted by them; see [Admit].
type ConditionsChanged struct{ Conditions []v1.NodeConditionType }

// StatusWritten writes the node's status with these conditions. It follows ConditionsChanged within ten seconds.
type StatusWritten struct{ Conditions []v1.NodeConditionType }

// ThresholdMet is the node event about the resource that the kubelet reclaims.
type ThresholdMet struct{ Resource v1.ResourceName }

// Note returns the event's text; its reason is EvictionThresholdMet.
func (s ThresholdMet) Note() string { return "Attempting to reclaim " + string(s.Resource) }

// ReclaimResources frees what no pod needs. The kubelet then waits for the new measurements; see [Kubelet.Reclaimed].
type ReclaimResources struct{ Reclaim }

// EvictPod stops a pod.
type EvictPod struct {
	Pod world.PodRef
	// GraceSeconds is the pod's grace period.
	GraceSeconds int64
	// Message goes to the pod's status and its event.
	Message     string
	Annotations map[string]string
	// Threshold is the cause of the eviction; it has no signal if the pod exceeded its own limits.
	Threshold Threshold
}

func (ConditionsChanged) isAction() {}
func (StatusWritten) isAction()     {}
func (ThresholdMet) isAction()      {}
func (ReclaimResources) isAction()  {}
func (EvictPod) isAction()          {}

// Status returns the status of the evicted pod.
func (e EvictPod) Status(pod *v1.Pod, at time.Time) v1.PodStatus {
	status := *pod.Status.DeepCopy()
	status.Phase, status.Reason, status.Message = v1.PodFailed, Reason, e.Message
	if e.Threshold.Signal == "" {
		return status
	}
	setCondition(&status.Conditions, v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, ObservedGeneration: pod.Generation,
		Reason: v1.PodReasonTerminationByKubelet, Message: e.Message, LastTransitionTime: timestamp(at),
	})
	return status
}

func setCondition(list *[]v1.PodCondition, next v1.PodCondition) {
	for i := range *list {
		if had := &(*list)[i]; had.Type == next.Type {
			if had.Status == next.Status {
				next.LastTransitionTime = had.LastTransitionTime
			}
			*had = next
			return
		}
	}
	*list = append(*list, next)
}
