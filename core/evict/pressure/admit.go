package pressure

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/objects/requests"
)

// Admit reports whether a kubelet admits a pod while its node has these conditions, and if not, the message in the pod's
// status. Critical pods are always admitted. Under memory pressure alone, so is every pod that requests something or
// tolerates the condition's taint.
func Admit(pod *v1.Pod, conditions []v1.NodeConditionType) (ok bool, message string) {
	if len(conditions) == 0 || ExemptReason(pod) != "" {
		return true, ""
	}
	onlyMemory := len(conditions) == 1 && conditions[0] == v1.NodeMemoryPressure
	if onlyMemory && (QOS(pod) != v1.PodQOSBestEffort || toleratesMemoryPressure(pod)) {
		return true, ""
	}
	return false, fmt.Sprintf("The node had condition: %v. ", conditions)
}

func toleratesMemoryPressure(pod *v1.Pod) bool {
	taint, _ := Taint(v1.NodeMemoryPressure)
	return corev1.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, false)
}

// QOS returns a pod's QoS class: its status' or, if that is empty, the one computed from its resources.
func QOS(pod *v1.Pod) v1.PodQOSClass {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	return requests.QOS(pod)
}

func isPositive(list v1.ResourceList, name v1.ResourceName) bool {
	q, ok := list[name]
	return ok && q.Sign() > 0
}
