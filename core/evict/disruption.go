package evict

import v1 "k8s.io/api/core/v1"

// The reasons of the condition DisruptionTarget that k8s.io/api has no names for, and the status reasons of pods that a
// kubelet ends for other reasons than pressure.
const (
	reasonTaintManager       = "DeletionByTaintManager"
	reasonDeviceTaintManager = "DeletionByDeviceTaintManager"
	reasonEvictionAPI        = "EvictionByEvictionAPI"
	reasonPodGC              = "DeletionByPodGC"

	kubeletPreempts = "Preempting"
	kubeletShutdown = "Terminated"
)

// DisruptionOf returns the cause by which a pod is removed, by its condition DisruptionTarget, and the condition; nil if it has none with
// a known reason.
func DisruptionOf(pod *v1.Pod) (Cause, *v1.PodCondition) {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type != v1.DisruptionTarget || c.Status != v1.ConditionTrue {
			continue
		}
		switch c.Reason {
		case v1.PodReasonPreemptionByScheduler:
			return Preemption, c
		case reasonTaintManager:
			return Taint, c
		case reasonDeviceTaintManager:
			return DeviceTaint, c
		case reasonEvictionAPI:
			return EvictionAPI, c
		case reasonPodGC:
			return NodeGone, c
		case v1.PodReasonTerminationByKubelet:
			return kubeletCause(pod), c
		}
		return "", nil
	}
	return "", nil
}

func kubeletCause(pod *v1.Pod) Cause {
	switch pod.Status.Reason {
	case kubeletPreempts:
		return Preemption
	case kubeletShutdown:
		return NodeShutdown
	}
	return NodePressure
}
