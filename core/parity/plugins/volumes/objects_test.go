package volumes

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var (
	nodeNames    = []string{"n0", "n1", "n2", "n3"}
	namespaces   = []string{"default", "default", "other"}
	claimNames   = []string{"c0", "c1", "c2", "c3", "c4"}
	volumeNames  = []string{"v0", "v1", "v2", "v3", "v4"}
	classNames   = []string{"s0", "s1", "s2"}
	zones        = []string{"a", "b", "a__b", "b__ a", "a__", ""}
	zoneKeys     = []string{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone, v1.LabelTopologyRegion, v1.LabelFailureDomainBetaRegion}
	csiDrivers   = []string{"ebs.csi.aws.com", "disk.example.com", "pd.csi.storage.gke.io", "pxd.portworx.com", "disk.csi.azure.com", "cinder.csi.openstack.org", "csi.vsphere.vmware.com", ""}
	provisioners = append([]string{
		"kubernetes.io/aws-ebs", "kubernetes.io/portworx-volume", "kubernetes.io/vsphere-volume", "kubernetes.io/no-provisioner", "kubernetes.io/gce-pd",
	}, csiDrivers...)
	handles  = []string{"h0", "h1", ""}
	ebsIDs   = []string{"h0", "h1", "aws://a/vol-12345678", "aws://a/nonsense"}
	migrated = []string{"kubernetes.io/portworx-volume", "kubernetes.io/aws-ebs,kubernetes.io/portworx-volume", "kubernetes.io/gce-pd", ","}
)

func pick[T any](t *difftest.Source, from []T) T { return difftest.Pick(t, from...) }

func someNode(t *difftest.Source, name string) *v1.Node {
	b := mk.Node(name)
	for _, key := range zoneKeys {
		if t.OneIn(3) {
			b.Label(key, pick(t, []string{"a", "b"}))
		}
	}
	return b.Obj()
}

// someVolumeSource draws the source of a volume that stands in a pod.
func someVolumeSource(t *difftest.Source) v1.VolumeSource {
	readOnly := t.OneIn(3)
	switch t.Range(0, 15) {
	case 0:
		return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}
	case 1, 12:
		return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(t, ebsIDs), ReadOnly: readOnly}}
	case 2, 13:
		return v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: pick(t, handles), ReadOnly: readOnly}}
	case 3:
		return v1.VolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: pick(t, handles)}}
	case 4:
		kind := pick(t, []v1.AzureDataDiskKind{v1.AzureManagedDisk, v1.AzureDedicatedBlobDisk})
		return v1.VolumeSource{AzureDisk: &v1.AzureDiskVolumeSource{DataDiskURI: pick(t, handles), Kind: &kind}}
	case 5:
		return v1.VolumeSource{AzureFile: &v1.AzureFileVolumeSource{ShareName: pick(t, handles)}}
	case 6:
		return v1.VolumeSource{Cinder: &v1.CinderVolumeSource{VolumeID: pick(t, handles)}}
	case 7:
		return v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: pick(t, handles)}}
	case 8, 14:
		return v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{IQN: pick(t, handles), ReadOnly: readOnly}}
	case 9, 15:
		return v1.VolumeSource{RBD: &v1.RBDVolumeSource{
			RBDPool: pick(t, []string{"p", "q"}), RBDImage: "i", ReadOnly: readOnly, CephMonitors: strings.Split(pick(t, []string{"x", "y", "x y", "y z"}), " "),
		}}
	case 10:
		return v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{}}
	}
	return v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}
}

func somePod(t *difftest.Source, name string) *v1.Pod {
	b := mk.Pod(name).Namespace(pick(t, namespaces))
	for i := range difftest.Pick(t, 1, 2, 3, 0) {
		switch {
		case t.Bool():
			b.Volume(fmt.Sprint("inline", i), someVolumeSource(t))
		case t.OneIn(30):
			b.PVC("")
		default:
			b.PVC(pick(t, claimNames))
		}
	}
	return b.Obj()
}

