package memory

import (
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// A stateful set makes a claim of each template for each ordinal. The claim stays when the pod goes, and the ordinal's
// next pod uses it again.

func templateKey(template *v1.PersistentVolumeClaim, pod *v1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: template.Name + "-" + pod.Name}
}

// createClaims creates the missing claims of a pod's templates.
func (c *Cluster) createClaims(set *appsv1.StatefulSet, pod *v1.Pod) error {
	for i := range set.Spec.VolumeClaimTemplates {
		template := &set.Spec.VolumeClaimTemplates[i]
		key := templateKey(template, pod)
		if had := c.claimAt(key); had != nil {
			if had.DeletionTimestamp != nil {
				return fmt.Errorf("pvc %s is being deleted", key.Name)
			}
			continue
		}
		claim := template.DeepCopy()
		claim.Namespace, claim.Name = key.Namespace, key.Name
		if set.Spec.Selector != nil {
			claim.Labels = withLabels(claim.Labels, set.Spec.Selector.MatchLabels)
		}
		if _, err := c.create(world.PersistentVolumeClaim, claim); err != nil {
			return err
		}
	}
	return nil
}

func withLabels(own, more map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, own)
	maps.Copy(all, more)
	return all
}

// addTemplateVolumes makes a pod use the claims of its templates, instead of volumes of the same names.
func addTemplateVolumes(set *appsv1.StatefulSet, pod *v1.Pod) {
	var volumes []v1.Volume
	for i := range set.Spec.VolumeClaimTemplates {
		template := &set.Spec.VolumeClaimTemplates[i]
		volumes = append(volumes, v1.Volume{Name: template.Name, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: templateKey(template, pod).Name},
		}})
	}
	for _, v := range pod.Spec.Volumes {
		if !slices.ContainsFunc(volumes, func(had v1.Volume) bool { return had.Name == v.Name }) {
			volumes = append(volumes, v)
		}
	}
	pod.Spec.Volumes = volumes
}

// ownClaims makes the claims of a pod go with the set or, of a surplus pod, with the pod, as far as the set's retention
// policy says so. Without a policy no claim has an owner.
func (c *Cluster) ownClaims(set *appsv1.StatefulSet, pod *v1.Pod, surplus bool) {
	policy := set.Spec.PersistentVolumeClaimRetentionPolicy
	if policy == nil || pod == nil {
		return
	}
	var owners []metav1.OwnerReference
	switch {
	case surplus && policy.WhenScaled == appsv1.DeletePersistentVolumeClaimRetentionPolicyType:
		owners = []metav1.OwnerReference{*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod"))}
	case policy.WhenDeleted == appsv1.DeletePersistentVolumeClaimRetentionPolicyType:
		owners = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	}
	for i := range set.Spec.VolumeClaimTemplates {
		if claim := c.claimAt(templateKey(&set.Spec.VolumeClaimTemplates[i], pod)); claim != nil {
			next := *claim
			next.OwnerReferences = owners
			rewrite(c, world.PersistentVolumeClaim, claim, &next)
		}
	}
}

// enqueueSetsOf enqueues the stateful sets whose pods have lost a claim.
func (c *Cluster) enqueueSetsOf(claim *v1.PersistentVolumeClaim) {
	for _, user := range c.storage.references[keyOf(claim)].pods {
		pod := c.Pod(claim.Namespace, user)
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.Kind == string(world.StatefulSet) {
			c.enqueueOwner(pod)
		}
	}
}
