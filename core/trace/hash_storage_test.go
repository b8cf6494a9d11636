package trace_test

import (
	"bytes"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// storageObjects are a claim and everything that is named by it or names it, all with the same name.
func storageObjects(name string) []world.Object {
	pointer := name
	meta := metav1.ObjectMeta{Name: name, UID: types.UID(name)}
	inNamespace := metav1.ObjectMeta{Name: name, Namespace: name, UID: types.UID(name)}
	inZone := &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
	claim := &v1.PersistentVolumeClaim{ObjectMeta: inNamespace, Spec: v1.PersistentVolumeClaimSpec{
		VolumeName: name, StorageClassName: &pointer, VolumeAttributesClassName: &pointer,
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"disk": name}},
	}}
	claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": name, "volume.beta.kubernetes.io/storage-class": name}
	volume := &v1.PersistentVolume{ObjectMeta: meta, Spec: v1.PersistentVolumeSpec{
		PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "d", VolumeHandle: name}},
		ClaimRef:               &v1.ObjectReference{Namespace: name, Name: name, UID: types.UID(name)},
		StorageClassName:       name, NodeAffinity: &v1.VolumeNodeAffinity{Required: inZone}, VolumeAttributesClassName: &pointer,
	}}
	volume.Labels = map[string]string{v1.LabelTopologyZone: name + "__" + name + "2", "disk": name}
	return []world.Object{
		claim, volume,
		&storagev1.StorageClass{ObjectMeta: meta, Provisioner: "d", AllowedTopologies: []v1.TopologySelectorTerm{{
			MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: []string{name}}},
		}}},
		&storagev1.CSINode{ObjectMeta: meta, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "d", NodeID: name}}}},
		&storagev1.CSIStorageCapacity{ObjectMeta: inNamespace, StorageClassName: name, NodeTopology: &metav1.LabelSelector{
			MatchLabels: map[string]string{v1.LabelTopologyZone: name},
		}},
		&storagev1.VolumeAttachment{ObjectMeta: meta, Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "d", NodeName: name, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &pointer},
		}},
	}
}

func TestNameHasher_HashesEveryStorageName(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewHashedWriter(&file, trace.Header{Start: start}, newHash(t, "some salt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range storageObjects(canary) {
		if err := w.Write(trace.Record{At: start, Body: inputBody(world.Changed{Object: o})}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := unpacked(t, file.Bytes()); strings.Contains(text, canary) {
		at := strings.Index(text, canary)
		t.Errorf("the canary sings: …%s…", text[max(0, at-80):min(len(text), at+40)])
	}
}

// The name has the separator of zones in it, which splits the values of labels and no names.
func TestNameHasher_KeepsStorageReferences(t *testing.T) {
	h := newHash(t, "some salt")
	const name = "a__b"
	hashed := h.Name(name)
	objects := storageObjects(name)
	for i := range objects {
		objects[i] = h.Object(objects[i])
	}
	claim, volume := objects[0].(*v1.PersistentVolumeClaim), objects[1].(*v1.PersistentVolume)
	attachment := objects[5].(*storagev1.VolumeAttachment)
	node := h.Object(mk.Node("n").Zone("a").Obj()).(*v1.Node)
	for what, got := range map[string]string{
		"the claim's volume":         claim.Spec.VolumeName,
		"the claim's class":          *claim.Spec.StorageClassName,
		"the class in an annotation": claim.Annotations["volume.beta.kubernetes.io/storage-class"],
		"the selected node":          claim.Annotations["volume.kubernetes.io/selected-node"],
		"the volume":                 volume.Name,
		"the volume's claim":         volume.Spec.ClaimRef.Name,
		"the UID of the claim":       string(volume.Spec.ClaimRef.UID),
		"the volume's class":         volume.Spec.StorageClassName,
		"the class":                  objects[2].GetName(),
		"the class with capacity":    objects[4].(*storagev1.CSIStorageCapacity).StorageClassName,
		"the attached volume":        *attachment.Spec.Source.PersistentVolumeName,
		"the node of the attachment": attachment.Spec.NodeName,
	} {
		if got != hashed {
			t.Errorf("%s is %q, want %q", what, got, hashed)
		}
	}
	if zone, label := node.Labels[v1.LabelTopologyZone], volume.Labels[v1.LabelTopologyZone]; !strings.HasPrefix(label, zone+"__") {
		t.Errorf("the node is in %q and the volume in %q", zone, label)
	}
	if claim.Spec.Selector.MatchLabels["disk"] != volume.Labels["disk"] {
		t.Error("the claim does not select the volume any more")
	}
}

func TestNameHasher_KeepsDriversInAnnotations(t *testing.T) {
	h := newHash(t, "some salt")
	const plugins = "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"
	node := h.Object(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{
		Name: "n", Annotations: map[string]string{v1.MigratedPluginsAnnotationKey: plugins},
	}})
	if got := node.GetAnnotations()[v1.MigratedPluginsAnnotationKey]; got != plugins {
		t.Errorf("the migrated plugins are %q, want %q", got, plugins)
	}
}
