package volumebinding

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// podClaims are the claims of a pod that none of them rejects.
type podClaims struct {
	bound     []*boundClaim
	delayed   []*delayedClaim // in the pod's order
	bySize    []*delayedClaim // those that no node is selected for, the smallest first
	immediate bool            // whether a claim has to be bound before the pod is placed
}

// boundClaim is a claim with its volume.
type boundClaim struct {
	held   *v1.PersistentVolume // nil if there is none
	reach  volumes.Reach
	plugin string // the in-tree plugin that a CSI driver may have replaced on a node; empty if none can

	translated *volumes.Reach // how the driver reaches nodes, once it was needed
	failure    error          // of the translation
}

// delayedClaim is a claim that is bound with its pod.
type delayedClaim struct {
	*v1.PersistentVolumeClaim
	selected bool   // whether a node was selected before
	node     string // that was

	matching *volumes.Matching // unless a node is selected
	failure  error             // of the matching
	source   *provisioning     // once it was needed
}

// claimsOf returns the claims of a pod as the API server has them. A claim that cannot be used yet is an error.
func (pl *VolumeBinding) claimsOf(pod *v1.Pod) ([]*v1.PersistentVolumeClaim, error) {
	var claims []*v1.PersistentVolumeClaim
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		name, is := world.ClaimOf(pod, v)
		if !is {
			continue
		}
		claim := pl.volumes.StoredClaim(pod.Namespace, name)
		switch {
		case claim == nil && v.Ephemeral != nil:
			return nil, fmt.Errorf("waiting for ephemeral volume controller to create the persistentvolumeclaim %q", name)
		case claim == nil:
			return nil, apierrors.NewNotFound(v1.Resource("persistentvolumeclaim"), name)
		case claim.Status.Phase == v1.ClaimLost:
			return nil, fmt.Errorf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", claim.Name, claim.Spec.VolumeName)
		case claim.DeletionTimestamp != nil:
			return nil, fmt.Errorf("persistentvolumeclaim %q is being deleted", claim.Name)
		}
		if v.Ephemeral != nil {
			if err := ephemeral.VolumeIsForPod(pod, claim); err != nil {
				return nil, err
			}
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// sortClaims sorts claims, as they are assumed to be, by what has to be done about them.
func (pl *VolumeBinding) sortClaims(claims []*v1.PersistentVolumeClaim) (*podClaims, error) {
	sorted := &podClaims{}
	for _, stored := range claims {
		claim := pl.volumes.Claim(stored.Namespace, stored.Name)
		if volumes.IsBound(claim) {
			sorted.bound = append(sorted.bound, pl.newBoundClaim(claim))
			continue
		}
		delayed, err := volume.IsDelayBindingMode(claim, pl.classes)
		if err != nil {
			return nil, err
		}
		if !delayed || claim.Spec.VolumeName != "" {
			sorted.immediate = true
			continue
		}
		node, selected := claim.Annotations[volume.AnnSelectedNode]
		sorted.delayed = append(sorted.delayed, &delayedClaim{PersistentVolumeClaim: claim, selected: selected, node: node})
	}
	if !sorted.immediate {
		pl.match(sorted)
	}
	return sorted, nil
}

// match finds the volumes that each claim can get on one node or another.
func (pl *VolumeBinding) match(sorted *podClaims) {
	for _, c := range sorted.delayed {
		if !c.selected {
			c.matching, c.failure = pl.volumes.Match(c.PersistentVolumeClaim, pl.attributesClass)
			sorted.bySize = append(sorted.bySize, c)
		}
	}
	slices.SortStableFunc(sorted.bySize, func(a, b *delayedClaim) int {
		mine, other := a.Spec.Resources.Requests[v1.ResourceStorage], b.Spec.Resources.Requests[v1.ResourceStorage]
		return mine.Cmp(other)
	})
}

func (pl *VolumeBinding) newBoundClaim(claim *v1.PersistentVolumeClaim) *boundClaim {
	if pv := pl.volumes.Volume(claim.Spec.VolumeName); pv != nil {
		return newBoundVolume(pv)
	}
	return &boundClaim{}
}

func newBoundVolume(pv *v1.PersistentVolume) *boundClaim {
	return &boundClaim{held: pv, reach: volumes.ReachOf(pv), plugin: csimigration.PluginOf(pv)}
}
