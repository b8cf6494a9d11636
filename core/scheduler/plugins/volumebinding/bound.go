package volumebinding

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/scheduler/volumes"
)

// errPending says that a binding is not complete yet.
var errPending = errors.New("not bound yet")

// allBound reports whether every claim is bound as it was decided. It is an error if it never will be.
func (pl *VolumeBinding) allBound(r *reserved, pod *v1.Pod, node string) (bool, error) {
	target, err := pl.nodes.Get(node)
	if err != nil {
		return false, fmt.Errorf("failed to get node %q: %w", node, err)
	}
	held, err := pl.pods.Pods(pod.Namespace).Get(pod.Name)
	if err == nil && held.UID != pod.UID {
		err = apierrors.NewNotFound(v1.Resource("pod"), pod.Name)
	}
	if err != nil {
		return false, fmt.Errorf("pod does not exist any more: %w", err)
	}
	for i := range r.volumes {
		if err := pl.checkVolume(&r.volumes[i], target); err != nil {
			return false, orPending(err)
		}
	}
	for i := range r.claims {
		if err := pl.checkClaim(&r.claims[i], target); err != nil {
			return false, orPending(err)
		}
	}
	return true, nil
}

func orPending(err error) error {
	if errors.Is(err, errPending) {
		return nil
	}
	return err
}

// checkVolume checks a volume that was claimed.
func (pl *VolumeBinding) checkVolume(w *volumeWrite, node *v1.Node) error {
	pv := pl.volumes.StoredVolume(w.assumed.Name)
	if pv == nil {
		return fmt.Errorf("failed to check binding: %w", apierrors.NewNotFound(v1.Resource("persistentvolumes"), w.assumed.Name))
	}
	claim, err := pl.stored(w.claim)
	switch {
	case err != nil:
		return fmt.Errorf("failed to check binding: %w", err)
	case w.needed() && unread(pv, w.stored):
		return errPending
	}
	reach, err := pl.reachOn(newBoundVolume(pv), node.Name)
	if err != nil {
		return fmt.Errorf("failed to translate pv to csi: %w", err)
	}
	if err := checkReach(reach, pv, node); err != nil {
		return err
	}
	if pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID == "" {
		return fmt.Errorf("ClaimRef got reset for pv %q", pv.Name)
	}
	if !volumes.IsBound(claim) {
		return errPending
	}
	return nil
}

// checkClaim checks a claim that is provisioned.
func (pl *VolumeBinding) checkClaim(w *claimWrite, node *v1.Node) error {
	claim, err := pl.stored(w.chosen)
	switch {
	case err != nil:
		return fmt.Errorf("failed to check provisioning pvc: %w", err)
	case unread(claim, w.chosen):
		return errPending
	case claim.Annotations == nil:
		return fmt.Errorf("selectedNode annotation reset for PVC %q", claim.Name)
	case claim.Annotations[volume.AnnSelectedNode] != node.Name:
		return fmt.Errorf("provisioning failed for PVC %q", claim.Name)
	}
	if claim.Spec.VolumeName != "" {
		pv := pl.volumes.StoredVolume(claim.Spec.VolumeName)
		if pv == nil {
			return errPending
		}
		reach, err := pl.reachOn(newBoundVolume(pv), node.Name)
		if err != nil {
			return err
		}
		if err := checkReach(reach, pv, node); err != nil {
			return err
		}
	}
	if !volumes.IsBound(claim) {
		return errPending
	}
	return nil
}

func (pl *VolumeBinding) stored(claim *v1.PersistentVolumeClaim) (*v1.PersistentVolumeClaim, error) {
	if held := pl.volumes.StoredClaim(claim.Namespace, claim.Name); held != nil {
		return held, nil
	}
	return nil, apierrors.NewNotFound(v1.Resource("persistentvolumeclaims"), claim.Namespace+"/"+claim.Name)
}

// checkReach checks that a volume reaches the node.
func checkReach(reach volumes.Reach, pv *v1.PersistentVolume, node *v1.Node) error {
	if err := reach.Check(node.Labels); err != nil {
		return fmt.Errorf("pv %q node affinity doesn't match node %q: %w", pv.Name, node.Name, err)
	}
	return nil
}

func byController(pv *v1.PersistentVolume) bool {
	return metav1.HasAnnotation(pv.ObjectMeta, volume.AnnBoundByController)
}
