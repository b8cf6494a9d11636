package scenario

import (
	"fmt"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// createStorageClasses creates the drivers and the storage classes.
func (d *ScriptRunner) createStorageClasses() error {
	storage := &d.file.Cluster.Storage
	for _, name := range sortedKeys(storage.Drivers) {
		if err := d.create(storage.Drivers[name].object(name)); err != nil {
			return storage.Fail("drivers."+name, "%v", err)
		}
	}
	for _, name := range sortedKeys(storage.Classes) {
		if err := d.create(storage.Classes[name].object(name)); err != nil {
			return storage.Fail("classes."+name, "%v", err)
		}
	}
	return nil
}

// createVolumes creates the volumes and the claims.
func (d *ScriptRunner) createVolumes() error {
	storage := &d.file.Cluster.Storage
	for i := range storage.Volumes {
		v := &storage.Volumes[i]
		for _, name := range v.names() {
			if err := d.create(v.object(name)); err != nil {
				return v.Fail("name", "%v", err)
			}
		}
	}
	for i := range storage.Claims {
		if err := d.create(storage.Claims[i].object()); err != nil {
			return storage.Claims[i].Fail("name", "%v", err)
		}
	}
	return nil
}

// object returns the driver's CSIDriver.
func (d storageDriver) object(name string) *storagev1.CSIDriver {
	tracks := d.tracksCapacity()
	return &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       storagev1.CSIDriverSpec{AttachRequired: d.Attach, StorageCapacity: &tracks},
	}
}

func (s storageClass) object(name string) *storagev1.StorageClass {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: s.Provisioner}
	if s.Binding != "" {
		class.VolumeBindingMode = &s.Binding
	}
	if s.Reclaim != "" {
		class.ReclaimPolicy = &s.Reclaim
	}
	if s.Default {
		class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	}
	if len(s.Topologies) > 0 {
		term := v1.TopologySelectorTerm{}
		for _, key := range sortedKeys(s.Topologies) {
			term.MatchLabelExpressions = append(term.MatchLabelExpressions, v1.TopologySelectorLabelRequirement{
				Key: topologyKey(key), Values: s.Topologies[key],
			})
		}
		class.AllowedTopologies = []v1.TopologySelectorTerm{term}
	}
	return class
}

// csiNode returns the CSINode of a group's node.
func (f *file) csiNode(g *nodeGroup, name string) *storagev1.CSINode {
	node := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, driver := range sortedKeys(g.Drivers) {
		on := storagev1.CSINodeDriver{Name: driver, NodeID: name}
		if key := f.Cluster.Storage.Drivers[driver].topology(); key != "" {
			on.TopologyKeys = []string{key}
		}
		if limit := int32(g.Drivers[driver]); limit > 0 {
			on.Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
		}
		node.Spec.Drivers = append(node.Spec.Drivers, on)
	}
	return node
}

// names are the names of the volumes: numbered, if there are several.
func (v *volumePart) names() []string {
	if v.Count <= 1 {
		return []string{v.Name}
	}
	all := make([]string, v.Count)
	for i := range all {
		all[i] = fmt.Sprintf("%s-%0*d", v.Name, len(strconv.Itoa(v.Count)), i+1)
	}
	return all
}

func (v *volumePart) object(name string) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PersistentVolumeSpec{
		Capacity: v1.ResourceList{v1.ResourceStorage: v.Size.Quantity}, AccessModes: accessModes(v.Access),
		StorageClassName: v.Class, PersistentVolumeReclaimPolicy: v.Reclaim, PersistentVolumeSource: v.source(name),
	}}
	if v.Claim != "" {
		namespace, claim := claimName(v.Claim)
		volume.Spec.ClaimRef = &v1.ObjectReference{
			Kind: string(world.PersistentVolumeClaim), APIVersion: v1.SchemeGroupVersion.String(), Namespace: namespace, Name: claim,
		}
	}
	for key, value := range map[string]string{v1.LabelTopologyZone: v.Zone, v1.LabelHostname: v.Node} {
		if value != "" { // of the two, one at most is written
			volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{value}}},
			}}}}
		}
	}
	return volume
}

func (v *volumePart) source(name string) v1.PersistentVolumeSource {
	switch {
	case v.Driver != "":
		return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: v.Driver, VolumeHandle: name}}
	case v.Node != "":
		return v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: "/mnt/" + name}}
	}
	return v1.PersistentVolumeSource{NFS: &v1.NFSVolumeSource{Server: "nfs.example", Path: "/" + name}}
}

func (c *claimPart) object() *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace(), Name: c.Name}, Spec: claimSpec(c.Size, c.Class, c.Access),
	}
	claim.Spec.VolumeName = c.Volume
	return claim
}

func (c *claimPart) namespace() string {
	if c.Namespace == "" {
		return v1.NamespaceDefault
	}
	return c.Namespace
}

// claimSpec requests a volume. Without a class it is for the default one to say.
func claimSpec(size amount, class string, access stringList) v1.PersistentVolumeClaimSpec {
	spec := v1.PersistentVolumeClaimSpec{
		AccessModes: accessModes(access),
		Resources:   v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: size.Quantity}},
	}
	if class != "" {
		spec.StorageClassName = &class
	}
	return spec
}

func accessModes(words stringList) []v1.PersistentVolumeAccessMode {
	if len(words) == 0 {
		return []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	}
	var all []v1.PersistentVolumeAccessMode
	for _, word := range words {
		all = append(all, v1.PersistentVolumeAccessMode(word))
	}
	return all
}

// claimName reads the name of a claim: of the default namespace, or written as namespace/name.
func claimName(word string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(word, "/"); ok {
		return namespace, name
	}
	return v1.NamespaceDefault, word
}

// podVolumes returns the volumes of a workload's pods, without those that a stateful set adds.
func (w *workload) podVolumes() []v1.Volume {
	var all []v1.Volume
	for _, name := range sortedKeys(w.Volumes) {
		v := w.Volumes[name]
		source := v1.VolumeSource{}
		switch {
		case v.isTemplate(w):
			continue
		case v.Claim != "":
			source.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: v.Claim}
		default:
			source.Ephemeral = &v1.EphemeralVolumeSource{
				VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: claimSpec(v.Size, v.Class, v.Access)},
			}
		}
		all = append(all, v1.Volume{Name: name, VolumeSource: source})
	}
	return all
}

// claimTemplates returns the claim templates of a stateful set.
func (w *workload) claimTemplates() []v1.PersistentVolumeClaim {
	var all []v1.PersistentVolumeClaim
	for _, name := range sortedKeys(w.Volumes) {
		if v := w.Volumes[name]; v.isTemplate(w) {
			all = append(all, v1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: claimSpec(v.Size, v.Class, v.Access),
			})
		}
	}
	return all
}
