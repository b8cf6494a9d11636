package memory

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// volumeController names the controller of claims and volumes in events.
const volumeController = "persistentvolume-controller"

// syncClaim is the volume controller's sync of a claim.
func (c *Cluster) syncClaim(claim *v1.PersistentVolumeClaim) {
	if c.finishClaimDeletion(claim) {
		return
	}
	if isBindCompleted(claim) {
		c.checkBound(claim)
		return
	}
	claim = c.withDefaultClass(claim)
	if claim.Spec.VolumeName != "" {
		c.bindNamed(claim)
		return
	}
	delayed := isDelayed(c.classOf(claim))
	if volume := c.findVolume(claim, delayed); volume != nil {
		c.bindClaim(volume, claim)
		return
	}
	claim = c.setClaimPhase(claim, v1.ClaimPending)
	switch {
	case delayed && claim.Annotations[storagevolume.AnnSelectedNode] == "":
		c.eventOn(claim, v1.EventTypeNormal, "WaitForFirstConsumer",
			"waiting for first consumer to be created before binding", volumeController)
	case storagevolume.GetPersistentVolumeClaimClass(claim) == "":
		c.eventOn(claim, v1.EventTypeNormal, "FailedBinding",
			"no persistent volumes available for this claim and no storage class is set", volumeController)
	default:
		c.provision(claim)
	}
}

// isDelayed reports whether a class leaves the choice of a volume to the scheduler.
func isDelayed(class *storagev1.StorageClass) bool {
	return class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// findVolume returns the volume that refers to the claim or else, unless the binding is delayed, the smallest free one.
func (c *Cluster) findVolume(claim *v1.PersistentVolumeClaim, delayed bool) *v1.PersistentVolume {
	var candidates []*v1.PersistentVolume
	for _, name := range c.storage.references[keyOf(claim)].volumes {
		candidates = append(candidates, c.volumeAt(name))
	}
	if !delayed {
		class := storagevolume.GetPersistentVolumeClaimClass(claim)
		for _, key := range slices.SortedFunc(maps.Keys(c.storage.free[class]), compareKeys) {
			if volume := c.volumeAt(key.Name); storagevolume.CheckAccessModes(claim, volume) {
				candidates = append(candidates, volume)
			}
		}
	}
	volume, err := storagevolume.FindMatchingVolume(claim, candidates, nil, nil, delayed, true)
	if err != nil { // a selector that selects nothing
		return nil
	}
	return volume
}

// bindNamed binds a claim to the volume that its spec names, once there is one that is free or names the claim.
func (c *Cluster) bindNamed(claim *v1.PersistentVolumeClaim) {
	volume := c.volumeAt(claim.Spec.VolumeName)
	switch {
	case volume == nil:
	case volume.Spec.ClaimRef == nil:
		if why := mismatch(volume, claim); why != "" {
			c.eventOn(claim, v1.EventTypeWarning, "VolumeMismatch",
				fmt.Sprintf("Cannot bind to requested volume %q: %s", volume.Name, why), volumeController)
			break
		}
		c.bindClaim(volume, claim)
		return
	case storagevolume.IsVolumeBoundToClaim(volume, claim):
		c.bindClaim(volume, claim)
		return
	}
	c.setClaimPhase(claim, v1.ClaimPending)
}

// mismatch returns why a volume cannot satisfy a claim; empty if it can.
func mismatch(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) string {
	wanted, there := claim.Spec.Resources.Requests[v1.ResourceStorage], volume.Spec.Capacity[v1.ResourceStorage]
	switch {
	case there.Cmp(wanted) < 0:
		return "requested PV is too small"
	case storagevolume.GetPersistentVolumeClass(volume) != storagevolume.GetPersistentVolumeClaimClass(claim):
		return "storageClassName does not match"
	case storagevolume.CheckVolumeModeMismatches(&claim.Spec, &volume.Spec):
		return "incompatible volumeMode"
	case !storagevolume.CheckAccessModes(claim, volume):
		return "incompatible accessMode"
	}
	return ""
}

// checkBound checks a claim that was bound before: it is Lost without its volume.
func (c *Cluster) checkBound(claim *v1.PersistentVolumeClaim) {
	volume := c.volumeAt(claim.Spec.VolumeName)
	switch {
	case volume == nil:
		c.loseClaim(claim, "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
	case volume.Spec.ClaimRef == nil || volume.Spec.ClaimRef.UID == claim.UID:
		c.bindClaim(volume, claim)
	default:
		c.loseClaim(claim, "Two claims are bound to the same volume, this one is bound incorrectly")
	}
}

func (c *Cluster) loseClaim(claim *v1.PersistentVolumeClaim, note string) {
	if claim.Status.Phase != v1.ClaimLost {
		c.setClaimPhase(claim, v1.ClaimLost)
		c.eventOn(claim, v1.EventTypeWarning, "ClaimLost", note, volumeController)
	}
}

// bindClaim makes a volume and a claim refer to each other. Spec and status are separate writes, as in the API, so that
// watchers see the same states as on a real cluster.
func (c *Cluster) bindClaim(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) {
	claimed, changed, err := storagevolume.GetBindVolumeToClaim(volume, claim)
	if err != nil {
		return
	}
	if changed {
		c.write(world.PersistentVolume, volume, claimed)
		volume = claimed
	}
	c.setVolumePhase(volume, v1.VolumeBound)
	bound := *claim
	if claim.Spec.VolumeName != volume.Name {
		bound.Spec.VolumeName = volume.Name
		bound.Annotations = withEntry(bound.Annotations, storagevolume.AnnBoundByController, "yes")
	}
	if !isBindCompleted(claim) {
		bound.Annotations = withEntry(bound.Annotations, storagevolume.AnnBindCompleted, "yes")
	}
	claim = rewrite(c, world.PersistentVolumeClaim, claim, &bound)
	ready := *claim
	ready.Status = *claim.Status.DeepCopy()
	ready.Status.Phase, ready.Status.AccessModes = v1.ClaimBound, volume.Spec.AccessModes
	ready.Status.Capacity = volume.Spec.Capacity
	rewrite(c, world.PersistentVolumeClaim, claim, &ready)
}

func (c *Cluster) setClaimPhase(claim *v1.PersistentVolumeClaim, phase v1.PersistentVolumeClaimPhase) *v1.PersistentVolumeClaim {
	next := *claim
	next.Status.Phase = phase
	if phase == v1.ClaimPending {
		next.Status.AccessModes, next.Status.Capacity = nil, nil
	}
	return rewrite(c, world.PersistentVolumeClaim, claim, &next)
}

func (c *Cluster) setVolumePhase(volume *v1.PersistentVolume, phase v1.PersistentVolumePhase) *v1.PersistentVolume {
	if volume.Status.Phase == phase {
		return volume
	}
	next := *volume
	now := metav1.Time{Time: c.now}
	next.Status.Phase, next.Status.LastPhaseTransitionTime = phase, &now
	c.write(world.PersistentVolume, volume, &next)
	return &next
}

// withDefaultClass gives a claim that was created before there was a default class the present one.
func (c *Cluster) withDefaultClass(claim *v1.PersistentVolumeClaim) *v1.PersistentVolumeClaim {
	class := c.defaultStorageClass()
	if storagevolume.PersistentVolumeClaimHasClass(claim) || class == nil {
		return claim
	}
	next := *claim
	next.Spec.StorageClassName = &class.Name
	c.write(world.PersistentVolumeClaim, claim, &next)
	return &next
}
