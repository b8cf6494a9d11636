package budget

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Selects reports whether a budget selects a pod: an empty selector selects every pod of the namespace, a missing or
// invalid one none.
func Selects(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod) bool {
	if pdb.Namespace != pod.Namespace {
		return false
	}
	if pdb.Spec.Selector != nil {
		for key, value := range pdb.Spec.Selector.MatchLabels {
			if got, has := pod.Labels[key]; !has || got != value {
				return false // most pods; parsing the selector is the larger cost
			}
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// isReady reports whether a pod is healthy to a budget.
func isReady(pod *v1.Pod) bool {
	c := conditionOf(pod, v1.PodReady)
	return c != nil && c.Status == v1.ConditionTrue
}

func conditionOf(pod *v1.Pod, kind v1.PodConditionType) *v1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

func isTerminal(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
