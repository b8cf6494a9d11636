package admission

import v1 "k8s.io/api/core/v1"

// limitAntiAffinity refuses pods that keep others away from more than their node. It is LimitPodHardAntiAffinityTopology.
func limitAntiAffinity(_ Reader, q *Request) error {
	pod := q.pod()
	if pod == nil || pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if term.TopologyKey != v1.LabelHostname {
			return q.forbidden("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey %v but only key %v is allowed",
				term.TopologyKey, v1.LabelHostname)
		}
	}
	return nil
}