// someObject draws an object of storage.
func someObject(t *difftest.Source) world.Object {
	switch t.Range(0, 9) {
	case 0, 1, 2:
		return anyClaim(t)
	case 3, 4:
		return someVolume(t, pick(t, volumeNames))
	case 5:
		return someClass(t)
	case 6:
		return &storagev1.CSIDriver{
			ObjectMeta: metav1.ObjectMeta{Name: pick(t, csiDrivers[:4])},
			Spec:       storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: pick(t, []*bool{nil, ptr.To(false), ptr.To(true), ptr.To(true)})},
		}
	case 7:
		return someAttachment(t)
	}
	return someCSINode(t, pick(t, nodeNames))
}

func anyClaim(t *difftest.Source) *v1.PersistentVolumeClaim {
	return someClaim(t, pick(t, namespaces), pick(t, claimNames))
}

// ownClaims draws the claims of a pod's generic ephemeral volumes. Some are missing, and some are not the pod's.
func ownClaims(t *difftest.Source, pod *v1.Pod) (claims []*v1.PersistentVolumeClaim) {
	for _, volume := range pod.Spec.Volumes {
		if volume.Ephemeral == nil || t.OneIn(3) {
			continue
		}
		claim := someClaim(t, pod.Namespace, pod.Name+"-"+volume.Name)
		if !t.OneIn(6) {
			claim.OwnerReferences = mk.Claim(claim.Name).Namespace(pod.Namespace).Owner(pod.Name).Obj().OwnerReferences
		}
		claims = append(claims, claim)
	}
	return claims
}

func someClaim(t *difftest.Source, namespace, name string) *v1.PersistentVolumeClaim {
	b := mk.Claim(name).Namespace(namespace)
	if !t.OneIn(3) {
		b.Bound(pick(t, volumeNames))
	}
	if t.Bool() {
		b.Class(pick(t, append([]string{""}, classNames...)))
	}
	claim := b.Obj()
	if t.OneIn(8) {
		claim.Annotations = map[string]string{v1.BetaStorageClassAnnotation: pick(t, classNames)}
	}
	if t.OneIn(3) {
		claim.Spec.AccessModes = append(claim.Spec.AccessModes, v1.ReadWriteOncePod)
	}
	return claim
}

func someVolume(t *difftest.Source, name string) *v1.PersistentVolume {
	b := mk.Volume(name)
	for _, key := range zoneKeys {
		if t.OneIn(4) {
			b.Label(key, pick(t, zones))
		}
	}
	switch t.Range(0, 8) {
	case 0:
		b.Source(v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(t, ebsIDs)}})
	case 1:
		b.Source(v1.PersistentVolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: pick(t, handles)}})
	case 2:
		b.Source(v1.PersistentVolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: pick(t, handles)}})
	case 3:
		b.Source(v1.PersistentVolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: pick(t, handles)}})
	case 4:
		b.Source(v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{}})
	default:
		b.CSI(pick(t, csiDrivers), pick(t, handles))
	}
	return b.Obj()
}

func someClass(t *difftest.Source) *storagev1.StorageClass {
	class := mk.Class(pick(t, classNames), pick(t, provisioners)).Obj()
	switch t.Range(0, 3) {
	case 0:
		class.VolumeBindingMode = nil
	case 1:
	default:
		class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)
	}
	return class
}

func someAttachment(t *difftest.Source) *storagev1.VolumeAttachment {
	a := mk.Attachment(pick(t, []string{"a0", "a1", "a2", "a3"}), pick(t, nodeNames), pick(t, csiDrivers), pick(t, volumeNames))
	if t.OneIn(6) {
		a.Spec.Source.PersistentVolumeName = nil
	}
	return a
}

// someCSINode draws the CSINode of a node, with low limits.
func someCSINode(t *difftest.Source, node string) *storagev1.CSINode {
	b := mk.CSINode(node)
	for _, driver := range csiDrivers {
		if driver == "" {
			continue // no API server admits it
		}
		switch t.Range(0, 3) {
		case 0:
		case 1:
			b.Driver(driver)
		default:
			b.Limit(driver, int32(t.Range(0, 3)))
		}
	}
	if driver := pick(t, csiDrivers); driver != "" && t.OneIn(6) {
		b.Limit(driver, int32(t.Range(0, 3)))
	}
	if t.Bool() {
		b.Migrated(pick(t, migrated))
	}
	return b.Obj()
}
