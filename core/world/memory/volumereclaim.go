package memory

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// syncVolume is the volume controller's sync of a volume: its phase follows from the claim that it refers to.
func (c *Cluster) syncVolume(volume *v1.PersistentVolume) {
	if c.finishVolumeDeletion(volume) {
		return
	}
	ref := volume.Spec.ClaimRef
	if ref == nil || ref.UID == "" {
		c.setVolumePhase(volume, v1.VolumeAvailable)
		return
	}
	claim := c.claimAt(claimKey(ref))
	switch {
	case claim == nil || claim.UID != ref.UID:
		c.release(volume)
	case claim.Spec.VolumeName == "":
		c.enqueueClaim(keyOf(claim))
	case claim.Spec.VolumeName == volume.Name:
		c.setVolumePhase(volume, v1.VolumeBound)
	case isProvisioned(volume) && volume.Spec.PersistentVolumeReclaimPolicy == v1.PersistentVolumeReclaimDelete:
		c.release(volume)
	default:
		c.unclaim(volume)
	}
}

func isProvisioned(volume *v1.PersistentVolume) bool {
	return metav1.HasAnnotation(volume.ObjectMeta, storagevolume.AnnDynamicallyProvisioned)
}

// unclaim takes back a claim that the controller or the scheduler gave to a volume in vain. A reference that the user
// wrote stays, without the UID.
func (c *Cluster) unclaim(volume *v1.PersistentVolume) {
	next := volume.DeepCopy()
	if metav1.HasAnnotation(volume.ObjectMeta, storagevolume.AnnBoundByController) {
		next.Spec.ClaimRef = nil
		delete(next.Annotations, storagevolume.AnnBoundByController)
	} else {
		next.Spec.ClaimRef.UID = ""
	}
	c.write(world.PersistentVolume, volume, next)
	c.setVolumePhase(next, v1.VolumeAvailable)
}

// release applies the reclaim policy to a volume whose claim is gone. Only its provisioner deletes a volume, and not
// while it is attached to a node.
func (c *Cluster) release(volume *v1.PersistentVolume) {
	if volume.Status.Phase != v1.VolumeFailed {
		volume = c.setVolumePhase(volume, v1.VolumeReleased)
	}
	if volume.Spec.PersistentVolumeReclaimPolicy != v1.PersistentVolumeReclaimDelete || !isProvisioned(volume) ||
		volume.DeletionTimestamp != nil || len(c.storage.attachments[volume.Name]) > 0 {
		return
	}
	c.returnRoom(volume)
	c.beginDeletion(world.PersistentVolume, volume)
}
