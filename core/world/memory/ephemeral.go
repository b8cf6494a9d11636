package memory

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/ephemeral"

	"orrery/core/world"
)

func hasEphemeralClaim(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil })
}

// createEphemeralClaims creates the claims of a pod's generic ephemeral volumes. The pod owns them, and they are deleted
// with it.
func (c *Cluster) createEphemeralClaims(pod *v1.Pod) error {
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.Ephemeral == nil || v.Ephemeral.VolumeClaimTemplate == nil || isTerminal(pod) {
			continue
		}
		key := types.NamespacedName{Namespace: pod.Namespace, Name: ephemeral.VolumeClaimName(pod, v)}
		if claim := c.claimAt(key); claim != nil {
			if err := ephemeral.VolumeIsForPod(pod, claim); err != nil {
				return err
			}
			continue
		}
		template := v.Ephemeral.VolumeClaimTemplate.DeepCopy()
		_, err := c.create(world.PersistentVolumeClaim, &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: key.Namespace, Name: key.Name, Labels: template.Labels, Annotations: template.Annotations,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod"))},
			},
			Spec: template.Spec,
		})
		if err != nil {
			return fmt.Errorf("ephemeral volume %s: %w", v.Name, err)
		}
	}
	return nil
}
