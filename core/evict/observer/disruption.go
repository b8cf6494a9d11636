package observer

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/pressure"
	"orrery/core/evict/taint"
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
	if cause, c := evict.DisruptionOf(pod); c != nil {
		m, ok = disruption{cause, initiatorOf(pod, cause, c), c.Message, c}, true
	} else if pod.Status.Phase == v1.PodFailed && pod.Status.Reason == pressure.Reason {
		m, ok = disruption{cause: evict.NodePressure, initiator: kubeletName(pod), reason: pod.Status.Message}, true
	}
	if ok && m.reason == "" {
		m.reason = pod.Status.Reason
	}
	return m, ok
}

// initiatorOf names who evicts a pod.
func initiatorOf(pod *v1.Pod, cause evict.Cause, c *v1.PodCondition) string {
	if c.Reason == v1.PodReasonTerminationByKubelet {
		return kubeletName(pod)
	}
	switch cause {
	case evict.Preemption:
		by, _, _ := strings.Cut(c.Message, ": ")
		return by
	case evict.Taint:
		return taint.Name
	case evict.DeviceTaint:
		return device.Name
	case evict.EvictionAPI:
		return "eviction API"
	}
	return "pod garbage collector"
}

func kubeletName(pod *v1.Pod) string { return "kubelet on " + pod.Spec.NodeName }

func isTerminal(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
