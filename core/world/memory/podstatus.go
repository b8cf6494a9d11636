package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// patchStatus applies the scheduler's patch of a pod's status. A patch without a change is not written.
func (c *Cluster) patchStatus(act world.PatchStatus) error {
	pod, err := c.podMatching(act.Pod)
	if err != nil {
		return err
	}
	patched, changed := *pod, false
	if act.Condition != nil {
		patched.Status.Conditions, changed = c.withCondition(pod.Status.Conditions, *act.Condition)
	}
	if act.NominatedNode != nil && *act.NominatedNode != pod.Status.NominatedNodeName {
		patched.Status.NominatedNodeName = *act.NominatedNode
		changed = true
	}
	if act.ExtendedResources != nil && !resourceclaim.PodExtendedStatusEqual(act.ExtendedResources, pod.Status.ExtendedResourceClaimStatus) {
		patched.Status.ExtendedResourceClaimStatus = act.ExtendedResources
		changed = true
	}
	if changed {
		c.write(world.Pod, pod, &patched)
	}
	return nil
}

// withCondition returns the conditions with one replaced or appended, and whether they differ. The transition time
// changes only with the status. The given list is not modified.
func (c *Cluster) withCondition(list []v1.PodCondition, next v1.PodCondition) ([]v1.PodCondition, bool) {
	next.LastTransitionTime = c.timestamp()
	i := slices.IndexFunc(list, func(had v1.PodCondition) bool { return had.Type == next.Type })
	if i < 0 {
		return append(slices.Clone(list), next), true
	}
	had := list[i]
	if had.Status == next.Status {
		next.LastTransitionTime = had.LastTransitionTime
	}
	if had.Status == next.Status && had.Reason == next.Reason && had.Message == next.Message &&
		had.LastProbeTime.Equal(&next.LastProbeTime) {
		return list, false
	}
	list = slices.Clone(list)
	list[i] = next
	return list, true
}
