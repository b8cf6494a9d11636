package observer

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/pressure"
	"orrery/core/evict/taint"
)

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

// disruption is what a pod's status reports of its eviction.
type disruption struct {
	cause             evict.Cause
	initiator, reason string
	// condition is the DisruptionTarget condition; nil if only the pod's status shows the eviction.
	condition *v1.PodCondition
}

// disruptionOf reads a pod's disruption; ok is false if it has none.
func disruptionOf(pod *v1.Pod) (m disruption, ok bool) {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue {
			m, ok = parseDisruption(pod, c)
			break
		}
	}
	if !ok && pod.Status.Phase == v1.PodFailed && pod.Status.Reason == pressure.Reason {
		m, ok = disruption{cause: evict.NodePressure, initiator: kubeletName(pod), reason: pod.Status.Message}, true
	}
	if ok && m.reason == "" {
		m.reason = pod.Status.Reason
	}
	return m, ok
}

func parseDisruption(pod *v1.Pod, c *v1.PodCondition) (disruption, bool) {
	m := disruption{reason: c.Message, condition: c}
	switch c.Reason {
	case v1.PodReasonPreemptionByScheduler:
		m.cause = evict.Preemption
		m.initiator, _, _ = strings.Cut(c.Message, ": ")
	case reasonTaintManager:
		m.cause, m.initiator = evict.Taint, taint.Name
	case reasonDeviceTaintManager:
		m.cause, m.initiator = evict.DeviceTaint, device.Name
	case reasonEvictionAPI:
		m.cause, m.initiator = evict.EvictionAPI, "eviction API"
	case reasonPodGC:
		m.cause, m.initiator = evict.NodeGone, "pod garbage collector"
	case v1.PodReasonTerminationByKubelet:
		m.cause, m.initiator = kubeletCause(pod), kubeletName(pod)
	default:
		return disruption{}, false
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

func kubeletName(pod *v1.Pod) string { return "kubelet on " + pod.Spec.NodeName }

func isTerminal(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
