package outcome

import (
	"maps"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Of returns the changes that follow from an action, in order. There are none if it is not about volumes, or about objects
// that are gone.
func Of(action world.Action, held store.View) []world.Event {
	switch act := action.(type) {
	case world.ClaimVolume:
		return claimed(act, held)
	case world.SelectNode:
		return selected(act, held)
	}
	return nil
}

func claimed(act world.ClaimVolume, held store.View) []world.Event {
	claim := heldClaim(act.Claim, held)
	pv, ok := held.Object(world.PersistentVolume, "", act.Volume.Name).(*v1.PersistentVolume)
	if claim == nil || !ok || pv.UID != act.Volume.UID {
		return nil
	}
	return bindBoth(claim, pv, act.ByController)
}

// Bound returns the changes when the volume controller binds a claim to a volume of its choice.
func Bound(claim *v1.PersistentVolumeClaim, pv *v1.PersistentVolume) []world.Event {
	return bindBoth(claim, pv, true)
}

func bindBoth(claim *v1.PersistentVolumeClaim, pv *v1.PersistentVolume, byController bool) []world.Event {
	bound := *pv
	ref := world.ClaimReference(world.ObjectRefOf(claim))
	bound.ResourceVersion, bound.Spec.ClaimRef, bound.Status.Phase = "", &ref, v1.VolumeBound
	if byController {
		bound.Annotations = annotated(bound.Annotations, volume.AnnBoundByController, "yes")
	}
	return []world.Event{world.Changed{Op: world.Modified, Object: &bound}, bind(claim, &bound)}
}

// Provisioned returns the changes when a class makes a volume for a claim that does not wait for its pod: one that every
// node reaches.
func Provisioned(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass) []world.Event {
	pv := provisioned(claim, class, nil)
	return []world.Event{world.Changed{Op: world.Added, Object: pv}, bind(claim, pv)}
}

// selected answers as the class's provisioner. Without a provisioner the claim waits.
func selected(act world.SelectNode, held store.View) []world.Event {
	claim := heldClaim(act.Claim, held)
	if claim == nil {
		return nil
	}
	withNode := *claim
	withNode.ResourceVersion, withNode.Annotations = "", annotated(claim.Annotations, volume.AnnSelectedNode, act.Node)
	events := []world.Event{world.Changed{Op: world.Modified, Object: &withNode}}
	class, ok := held.Object(world.StorageClass, "", volume.GetPersistentVolumeClaimClass(claim)).(*storagev1.StorageClass)
	if !ok || class.Provisioner == "" || class.Provisioner == volume.NotSupportedProvisioner {
		return events
	}
	pv := provisioned(&withNode, class, held.Node(act.Node))
	return append(events, world.Changed{Op: world.Added, Object: pv}, bind(&withNode, pv))
}

func heldClaim(ref world.ObjectRef, held store.View) *v1.PersistentVolumeClaim {
	claim, ok := held.Object(world.PersistentVolumeClaim, ref.Namespace, ref.Name).(*v1.PersistentVolumeClaim)
	if !ok || claim.UID != ref.UID {
		return nil
	}
	return claim
}

// bind returns the claim's change when it gets its volume.
func bind(claim *v1.PersistentVolumeClaim, pv *v1.PersistentVolume) world.Event {
	bound := *claim
	bound.ResourceVersion = ""
	if bound.Spec.VolumeName == "" {
		bound.Annotations = annotated(bound.Annotations, volume.AnnBoundByController, "yes")
	}
	bound.Annotations = annotated(bound.Annotations, volume.AnnBindCompleted, "yes")
	bound.Spec.VolumeName = pv.Name
	bound.Status.Phase, bound.Status.Capacity, bound.Status.AccessModes = v1.ClaimBound, pv.Spec.Capacity, pv.Spec.AccessModes
	return world.Changed{Op: world.Modified, Object: &bound}
}

// provisioned returns the volume made for a claim, reachable from the node's zone, or from everywhere if it has none.
func provisioned(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, node *v1.Node) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{}
	pv.Name = "pvc-" + strings.ReplaceAll(string(claim.UID), "/", "-") // UIDs that people wrote may have slashes
	pv.UID = claim.UID
	pv.Annotations = map[string]string{volume.AnnDynamicallyProvisioned: class.Provisioner}
	ref := world.ClaimReference(world.ObjectRefOf(claim))
	pv.Spec = v1.PersistentVolumeSpec{
		Capacity:                      v1.ResourceList{v1.ResourceStorage: claim.Spec.Resources.Requests[v1.ResourceStorage]},
		AccessModes:                   claim.Spec.AccessModes,
		VolumeMode:                    claim.Spec.VolumeMode,
		ClaimRef:                      &ref,
		PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimDelete,
		StorageClassName:              class.Name,
		VolumeAttributesClassName:     claim.Spec.VolumeAttributesClassName,
		PersistentVolumeSource: v1.PersistentVolumeSource{
			CSI: &v1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: pv.Name},
		},
	}
	if class.ReclaimPolicy != nil {
		pv.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	if node != nil && node.Labels[v1.LabelTopologyZone] != "" {
		pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{node.Labels[v1.LabelTopologyZone]}},
			},
		}}}}
	}
	pv.Status.Phase = v1.VolumeBound
	return pv
}

// annotated returns a copy of annotations with one more.
func annotated(annotations map[string]string, key, value string) map[string]string {
	more := maps.Clone(annotations)
	if more == nil {
		more = map[string]string{}
	}
	more[key] = value
	return more
}
