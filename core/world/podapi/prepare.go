package podapi

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Prepare sets the status of a new pod, and merges label keys into its selectors.
func Prepare(pod *v1.Pod, now metav1.Time) {
	pod.Status = v1.PodStatus{Phase: v1.PodPending, QOSClass: QOS(pod)}
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
	for term := range AffinityTerms(pod.Spec.Affinity) {
		require(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		require(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		require(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

// AffinityTerms yields the terms of the affinity to pods.
func AffinityTerms(a *v1.Affinity) func(yield func(*v1.PodAffinityTerm) bool) {
	return func(yield func(*v1.PodAffinityTerm) bool) {
		visit := func(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) bool {
			for i := range required {
				if !yield(&required[i]) {
					return false
				}
			}
			for i := range preferred {
				if !yield(&preferred[i].PodAffinityTerm) {
					return false
				}
			}
			return true
		}
		if a == nil {
			return
		}
		if p := a.PodAffinity; p != nil && !visit(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution) {
			return
		}
		if p := a.PodAntiAffinity; p != nil {
			visit(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution)
		}
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

// QOSClass returns the class of a pod: the one it has, or that a new one will have.
func QOSClass(pod *v1.Pod) v1.PodQOSClass {
	if had := pod.Status.QOSClass; had != "" {
		return had
	}
	return QOS(pod)
}

// QOS returns the pod's QoS class: by cpu and memory only, and by pod-level resources if there are any.
func QOS(pod *v1.Pod) v1.PodQOSClass {
	var parts []v1.ResourceRequirements
	if pod.Spec.Resources != nil {
		parts = append(parts, *pod.Spec.Resources)
	} else {
		for c := range Containers(&pod.Spec) {
			parts = append(parts, c.Resources)
		}
	}
	anything, guaranteed := false, true
	for _, part := range parts {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			request, limit := part.Requests[name], part.Limits[name]
			anything = anything || request.Sign() > 0 || limit.Sign() > 0
			guaranteed = guaranteed && limit.Sign() > 0 && request.Cmp(limit) == 0
		}
	}
	switch {
	case !anything:
		return v1.PodQOSBestEffort
	case guaranteed:
		return v1.PodQOSGuaranteed
	}
	return v1.PodQOSBurstable
}
