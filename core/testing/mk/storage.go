package mk

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// ClaimBuilder builds a PersistentVolumeClaim; Obj hands it over.
type ClaimBuilder struct{ claim *v1.PersistentVolumeClaim }

// Claim starts a claim without a class, for reading and writing on one node.
func Claim(name string) *ClaimBuilder {
	b := &ClaimBuilder{&v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}},
		Status:     v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}}
	return b.Namespace(metav1.NamespaceDefault)
}

// Obj is the claim as built so far.
func (b *ClaimBuilder) Obj() *v1.PersistentVolumeClaim { return b.claim }

// Namespace sets the namespace, and the UID with it.
func (b *ClaimBuilder) Namespace(namespace string) *ClaimBuilder {
	b.claim.Namespace, b.claim.UID = namespace, types.UID("claim/"+namespace+"/"+b.claim.Name)
	return b
}

// Size sets the requested size.
func (b *ClaimBuilder) Size(size string) *ClaimBuilder {
	b.claim.Spec.Resources.Requests = Resources("storage", size)
	return b
}

// Class sets the class.
func (b *ClaimBuilder) Class(name string) *ClaimBuilder {
	b.claim.Spec.StorageClassName = &name
	return b
}

// Mode sets the access modes.
func (b *ClaimBuilder) Mode(modes ...v1.PersistentVolumeAccessMode) *ClaimBuilder {
	b.claim.Spec.AccessModes = modes
	return b
}

// Bound binds the claim to a volume.
func (b *ClaimBuilder) Bound(volume string) *ClaimBuilder {
	b.claim.Spec.VolumeName, b.claim.Status.Phase = volume, v1.ClaimBound
	return b.Annotation("pv.kubernetes.io/bind-completed", "yes")
}

// Annotation sets an annotation.
func (b *ClaimBuilder) Annotation(key, value string) *ClaimBuilder {
	set(&b.claim.Annotations, key, value)
	return b
}

// Owner makes a pod of the namespace the owner, as of a generic ephemeral volume.
func (b *ClaimBuilder) Owner(pod string) *ClaimBuilder {
	owner := Pod(pod).Namespace(b.claim.Namespace).Obj()
	b.claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, UID: owner.UID, Controller: ptr.To(true)}}
	return b
}

// VolumeBuilder builds a PersistentVolume; Obj hands it over.
type VolumeBuilder struct{ volume *v1.PersistentVolume }

// Volume starts an available volume without a source, for reading and writing on one node.
func Volume(name string) *VolumeBuilder {
	return &VolumeBuilder{&v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("volume/" + name)},
		Spec:       v1.PersistentVolumeSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}},
		Status:     v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
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

// Label sets one label.
func (b *VolumeBuilder) Label(key, value string) *VolumeBuilder {
	set(&b.volume.Labels, key, value)
	return b
}

// CSI makes it a volume of a CSI driver.
func (b *VolumeBuilder) CSI(driver, handle string) *VolumeBuilder {
	return b.Source(v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}})
}

// Source sets the source.
func (b *VolumeBuilder) Source(source v1.PersistentVolumeSource) *VolumeBuilder {
	b.volume.Spec.PersistentVolumeSource = source
	return b
}

// ClassBuilder builds a StorageClass; Obj hands it over.
type ClassBuilder struct{ class *storagev1.StorageClass }

// Class starts a class that binds claims at once.
func Class(name, provisioner string) *ClassBuilder {
	return &ClassBuilder{&storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: name, UID: types.UID("class/" + name)},
		Provisioner: provisioner, VolumeBindingMode: ptr.To(storagev1.VolumeBindingImmediate),
	}}
}

// Obj is the class as built so far.
func (b *ClassBuilder) Obj() *storagev1.StorageClass { return b.class }

// WaitForFirstConsumer delays binding until a pod is scheduled.
func (b *ClassBuilder) WaitForFirstConsumer() *ClassBuilder {
	b.class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)
	return b
}

// CSINodeBuilder builds the CSINode of a node; Obj hands it over.
type CSINodeBuilder struct{ node *storagev1.CSINode }

// CSINode starts a CSINode without drivers.
func CSINode(node string) *CSINodeBuilder {
	return &CSINodeBuilder{&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID("csinode/" + node)}}}
}

// Obj is the CSINode as built so far.
func (b *CSINodeBuilder) Obj() *storagev1.CSINode { return b.node }

// Driver adds a driver without a limit.
func (b *CSINodeBuilder) Driver(name string) *CSINodeBuilder {
	b.node.Spec.Drivers = append(b.node.Spec.Drivers, storagev1.CSINodeDriver{Name: name, NodeID: b.node.Name})
	return b
}

// Limit adds a driver that attaches so many volumes.
func (b *CSINodeBuilder) Limit(driver string, volumes int32) *CSINodeBuilder {
	b.Driver(driver)
	b.node.Spec.Drivers[len(b.node.Spec.Drivers)-1].Allocatable = &storagev1.VolumeNodeResources{Count: &volumes}
	return b
}

// Migrated names the in-tree plugins that the kubelet has migrated, separated by commas.
func (b *CSINodeBuilder) Migrated(plugins string) *CSINodeBuilder {
	set(&b.node.Annotations, v1.MigratedPluginsAnnotationKey, plugins)
	return b
}

// Attachment is a VolumeAttachment of a volume to a node.
func Attachment(name, node, attacher, volume string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("attachment/" + name)},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: attacher, NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
		},
	}
}

// CSIDriver is a driver that publishes how much it can provision.
func CSIDriver(name string) *storagev1.CSIDriver {
	return &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("driver/" + name)}, Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr.To(true)},
	}
}

// StorageCapacity is what can be provisioned of a class on nodes with a label.
func StorageCapacity(name, class, size, label, value string) *storagev1.CSIStorageCapacity {
	return &storagev1.CSIStorageCapacity{
		ObjectMeta:       metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault, UID: types.UID("capacity/" + name)},
		StorageClassName: class, Capacity: ptr.To(resource.MustParse(size)),
		NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{label: value}},
	}
}
