package memory

import v1 "k8s.io/api/core/v1"

// defaultSpreads writes out the node inclusion policies that the API server leaves to the scheduler.
func defaultSpreads(pod *v1.Pod) {
	for i := range pod.Spec.TopologySpreadConstraints {
		defaultSpread(&pod.Spec.TopologySpreadConstraints[i])
	}
}

// defaultSpread sets the defaults of the node inclusion policies.
func defaultSpread(t *v1.TopologySpreadConstraint) {
	if t.NodeAffinityPolicy == nil {
		honor := v1.NodeInclusionPolicyHonor
		t.NodeAffinityPolicy = &honor
	}
	if t.NodeTaintsPolicy == nil {
		ignore := v1.NodeInclusionPolicyIgnore
		t.NodeTaintsPolicy = &ignore
	}
}
