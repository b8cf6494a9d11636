package volumebinding

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// ambiguous reports whether several volumes name a claim of the pod.
func (c *cluster) ambiguous(pod *v1.Pod) bool {
	for i := range pod.Spec.Volumes {
		claim := c.state.Claim(pod.Namespace, claimName(pod, &pod.Spec.Volumes[i]))
		if claim == nil {
			continue
		}
		naming := 0
		for pv := range c.store.Objects(world.PersistentVolume) {
			if volume.IsVolumeBoundToClaim(c.state.Volume(pv.GetName()), claim) {
				naming++
			}
		}
		if naming > 1 {
			return true
		}
	}
	return false
}

func claimName(pod *v1.Pod, v *v1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	}
	return ""
}
