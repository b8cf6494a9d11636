package draw

import (
	"strings"

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

// CSIDriver draws what is known of a driver.
func (r Filler) CSIDriver() *storagev1.CSIDriver {
	o := &storagev1.CSIDriver{}
	r.Meta(o, "")
	s := &o.Spec
	for range r.IntN(5) {
		r.Field(difftest.Pick[any](r.Source, &s.AttachRequired, &s.PodInfoOnMount, &s.StorageCapacity, &s.FSGroupPolicy, &s.RequiresRepublish,
			&s.SELinuxMount, &s.ServiceAccountTokenInSecrets))
	}
	if r.OneIn(3) {
		s.NodeAllocatableUpdatePeriodSeconds = ptr.To(pick[int64](r, 10, 60, 9, 0, -1))
	}
	s.VolumeLifecycleModes = difftest.Pick(r.Source, nil, []storagev1.VolumeLifecycleMode{"Persistent"}, []storagev1.VolumeLifecycleMode{"Ephemeral", "Persistent"})
	if r.atEdge() {
		s.VolumeLifecycleModes = append(s.VolumeLifecycleModes, "Other")
	}
	for range r.IntN(3) {
		request := storagev1.TokenRequest{Audience: pick(r, "a", "b", "")}
		if r.Bool() {
			request.ExpirationSeconds = ptr.To(pick[int64](r, 600, 3600, 599, 1<<32, 1<<32+1, -1))
		}
		s.TokenRequests = append(s.TokenRequests, request)
	}
	return o
}

// CSINode draws the drivers of a node.
func (r Filler) CSINode() *storagev1.CSINode {
	o := &storagev1.CSINode{}
	r.Meta(o, "")
	for range r.IntN(3) {
		d := storagev1.CSINodeDriver{Name: pick(r, "a", "ebs.csi.aws.com", "", "x y", "UPPER", long(64)), NodeID: pick(r, "a", "b", "", long(256), long(257))}
		for range r.IntN(3) {
			d.TopologyKeys = append(d.TopologyKeys, pick(r, "zone", "topology.ebs.csi.aws.com/zone", "", "x y"))
		}
		if r.Bool() {
			d.Allocatable = &storagev1.VolumeNodeResources{Count: ptr.To(pick[int32](r, 25, 1, 0, -1))}
		}
		o.Spec.Drivers = append(o.Spec.Drivers, d)
	}
	return o
}

func long(n int) string { return strings.Repeat("a", n) }

// VolumeAttachment draws one of a volume, or of a volume that is written in a pod.
func (r Filler) VolumeAttachment() *storagev1.VolumeAttachment {
	o := &storagev1.VolumeAttachment{}
	r.Meta(o, "")
	s := &o.Spec
	s.Attacher, s.NodeName = pick(r, "a", "ebs.csi.aws.com", "", "x y", "UPPER", long(64)), pick(r, "a", "b", "", "x y")
	if !r.OneIn(3) {
		s.Source.PersistentVolumeName = ptr.To(pick(r, "a", "b", "", "x y"))
	}
	if s.Source.PersistentVolumeName == nil || r.atEdge() {
		s.Source.InlineVolumeSpec = r.inlineVolume()
	}
	if r.atEdge() {
		s.Source = storagev1.VolumeAttachmentSource{}
	}
	return o
}

func (r Filler) inlineVolume() *v1.PersistentVolumeSpec {
	s := &v1.PersistentVolumeSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}}
	s.CSI = &v1.CSIPersistentVolumeSource{Driver: pick(r, "a", "b", "", "x y"), VolumeHandle: pick(r, "a", "b", "")}
	if r.atEdge() {
		s.CSI = nil
	}
	for range r.IntN(2) {
		r.Field(difftest.Pick[any](r.Source, &s.AccessModes, &s.VolumeMode, &s.PersistentVolumeReclaimPolicy))
	}
	if r.atEdge() {
		r.Field(difftest.Pick[any](r.Source, &s.StorageClassName, &s.NodeAffinity, &s.Capacity))
	}
	return s
}

// StorageCapacity draws one.
func (r Filler) StorageCapacity() *storagev1.CSIStorageCapacity {
	o := &storagev1.CSIStorageCapacity{StorageClassName: pick(r, "a", "b", "", "x y")}
	r.Meta(o, "default")
	if !r.OneIn(3) {
		r.Field(&o.NodeTopology)
	}
	if r.Bool() {
		o.Capacity = ptr.To(resource.MustParse(pick(r, "1Gi", "2Gi", "0", "-1")))
	}
	o.MaximumVolumeSize = difftest.Pick(r.Source, nil, ptr.To(resource.MustParse("1Gi")))
	return o
}
