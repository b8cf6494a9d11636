package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/ephemeral"

	"orrery/core/world"
)

// The finalizers of the API server's admission. They keep a claim while a pod uses it and a volume while it is bound.
const (
	claimProtection  = "kubernetes.io/pvc-protection"
	volumeProtection = "kubernetes.io/pv-protection"
)

// finishClaimDeletion removes a deleted claim that no pod uses any more, and reports whether the claim is gone.
func (c *Cluster) finishClaimDeletion(claim *v1.PersistentVolumeClaim) bool {
	if claim.DeletionTimestamp == nil || !slices.Contains(claim.Finalizers, claimProtection) || c.isUsed(claim) {
		return false
	}
	next := *claim
	next.Finalizers = without(claim.Finalizers, claimProtection)
	c.write(world.PersistentVolumeClaim, claim, &next)
	return c.removeIfGone(world.PersistentVolumeClaim, &next)
}

func (c *Cluster) finishVolumeDeletion(volume *v1.PersistentVolume) bool {
	if volume.DeletionTimestamp == nil || !slices.Contains(volume.Finalizers, volumeProtection) ||
		volume.Status.Phase == v1.VolumeBound {
		return false
	}
	next := *volume
	next.Finalizers = without(volume.Finalizers, volumeProtection)
	c.write(world.PersistentVolume, volume, &next)
	return c.removeIfGone(world.PersistentVolume, &next)
}

func (c *Cluster) removeIfGone(kind world.Kind, o world.Object) bool {
	if !isGone(o) {
		return false
	}
	c.remove(kind, o)
	return true
}

func without(list []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == one })
}

// isUsed reports whether a pod that is assigned to a node refers to a claim. Of a pod that has stopped, an ephemeral
// claim can go.
func (c *Cluster) isUsed(claim *v1.PersistentVolumeClaim) bool {
	return slices.ContainsFunc(c.storage.references[keyOf(claim)].pods, func(user string) bool {
		pod := c.Pod(claim.Namespace, user)
		if pod.Spec.NodeName == "" {
			return false
		}
		stopped := graceLeft(pod) == 0 || isTerminal(pod)
		return slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
			switch {
			case v.PersistentVolumeClaim != nil:
				return v.PersistentVolumeClaim.ClaimName == claim.Name
			case v.Ephemeral != nil && !stopped:
				return ephemeral.VolumeClaimName(pod, &v) == claim.Name && ephemeral.VolumeIsForPod(pod, claim) == nil
			}
			return false
		})
	})
}

// claimsOf returns the names of the claims that a pod refers to.
func claimsOf(pod *v1.Pod) []types.NamespacedName {
	var all []types.NamespacedName
	for i := range pod.Spec.Volumes {
		if name, is := world.ClaimOf(pod, &pod.Spec.Volumes[i]); is {
			all = append(all, types.NamespacedName{Namespace: pod.Namespace, Name: name})
		}
	}
	return all
}
