package mk

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// VolumeBuilder builds a PersistentVolume; Obj hands it over.
type VolumeBuilder struct{ volume *v1.PersistentVolume }

// Volume starts an available CSI volume that one node at a time may write.
func Volume(name string) *VolumeBuilder {
	return &VolumeBuilder{&v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("volume/" + name)},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name},
			},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}}
}

// Obj is the volume as built so far.
func (b *VolumeBuilder) Obj() *v1.PersistentVolume { return b.volume }

// Size sets the capacity.
func (b *VolumeBuilder) Size(size string) *VolumeBuilder {
	b.volume.Spec.Capacity = Resources("storage", size)
	return b
}

// Class names the volume's StorageClass.
func (b *VolumeBuilder) Class(name string) *VolumeBuilder {
	b.volume.Spec.StorageClassName = name
	return b
}

// On lets only nodes with one of a label's values use the volume.
func (b *VolumeBuilder) On(label string, values ...string) *VolumeBuilder {
	b.volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: label, Operator: v1.NodeSelectorOpIn, Values: values}},
	}}}}
	return b
}

// For binds the volume to a claim; the claim does not know yet.
func (b *VolumeBuilder) For(claim *v1.PersistentVolumeClaim) *VolumeBuilder {
	b.volume.Spec.ClaimRef = &v1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	b.volume.Status.Phase = v1.VolumeBound
	return b
}

// ClaimBuilder builds a PersistentVolumeClaim; Obj hands it over.
type ClaimBuilder struct{ claim *v1.PersistentVolumeClaim }

// Claim starts a claim that wants to write its volume from one node at a time.
func Claim(name string) *ClaimBuilder {
	return &ClaimBuilder{&v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("claim/default/" + name)},
		Spec:       v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}},
		Status:     v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}}
}

// Obj is the claim as built so far.
func (b *ClaimBuilder) Obj() *v1.PersistentVolumeClaim { return b.claim }

// Namespace moves the claim to another namespace, and its UID with it.
func (b *ClaimBuilder) Namespace(ns string) *ClaimBuilder {
	b.claim.Namespace = ns
	b.claim.UID = types.UID("claim/" + ns + "/" + b.claim.Name)
	return b
}

// Size sets the size that is asked for.
func (b *ClaimBuilder) Size(size string) *ClaimBuilder {
	b.claim.Spec.Resources.Requests = Resources("storage", size)
	return b
}

// Class names the claim's StorageClass.
func (b *ClaimBuilder) Class(name string) *ClaimBuilder {
	b.claim.Spec.StorageClassName = &name
	return b
}

// Bound binds the claim to a volume.
func (b *ClaimBuilder) Bound(volume string) *ClaimBuilder {
	b.claim.Spec.VolumeName, b.claim.Status.Phase = volume, v1.ClaimBound
	metav1.SetMetaDataAnnotation(&b.claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
	return b
}

// Annotation sets an annotation.
func (b *ClaimBuilder) Annotation(key, value string) *ClaimBuilder {
	metav1.SetMetaDataAnnotation(&b.claim.ObjectMeta, key, value)
	return b
}

// StorageClass is a class whose claims are bound with their pods. Volumes are provisioned if there is a provisioner.
func StorageClass(name, provisioner string) *storagev1.StorageClass {
	later := storagev1.VolumeBindingWaitForFirstConsumer
	if provisioner == "" {
		provisioner = "kubernetes.io/no-provisioner"
	}
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("class/" + name)}, Provisioner: provisioner, VolumeBindingMode: &later,
	}
}

// CSIDriver is a driver that publishes how much it can provision.
func CSIDriver(name string) *storagev1.CSIDriver {
	yes := true
	return &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("driver/" + name)}, Spec: storagev1.CSIDriverSpec{StorageCapacity: &yes},
	}
}

// StorageCapacity is what can be provisioned of a class on nodes with a label.
func StorageCapacity(name, class, size, label, value string) *storagev1.CSIStorageCapacity {
	total := resource.MustParse(size)
	return &storagev1.CSIStorageCapacity{
		ObjectMeta:       metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("capacity/" + name)},
		StorageClassName: class, Capacity: &total,
		NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{label: value}},
	}
}

// CSINode says that a driver runs on a node, which can attach so many of its volumes.
func CSINode(node, driver string, limit int32) *storagev1.CSINode {
	return &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID("csinode/" + node)},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
			Name: driver, NodeID: node, Allocatable: &storagev1.VolumeNodeResources{Count: &limit},
		}}},
	}
}
