package memory

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/ephemeral"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// A kubelet starts a pod once the pod's volumes are attached to its node and can be mounted.

// canMount reports whether all volumes of a pod can be mounted on its node.
func (c *Cluster) canMount(pod *v1.Pod) bool {
	for i := range pod.Spec.Volumes {
		if !c.canMountVolume(pod, &pod.Spec.Volumes[i]) {
			return false
		}
	}
	return true
}

func (c *Cluster) canMountVolume(pod *v1.Pod, v *v1.Volume) bool {
	name, is := world.ClaimOf(pod, v)
	if !is {
		return true
	}
	claim := c.claimAt(types.NamespacedName{Namespace: pod.Namespace, Name: name})
	if claim == nil || claim.DeletionTimestamp != nil || claim.Status.Phase != v1.ClaimBound {
		return false
	}
	if v.Ephemeral != nil && ephemeral.VolumeIsForPod(pod, claim) != nil {
		return false
	}
	volume := c.volumeAt(claim.Spec.VolumeName)
	return volume != nil && volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.UID == claim.UID &&
		c.reaches(pod, volume) && c.isAttached(volume, pod.Spec.NodeName)
}

// reaches reports whether a volume is accessible from a pod's node.
func (c *Cluster) reaches(pod *v1.Pod, volume *v1.PersistentVolume) bool {
	node := c.Node(pod.Spec.NodeName)
	if node == nil {
		return false
	}
	if err := storagevolume.CheckNodeAffinity(volume, node.Labels); err != nil {
		c.eventOn(pod, v1.EventTypeWarning, "FailedMount",
			fmt.Sprintf("MountVolume.NodeAffinity check failed for volume %q : %v", volume.Name, err), "kubelet")
		return false
	}
	return true
}

func (c *Cluster) isAttached(volume *v1.PersistentVolume, node string) bool {
	driver := c.attacherOf(volume)
	if driver == "" {
		return true
	}
	for _, name := range c.storage.attachments[volume.Name] {
		a := c.attachmentAt(name)
		if a.Spec.NodeName == node && a.Status.Attached && a.DeletionTimestamp == nil {
			return true
		}
	}
	return false
}

// notifyMounts makes kubelets look again at the pods that wait for a volume.
func (c *Cluster) notifyMounts(name string) {
	volume := c.volumeAt(name)
	if volume == nil || volume.Spec.ClaimRef == nil {
		return
	}
	for _, user := range c.storage.references[claimKey(volume.Spec.ClaimRef)].pods {
		c.retryPod(c.Pod(volume.Spec.ClaimRef.Namespace, user))
	}
}
