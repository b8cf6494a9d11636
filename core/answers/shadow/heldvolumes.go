package shadow

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// The other scheduler writes volumes and claims of both kinds before it binds their pod, and the cluster's controllers may take longer
// than PredictionTimeout to answer. So a held write succeeds as soon as the object has it.

// showsWrites reports whether objects of a kind can show that a held write was made.
func showsWrites(kind world.Kind) bool {
	return kind == world.PersistentVolume || kind == world.PersistentVolumeClaim || kind == world.ResourceClaim
}

// compareWrite resolves a held write by its object.
func (p *heldBindings) compareWrite(one heldBinding, known store.View) {
	switch act := one.action.(type) {
	case world.ClaimVolume:
		p.compareReference(one, act, known)
	case world.SelectNode:
		p.compareNode(one, act, known)
	case world.ReserveResourceClaim:
		p.compareReservation(one, act, known)
	}
}

// compareReference resolves a held claim in a volume by the claim that the volume has. A volume that its user bound before
// has its claim's name, but not its UID.
func (p *heldBindings) compareReference(one heldBinding, act world.ClaimVolume, known store.View) {
	pv, ok := known.Object(world.PersistentVolume, "", act.Volume.Name).(*v1.PersistentVolume)
	claim, _ := known.Object(world.PersistentVolumeClaim, act.Claim.Namespace, act.Claim.Name).(*v1.PersistentVolumeClaim)
	switch {
	case claim != nil && claim.Spec.VolumeName != "" && claim.Spec.VolumeName != act.Volume.Name:
		p.fail(one, metav1.StatusReasonConflict, "the claim was bound to volume "+printable.Line(claim.Spec.VolumeName, 100))
	case !ok || pv.UID != act.Volume.UID:
		p.fail(one, metav1.StatusReasonNotFound, "the volume is gone")
	case pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID == "":
	case pv.Spec.ClaimRef.UID == act.Claim.UID:
		p.succeed(one)
	default:
		ref := pv.Spec.ClaimRef
		p.fail(one, metav1.StatusReasonConflict, "the volume was claimed by "+printable.Line(ref.Namespace+"/"+ref.Name, 100))
	}
}

// compareReservation resolves a held reservation by the users of the claim, and by the devices that it has.
func (p *heldBindings) compareReservation(one heldBinding, act world.ReserveResourceClaim, known store.View) {
	claim, ok := known.Object(world.ResourceClaim, act.Claim.Namespace, act.Claim.Name).(*resourcev1.ResourceClaim)
	if !ok || act.Claim.UID != "" && claim.UID != act.Claim.UID {
		p.fail(one, metav1.StatusReasonNotFound, "the resource claim is gone")
		return
	}
	reserved, err := act.Apply(claim)
	switch {
	case err != nil:
		p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler did otherwise: "+printable.Line(err.Error(), 200))
	case reserved == claim:
		p.succeed(one)
	}
}

// compareNode resolves a held node in a claim by the node or the volume that the claim has.
func (p *heldBindings) compareNode(one heldBinding, act world.SelectNode, known store.View) {
	claim, ok := known.Object(world.PersistentVolumeClaim, act.Claim.Namespace, act.Claim.Name).(*v1.PersistentVolumeClaim)
	if !ok || claim.UID != act.Claim.UID {
		p.fail(one, metav1.StatusReasonNotFound, "the claim is gone")
		return
	}
	switch node := claim.Annotations[volume.AnnSelectedNode]; {
	case node == act.Node:
		p.succeed(one)
	case node != "":
		p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler selected "+printable.Line(node, 100)+" for the claim")
	case claim.Spec.VolumeName != "":
		p.fail(one, metav1.StatusReasonConflict, "the claim was bound to volume "+printable.Line(claim.Spec.VolumeName, 100))
	}
}
