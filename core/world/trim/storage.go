package trim

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

func trimVolume(pv *v1.PersistentVolume) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		TypeMeta: pv.TypeMeta, ObjectMeta: trimMeta(&pv.ObjectMeta), Spec: trimVolumeSpec(&pv.Spec),
		Status: v1.PersistentVolumeStatus{Phase: pv.Status.Phase},
	}
}

// trimVolumeSpec keeps the sources that a CSI driver may serve; of other disks only the topology matters.
func trimVolumeSpec(s *v1.PersistentVolumeSpec) v1.PersistentVolumeSpec {
	kept := v1.PersistentVolumeSpec{
		Capacity:                      s.Capacity,
		AccessModes:                   s.AccessModes,
		ClaimRef:                      s.ClaimRef,
		PersistentVolumeReclaimPolicy: s.PersistentVolumeReclaimPolicy,
		StorageClassName:              s.StorageClassName,
		VolumeMode:                    s.VolumeMode,
		NodeAffinity:                  s.NodeAffinity,
		VolumeAttributesClassName:     s.VolumeAttributesClassName,
	}
	if d := s.CSI; d != nil {
		kept.CSI = &v1.CSIPersistentVolumeSource{Driver: d.Driver, VolumeHandle: d.VolumeHandle, ReadOnly: d.ReadOnly, FSType: d.FSType}
	}
	kept.GCEPersistentDisk = s.GCEPersistentDisk
	kept.AWSElasticBlockStore = s.AWSElasticBlockStore
	kept.AzureDisk = s.AzureDisk
	kept.VsphereVolume = s.VsphereVolume
	kept.PortworxVolume = s.PortworxVolume
	if d := s.AzureFile; d != nil {
		kept.AzureFile = &v1.AzureFilePersistentVolumeSource{
			ShareName: d.ShareName, ReadOnly: d.ReadOnly, SecretNamespace: hiddenNamespace(d.SecretNamespace),
		}
	}
	if d := s.Cinder; d != nil {
		kept.Cinder = &v1.CinderPersistentVolumeSource{VolumeID: d.VolumeID, FSType: d.FSType, ReadOnly: d.ReadOnly}
	}
	return kept
}

// hiddenNamespace hides the namespace of a share's secret, but not that there is one: without one, a share that is not
// claimed has no translation to CSI.
func hiddenNamespace(namespace *string) *string {
	if namespace == nil || *namespace == "" {
		return namespace
	}
	hidden := "hidden"
	return &hidden
}

func trimClaim(c *v1.PersistentVolumeClaim) v1.PersistentVolumeClaim {
	return v1.PersistentVolumeClaim{
		TypeMeta:   c.TypeMeta,
		ObjectMeta: trimMeta(&c.ObjectMeta),
		Spec:       trimClaimSpec(&c.Spec),
		Status: v1.PersistentVolumeClaimStatus{
			Phase:                            c.Status.Phase,
			AccessModes:                      c.Status.AccessModes,
			Capacity:                         c.Status.Capacity,
			CurrentVolumeAttributesClassName: c.Status.CurrentVolumeAttributesClassName,
		},
	}
}

// trimClaimSpec drops the data source.
func trimClaimSpec(s *v1.PersistentVolumeClaimSpec) v1.PersistentVolumeClaimSpec {
	return v1.PersistentVolumeClaimSpec{
		AccessModes:               s.AccessModes,
		Selector:                  s.Selector,
		Resources:                 s.Resources,
		VolumeName:                s.VolumeName,
		StorageClassName:          s.StorageClassName,
		VolumeMode:                s.VolumeMode,
		VolumeAttributesClassName: s.VolumeAttributesClassName,
	}
}

// trimStorageClass drops the parameters, which name secrets among others, and the mount options.
func trimStorageClass(c *storagev1.StorageClass) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		TypeMeta:             c.TypeMeta,
		ObjectMeta:           trimMeta(&c.ObjectMeta),
		Provisioner:          c.Provisioner,
		ReclaimPolicy:        c.ReclaimPolicy,
		AllowVolumeExpansion: c.AllowVolumeExpansion,
		VolumeBindingMode:    c.VolumeBindingMode,
		AllowedTopologies:    c.AllowedTopologies,
	}
}

// trimCSINode drops the drivers' names of the node.
func trimCSINode(n *storagev1.CSINode) *storagev1.CSINode {
	return &storagev1.CSINode{
		TypeMeta:   n.TypeMeta,
		ObjectMeta: trimMeta(&n.ObjectMeta),
		Spec: storagev1.CSINodeSpec{Drivers: mapSlice(n.Spec.Drivers, func(d *storagev1.CSINodeDriver) storagev1.CSINodeDriver {
			return storagev1.CSINodeDriver{Name: d.Name, TopologyKeys: d.TopologyKeys, Allocatable: d.Allocatable}
		})},
	}
}

func trimCSIDriver(d *storagev1.CSIDriver) *storagev1.CSIDriver {
	return &storagev1.CSIDriver{
		TypeMeta:   d.TypeMeta,
		ObjectMeta: trimMeta(&d.ObjectMeta),
		Spec: storagev1.CSIDriverSpec{
			AttachRequired: d.Spec.AttachRequired, StorageCapacity: d.Spec.StorageCapacity,
			PreventPodSchedulingIfMissing: d.Spec.PreventPodSchedulingIfMissing,
		},
	}
}

func trimStorageCapacity(c *storagev1.CSIStorageCapacity) *storagev1.CSIStorageCapacity {
	return &storagev1.CSIStorageCapacity{
		TypeMeta:          c.TypeMeta,
		ObjectMeta:        trimMeta(&c.ObjectMeta),
		NodeTopology:      c.NodeTopology,
		StorageClassName:  c.StorageClassName,
		Capacity:          c.Capacity,
		MaximumVolumeSize: c.MaximumVolumeSize,
	}
}

// trimAttachment drops a volume that the attachment itself describes: only those of a PersistentVolume are counted.
func trimAttachment(a *storagev1.VolumeAttachment) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		TypeMeta: a.TypeMeta, ObjectMeta: trimMeta(&a.ObjectMeta),
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: a.Spec.Attacher, NodeName: a.Spec.NodeName,
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: a.Spec.Source.PersistentVolumeName},
		},
		Status: storagev1.VolumeAttachmentStatus{Attached: a.Status.Attached},
	}
}
