package cycle

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// storage has the objects of storage that a case creates, or that a change is about.
type storage struct {
	Classes     []*storagev1.StorageClass       `json:"storageClasses,omitempty"`
	Drivers     []*storagev1.CSIDriver          `json:"csiDrivers,omitempty"`
	CSINodes    []*storagev1.CSINode            `json:"csiNodes,omitempty"`
	Capacities  []*storagev1.CSIStorageCapacity `json:"csiStorageCapacities,omitempty"`
	Attachments []*storagev1.VolumeAttachment   `json:"volumeAttachments,omitempty"`
	Volumes     []*v1.PersistentVolume          `json:"persistentVolumes,omitempty"`
	Claims      []*v1.PersistentVolumeClaim     `json:"persistentVolumeClaims,omitempty"`
}

func (s *storage) objects() (list []world.Object) {
	list = appendAll(list, s.Classes)
	list = appendAll(list, s.Drivers)
	list = appendAll(list, s.CSINodes)
	list = appendAll(list, s.Capacities)
	list = appendAll(list, s.Attachments)
	list = appendAll(list, s.Volumes)
	return appendAll(list, s.Claims)
}

const publishing = "csi-b" // the driver that publishes its capacity

var (
	csiDrivers    = []string{"csi-a", publishing}
	classNames    = []string{"immediate", "static", "csi-a", publishing}
	waitingNames  = append(classNames, classNames[1:]...) // seldom the first
	claimSizes    = []string{"1Gi", "5Gi", "20Gi"}
	volumesOfCase = 10
)

// stored is true for pods with claims, of cases with storage.
func (g *generator) stored() bool {
	return len(g.c.Storage.Claims) > 0 && !g.oneIn(3)
}

func (g *generator) addStorage() {
	if !g.often(claims, 20) {
		return
	}
	s := &g.c.Storage
	for _, driver := range csiDrivers {
		d := mk.CSIDriver(driver)
		d.Spec.StorageCapacity = ptr.To(driver == publishing)
		s.Drivers = append(s.Drivers, d)
	}
	for _, name := range classNames {
		s.Classes = append(s.Classes, g.class(name))
	}
	for _, node := range g.c.Nodes[:min(len(g.c.Nodes), 10)] {
		if !g.oneIn(5) {
			s.CSINodes = append(s.CSINodes, g.csiNode(node.Name))
		}
	}
	for _, zone := range zones[:3] {
		s.Capacities = append(s.Capacities, g.capacity(zone))
	}
	for i := range g.IntN(volumesOfCase) {
		s.Volumes = append(s.Volumes, g.volume(i))
	}
	for i := range 6 {
		s.Claims = append(s.Claims, g.claim(namespaces[i/4], fmt.Sprint("claim-", i%4)))
	}
	for i := range g.IntN(3) {
		if len(g.c.Nodes) > 0 && len(s.Volumes) > 0 {
			s.Attachments = append(s.Attachments, mk.Attachment(fmt.Sprint("attachment-", i), pick(g, g.c.Nodes...).Name, csiDrivers[0], pick(g, s.Volumes...).Name))
		}
	}
	g.c.Refused = append(g.c.Refused, some(g, 12, "volume-0", "volume-1", "claim-0", "claim-1")...)
	g.c.Unprovisioned = some(g, 6, "claim-0", "claim-1", "claim-2")
}

func (g *generator) class(name string) *storagev1.StorageClass {
	provisioner := name
	if name == "static" || name == "immediate" {
		provisioner = volume.NotSupportedProvisioner
	}
	class := mk.Class(name, provisioner).WaitForFirstConsumer().Obj()
	if name == "immediate" {
		class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingImmediate)
	}
	if g.oneIn(40) {
		class.VolumeBindingMode = nil
	}
	if g.oneIn(4) {
		class.AllowedTopologies = []v1.TopologySelectorTerm{{
			MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: []string{pick(g, zones...), "a"}}},
		}}
	}
	return class
}

func (g *generator) csiNode(node string) *storagev1.CSINode {
	b := mk.CSINode(node)
	for _, driver := range csiDrivers {
		if g.oneIn(2) {
			b.Limit(driver, int32(g.IntN(4)))
		}
	}
	if g.oneIn(3) {
		b.Migrated("kubernetes.io/aws-ebs")
	}
	return b.Obj()
}

