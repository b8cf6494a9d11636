package volumebinding

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const zone = v1.LabelTopologyZone

var (
	nodeNames   = []string{"n0", "n1", "n2"}
	namespaces  = []string{"default", "default", "default", "default", "default", "default", "other"}
	claimNames  = []string{"c0", "c1", "c2", "c3"}
	volumeNames = []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"}
	classNames  = []string{"s0", "s1", "s2"}
	zones       = []string{"a", "b", "c"}
	drivers     = []string{"d0", "d1"}
	gigabytes   = []string{"1Gi", "5Gi", "20Gi", "1500Mi"}
	uids        = []types.UID{"1", "2"}
	now         = metav1.Unix(1e9, 0)
	migrated    = []string{"kubernetes.io/aws-ebs", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", "kubernetes.io/portworx-volume", ""}
)

func pick[T any](t *difftest.Source, from []T) T { return difftest.Pick(t, from...) }

func someNode(t *difftest.Source, name string) *v1.Node {
	b := mk.Node(name)
	if !t.OneIn(6) {
		b.Label(zone, pick(t, zones))
	}
	if t.OneIn(3) {
		b.Label("topology.ebs.csi.aws.com/zone", pick(t, zones))
	}
	return b.Obj()
}

// someObject draws an object that VolumeBinding reads, other than a node. With scored, each node has one capacity at most
// of a class, and all that a score needs is set: kube-scheduler takes any of several capacities, and panics without a size.
func someObject(t *difftest.Source, scored bool) world.Object {
	switch t.Range(0, 11) {
	case 0, 1, 2, 3:
		return someClaim(t, scored)
	case 4, 5, 6, 7:
		return someVolume(t)
	case 8:
		return someClass(t)
	case 9:
		return someDriver(t)
	case 10:
		return someCapacity(t, scored)
	}
	return someCSINode(t)
}

func someClaim(t *difftest.Source, scored bool) *v1.PersistentVolumeClaim {
	b := mk.Claim(pick(t, claimNames)).Namespace(pick(t, namespaces))
	if t.OneIn(6) { // of a generic ephemeral volume
		pod := fmt.Sprint("p", t.Range(0, 3))
		b = mk.Claim(pod + "-own").Namespace(pick(t, namespaces))
		if !t.OneIn(4) {
			b.Owner(pod)
		}
	}
	claim := b.Obj()
	claim.UID = pick(t, uids)
	claim.Annotations = map[string]string{}
	claim.Spec.StorageClassName = ptr.To(pick(t, classNames))
	claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(pick(t, gigabytes))}
	if !scored {
		someClassOf(t, claim)
	}
	if t.OneIn(4) {
		claim.Spec.VolumeName = pick(t, volumeNames)
	}
	if claim.Spec.VolumeName != "" && !t.OneIn(5) || t.OneIn(20) {
		claim.Annotations[volume.AnnBindCompleted] = "yes"
	}
	if t.OneIn(8) {
		claim.Annotations[volume.AnnSelectedNode] = pick(t, append([]string{""}, nodeNames...))
	}
	someWish(t, claim)
	if t.OneIn(20) {
		claim.Status.Phase = v1.ClaimLost
	}
	if t.OneIn(20) {
		claim.DeletionTimestamp = &now
	}
	if len(claim.Annotations) == 0 && t.Bool() {
		claim.Annotations = nil
	}
	return claim
}

func someClassOf(t *difftest.Source, claim *v1.PersistentVolumeClaim) {
	switch t.Range(0, 12) {
	case 0:
		claim.Spec.StorageClassName = nil
	case 1:
		claim.Spec.StorageClassName = ptr.To("")
	case 2:
		claim.Annotations[v1.BetaStorageClassAnnotation] = pick(t, classNames)
	case 3:
		claim.Spec.Resources.Requests = nil
	}
}

// someWish draws what a claim wants of its volume.
func someWish(t *difftest.Source, claim *v1.PersistentVolumeClaim) {
	switch t.Range(0, 14) {
	case 0:
		claim.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	case 1:
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"disk": "a"}}
	case 2:
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"no key": "a"}}
	case 3:
		claim.Spec.VolumeAttributesClassName = ptr.To(pick(t, []string{"gold", ""}))
	case 4:
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadOnlyMany}
	case 5, 6:
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteMany}
	}
}

// someVolume draws a volume. Its size is its own: kube-scheduler takes any of several volumes of one size.
func someVolume(t *difftest.Source) *v1.PersistentVolume {
	i := t.Range(0, len(volumeNames)-1)
	pv := mk.Volume(volumeNames[i]).Class(pick(t, classNames)).CSI(drivers[0], "h").Obj()
	size := resource.MustParse(pick(t, gigabytes))
	size.Add(*resource.NewQuantity(int64(i), resource.BinarySI))
	pv.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: size}
	pv.Annotations = map[string]string{}
	pv.Status.Phase = v1.VolumeAvailable
	if t.OneIn(4) {
		pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: pick(t, namespaces), Name: pick(t, claimNames), UID: pick(t, append(uids, ""))}
	}
	if t.Bool() {
		pv.Spec.NodeAffinity = someReach(t)
	}
	if t.OneIn(3) {
		pv.Labels = map[string]string{"disk": pick(t, []string{"a", "b"})}
	}
	someOddity(t, pv)
	if t.OneIn(3) {
		someSource(t, pv)
	}
	return pv
}

