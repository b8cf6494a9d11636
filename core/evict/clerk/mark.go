package clerk

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/pressure"
	"orrery/core/evict/taint"
)

// The reasons of the condition DisruptionTarget that k8s.io/api has no names for, and what a kubelet's status says of
// pods that it ends for other reasons than pressure.
const (
	byTaint       = "DeletionByTaintManager"
	byDeviceTaint = "DeletionByDeviceTaintManager"
	byEviction    = "EvictionByEvictionAPI"
	byPodGC       = "DeletionByPodGC"

	kubeletPreempts = "Preempting"
	kubeletShutdown = "Terminated"
)

// mark is what a pod says of its own leaving.
type mark struct {
	cause   evict.Cause
	by, why string
	// condition carries it; nil for a pod whose status alone says it.
	condition *v1.PodCondition
}

// markOf reads a pod's mark; ok is false if it has none.
func markOf(pod *v1.Pod) (m mark, ok bool) {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue {
			m, ok = readMark(pod, c)
			break
		}
	}
	if !ok && pod.Status.Phase == v1.PodFailed && pod.Status.Reason == pressure.Reason {
		m, ok = mark{cause: evict.NodePressure, by: kubeletOf(pod), why: pod.Status.Message}, true
	}
	if ok && m.why == "" {
		m.why = pod.Status.Reason
	}
	return m, ok
}

func readMark(pod *v1.Pod, c *v1.PodCondition) (mark, bool) {
	m := mark{why: c.Message, condition: c}
	switch c.Reason {
	case v1.PodReasonPreemptionByScheduler:
		m.cause = evict.Preemption
		m.by, _, _ = strings.Cut(c.Message, ": ")
	case byTaint:
		m.cause, m.by = evict.Taint, taint.Name
	case byDeviceTaint:
		m.cause, m.by = evict.DeviceTaint, device.Name
	case byEviction:
		m.cause, m.by = evict.EvictionAPI, "eviction API"
	case byPodGC:
		m.cause, m.by = evict.NodeGone, "pod garbage collector"
	case v1.PodReasonTerminationByKubelet:
		m.cause, m.by = kubeletCause(pod), kubeletOf(pod)
	default:
		return mark{}, false
	}
	return m, true
}

func kubeletCause(pod *v1.Pod) evict.Cause {
	switch pod.Status.Reason {
	case kubeletPreempts:
		return evict.Preemption
	case kubeletShutdown:
		return evict.NodeShutdown
	}
	return evict.NodePressure
}

func kubeletOf(pod *v1.Pod) string { return "kubelet on " + pod.Spec.NodeName }

func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