// capacity draws the only capacity of a zone: kube-scheduler takes any of several.
func (g *generator) capacity(zone string) *storagev1.CSIStorageCapacity {
	c := mk.StorageCapacity("in-"+zone, publishing, pick(g, "0", "3Gi", "100Gi"), v1.LabelTopologyZone, zone)
	if g.oneIn(4) {
		c.MaximumVolumeSize = ptr.To(resource.MustParse(pick(g, claimSizes...)))
	}
	return c
}

// volume draws a volume of a size of its own: kube-scheduler takes any of several of one size. It names the one claim that no
// other volume names.
func (g *generator) volume(i int) *v1.PersistentVolume {
	b := mk.Volume(fmt.Sprint("volume-", i)).Class(pick(g, classNames...)).CSI(csiDrivers[0], fmt.Sprint("handle-", i))
	pv := b.Obj()
	size := resource.MustParse(pick(g, claimSizes...))
	size.Add(*resource.NewQuantity(int64(i), resource.BinarySI))
	pv.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: size}
	switch g.IntN(5) {
	case 0:
		b.On(v1.LabelTopologyZone, pick(g, zones...))
	case 1:
		if len(g.c.Nodes) > 0 {
			b.On(v1.LabelHostname, pick(g, g.c.Nodes...).Name)
		}
	case 2:
		b.Label(v1.LabelTopologyZone, pick(g, zones...))
	}
	switch g.IntN(12) {
	case 0:
		b.Source(v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: fmt.Sprint("vol-", i)}})
	case 1:
		pv.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	case 2:
		pv.Spec.VolumeAttributesClassName = ptr.To("gold")
	case 3:
		pv.Status.Phase = v1.VolumeReleased
	case 4, 5:
		if i < 4 {
			pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: namespaces[0], Name: fmt.Sprint("claim-", i)}
			if g.oneIn(2) {
				pv.Spec.ClaimRef.UID = objectMeta(namespaces[0], pv.Spec.ClaimRef.Name).UID
			}
		}
	}
	return pv
}

func (g *generator) claim(namespace, name string) *v1.PersistentVolumeClaim {
	claim := mk.Claim(name).Namespace(namespace).Size(pick(g, claimSizes...)).Class(pick(g, waitingNames...)).Obj()
	claim.UID = objectMeta(namespace, name).UID
	if g.oneIn(5) {
		claim.Spec.VolumeName = fmt.Sprint("volume-", g.IntN(volumesOfCase))
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
	}
	switch g.IntN(20) {
	case 0:
		claim.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	case 1:
		claim.Spec.VolumeAttributesClassName = ptr.To("gold")
	case 2:
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	case 3:
		claim.Status.Phase = v1.ClaimLost
	case 4:
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
	case 5:
		claim.Spec.StorageClassName = ptr.To("missing")
	case 6:
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnSelectedNode, fmt.Sprint("node-", g.IntN(4)))
	}
	return claim
}

// claimVolumes gives a pod volumes with claims, perhaps of its own.
func (g *generator) claimVolumes(pod *v1.Pod) {
	for i := range pick(g, 1, 1, 2) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprint("data-", i), VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprint("claim-", g.IntN(4))},
		}})
	}
	if g.oneIn(5) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "own", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}})
		g.addOwnClaim(pod)
	}
}

// addOwnClaim adds the claim of a pod's generic ephemeral volume, unless its controller is slow.
func (g *generator) addOwnClaim(pod *v1.Pod) {
	for _, v := range pod.Spec.Volumes {
		if v.Ephemeral == nil || g.oneIn(4) {
			continue
		}
		claim := g.claim(pod.Namespace, pod.Name+"-"+v.Name)
		if !g.oneIn(8) {
			claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}}
		}
		g.c.Storage.Claims = append(g.c.Storage.Claims, claim)
	}
}

// storageChange draws a change of storage. Drivers stay as they are: see requeuesMore.
func (g *generator) storageChange() clusterChange {
	s := &storage{}
	switch g.IntN(9) {
	case 0:
		s.Classes = append(s.Classes, g.class(pick(g, classNames...)))
	case 1:
		s.Capacities = append(s.Capacities, g.capacity(pick(g, zones[:3]...)))
	case 2:
		if len(g.c.Nodes) > 0 {
			s.CSINodes = append(s.CSINodes, g.csiNode(pick(g, g.c.Nodes...).Name))
		}
	case 3, 4, 5:
		s.Volumes = append(s.Volumes, g.volume(g.IntN(volumesOfCase)))
	default:
		s.Claims = append(s.Claims, g.claim(pick(g, namespaces...), fmt.Sprint("claim-", g.IntN(4))))
	}
	if g.oneIn(5) {
		return clusterChange{Drop: s}
	}
	return clusterChange{Store: s}
}