func someOddity(t *difftest.Source, pv *v1.PersistentVolume) {
	switch t.Range(0, 20) {
	case 0:
		pv.Spec.StorageClassName = ""
	case 1:
		pv.Annotations[v1.BetaStorageClassAnnotation] = pick(t, classNames)
	case 2:
		pv.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	case 3, 4:
		pv.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteMany, v1.ReadWriteOnce}
	case 5:
		pv.Spec.VolumeAttributesClassName = ptr.To(pick(t, []string{"gold", ""}))
	case 6:
		pv.Status.Phase = pick(t, []v1.PersistentVolumePhase{"", v1.VolumeBound, v1.VolumeReleased})
	case 7:
		pv.DeletionTimestamp = &now
	case 8:
		pv.Annotations[volume.AnnBoundByController] = "no"
	case 9:
		if pv.Name == volumeNames[0] { // of several, kube-scheduler would take any
			pv.Spec.Capacity = nil
		}
	case 10:
		pv.Annotations = nil
	}
}

// someReach draws the node affinity of a volume.
func someReach(t *difftest.Source) *v1.VolumeNodeAffinity {
	in := func(key string, values ...string) *v1.VolumeNodeAffinity {
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}},
		}}}}
	}
	switch t.Range(0, 9) {
	case 0:
		return in(v1.LabelHostname, pick(t, nodeNames))
	case 1:
		return &v1.VolumeNodeAffinity{}
	case 2:
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{}}
	case 3:
		a := in(zone, pick(t, zones))
		a.Required.NodeSelectorTerms[0].MatchFields = []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: nodeNames[:1]}}
		return a
	case 4:
		a := in("in valid")
		if t.Bool() {
			a.Required.NodeSelectorTerms = append(a.Required.NodeSelectorTerms, in(zone, "a").Required.NodeSelectorTerms...)
		}
		return a
	case 5:
		return in(zone, "a", "b")
	}
	return in(zone, pick(t, zones))
}

// someSource draws a source that a CSI driver may have taken over.
func someSource(t *difftest.Source, pv *v1.PersistentVolume) {
	switch t.Range(0, 5) {
	case 0, 1:
		pv.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{
			VolumeID: pick(t, []string{"vol-1", "aws://a/vol-12345678", "aws://a/nonsense"}),
		}}
		if t.Bool() {
			pv.Labels = map[string]string{v1.LabelTopologyZone: pick(t, zones)}
		}
	case 2:
		pv.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "disk"}}
	case 3:
		pv.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: "x"}}
	case 4:
		pv.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{}}
	}
}

func someClass(t *difftest.Source) *storagev1.StorageClass {
	class := mk.Class(pick(t, classNames), pick(t, append([]string{"", volume.NotSupportedProvisioner}, drivers...))).Obj()
	switch t.Range(0, 9) {
	case 0:
		class.VolumeBindingMode = nil
	case 1, 2:
		class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingImmediate)
	default:
		class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)
	}
	for range t.Range(-2, 2) {
		term := v1.TopologySelectorTerm{}
		for range difftest.Pick(t, 1, 1, 2, 0) {
			term.MatchLabelExpressions = append(term.MatchLabelExpressions, v1.TopologySelectorLabelRequirement{
				Key: difftest.Pick(t, zone, zone, v1.LabelHostname, "in valid"), Values: []string{pick(t, append(zones, nodeNames...)), "b"},
			})
		}
		class.AllowedTopologies = append(class.AllowedTopologies, term)
	}
	return class
}

func someDriver(t *difftest.Source) *storagev1.CSIDriver {
	driver := mk.CSIDriver(pick(t, drivers))
	driver.Spec.StorageCapacity = difftest.Pick(t, ptr.To(true), ptr.To(true), ptr.To(false), nil)
	return driver
}

func someCapacity(t *difftest.Source, scored bool) *storagev1.CSIStorageCapacity {
	class, where := pick(t, classNames), pick(t, zones)
	c := mk.StorageCapacity(class+"-"+where, class, pick(t, []string{"0", "2Gi", "100Gi"}), zone, where)
	c.Namespace = "kube-system"
	if t.OneIn(4) {
		c.MaximumVolumeSize = ptr.To(resource.MustParse(pick(t, gigabytes)))
	}
	if t.OneIn(8) {
		c.NodeTopology = nil
	}
	if scored {
		return c
	}
	switch t.Range(0, 8) {
	case 0:
		c.Capacity = nil
	case 1:
		c.NodeTopology = &metav1.LabelSelector{}
	case 2:
		c.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{"no key": "a"}}
	}
	return c
}

func someCSINode(t *difftest.Source) *storagev1.CSINode {
	b := mk.CSINode(pick(t, nodeNames))
	if !t.OneIn(4) {
		b.Migrated(pick(t, migrated))
	}
	return b.Obj()
}

func somePod(t *difftest.Source) *v1.Pod {
	pod := mk.Pod(fmt.Sprint("p", t.Range(0, 3))).Namespace(pick(t, namespaces)).Obj()
	if t.OneIn(8) {
		pod.UID = "another"
	}
	for range difftest.Pick(t, 1, 1, 2, 3, 0) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "v", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: pick(t, claimNames)},
		}})
	}
	switch t.Range(0, 6) {
	case 0:
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "own", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}})
	case 1:
		csi := v1.Volume{Name: "csi", VolumeSource: v1.VolumeSource{CSI: &v1.CSIVolumeSource{Driver: pick(t, drivers)}}}
		pod.Spec.Volumes = slices.Insert(pod.Spec.Volumes, 0, csi)
	}
	return pod
}
