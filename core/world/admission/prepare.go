package admission

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/requests"
)

// Prepare completes the resources of a new pod itself, sets its status, and merges label keys into its selectors.
func Prepare(pod *v1.Pod, now metav1.Time) {
	defaultPodResources(pod)
	pod.Status = v1.PodStatus{Phase: v1.PodPending, QOSClass: requests.QOS(pod)}
	if len(pod.Spec.SchedulingGates) > 0 {
		pod.Status.Conditions = []v1.PodCondition{{
			Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonSchedulingGated,
			Message: "Scheduling is blocked due to non-empty scheduling gates", LastTransitionTime: now,
		}}
	}
	mergeLabelKeys(pod)
}

// mergeLabelKeys adds the pod's values of label keys to selectors. Later changes of the pod's labels have no effect on them.
func mergeLabelKeys(pod *v1.Pod) {
	for term := range affinityTerms(pod.Spec.Affinity) {
		require(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		require(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		require(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

// require makes a selector demand the pod's values of the given labels, or other values. A label that the pod lacks adds
// nothing, and a nil selector stays nil.
func require(s *metav1.LabelSelector, keys []string, op metav1.LabelSelectorOperator, labels map[string]string) {
	if s == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
}
