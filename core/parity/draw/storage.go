package draw

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
)

func (r Filler) size(list v1.ResourceList) v1.ResourceList {
	list["storage"] = resource.MustParse(pick(r, "1Gi", "2Gi", "0", "-1", "500m"))
	return list
}

// Claim draws a claim to a volume.
func (r Filler) Claim() *v1.PersistentVolumeClaim {
	o := &v1.PersistentVolumeClaim{}
	r.Meta(o, "default")
	o.Spec = r.claimSpec()
	return o
}

func (r Filler) claimSpec() v1.PersistentVolumeClaimSpec {
	s := v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}}
	s.Resources.Requests = r.size(v1.ResourceList{})
	if r.atEdge() {
		delete(s.Resources.Requests, "storage")
	}
	class := pick(r, "a", "b", "", "x y")
	s.StorageClassName = &class
	for range r.IntN(3) {
		r.Field(difftest.Pick[any](r.Source, &s.AccessModes, &s.StorageClassName, &s.VolumeMode, &s.VolumeName, &s.Selector, &s.VolumeAttributesClassName))
	}
	return s
}

// Volume draws a volume: a CSI driver's, a local one or another one.
func (r Filler) Volume() *v1.PersistentVolume {
	o := &v1.PersistentVolume{}
	r.Meta(o, "")
	s := &o.Spec
	s.AccessModes, s.Capacity = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, r.size(v1.ResourceList{})
	s.VolumeMode = difftest.Pick(r.Source, nil, ptr.To(v1.PersistentVolumeBlock))
	s.PersistentVolumeReclaimPolicy = pick[v1.PersistentVolumeReclaimPolicy](r, "Retain", "Delete", "Recycle", "", "Other")
	if r.Bool() {
		s.CSI = &v1.CSIPersistentVolumeSource{Driver: pick(r, "a", "ebs.csi.aws.com", "", "x y", "UPPER"), VolumeHandle: pick(r, "a", "b", "")}
	}
	if s.CSI == nil || r.atEdge() {
		s.Local = &v1.LocalVolumeSource{Path: pick(r, "/a", "/b", "")}
		r.Field(&s.NodeAffinity)
	}
	for range r.IntN(3) {
		r.Field(difftest.Pick[any](r.Source, &s.AccessModes, &s.StorageClassName, &s.VolumeMode, &s.NodeAffinity, &s.VolumeAttributesClassName))
	}
	if r.atEdge() {
		s.Capacity = r.amounts()
	}
	return o
}

// StorageClass draws one.
func (r Filler) StorageClass() *storagev1.StorageClass {
	o := &storagev1.StorageClass{Provisioner: pick(r, "a", "ebs.csi.aws.com", "", "x y", "UPPER")}
	r.Meta(o, "")
	r.Field(&o.ReclaimPolicy)
	r.Field(&o.VolumeBindingMode)
	if r.Bool() {
		r.Field(&o.AllowedTopologies)
	}
	o.Parameters = difftest.Pick(r.Source, nil, map[string]string{"a": "b"})
	return o
}
