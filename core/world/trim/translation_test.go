package trim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	translation "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"

	"orrery/core/world/trim"
)

func ptr[T any](v T) *T { return &v }

// inTreeSources are volumes of every plugin that a CSI driver may serve, with every field that its translation reads.
var inTreeSources = map[string]v1.PersistentVolumeSource{
	"GCE":      {GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "disk", FSType: "ext4", Partition: 3, ReadOnly: true}},
	"AWS":      {AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://a/vol-1", FSType: "ext4", Partition: 3, ReadOnly: true}},
	"Azure":    {AzureDisk: &v1.AzureDiskVolumeSource{DiskName: "disk", DataDiskURI: "/subscriptions/x", FSType: ptr("ext4"), ReadOnly: ptr(true), Kind: ptr(v1.AzureManagedDisk)}},
	"Cinder":   {Cinder: &v1.CinderPersistentVolumeSource{VolumeID: "disk", FSType: "ext4", ReadOnly: true, SecretRef: &v1.SecretReference{Name: "s"}}},
	"vSphere":  {VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: "[ds] disk", FSType: "ext4", StoragePolicyName: "gold"}},
	"Portworx": {PortworxVolume: &v1.PortworxVolumeSource{VolumeID: "disk", FSType: "ext4", ReadOnly: true}},
	"another Azure disk, which has no translation": {AzureDisk: &v1.AzureDiskVolumeSource{DataDiskURI: "/subscriptions/x", Kind: ptr(v1.AzureSharedBlobDisk)}},
}

// in returns a volume that can be reached from one zone.
func in(zone string, source v1.PersistentVolumeSource) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "v", Labels: map[string]string{v1.LabelTopologyZone: zone, v1.LabelTopologyRegion: "region"}},
		Spec: v1.PersistentVolumeSpec{
			PersistentVolumeSource: source, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteMany}, MountOptions: []string{"noatime"},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{zone}}},
			}}}},
		},
	}
}

func TestObject_TranslatesToSameCSIVolume(t *testing.T) {
	// Plugins read none of these.
	unread := cmp.Options{
		cmpopts.IgnoreFields(v1.PersistentVolumeSpec{}, "MountOptions"),
		cmpopts.IgnoreFields(v1.CSIPersistentVolumeSource{}, "VolumeAttributes", "NodeStageSecretRef"),
	}
	for name, source := range inTreeSources {
		t.Run(name, func(t *testing.T) {
			pv := in("us-east1-b__us-east1-c", source)
			want, failed := translation.New().TranslateInTreePVToCSI(klog.Background(), pv)
			got, err := translation.New().TranslateInTreePVToCSI(klog.Background(), trim.Object(pv).(*v1.PersistentVolume))
			if diff := cmp.Diff(want, got, unread); diff != "" {
				t.Errorf("the trimmed volume becomes another one (-whole +trimmed):\n%s", diff)
			}
			if (err == nil) != (failed == nil) || err != nil && err.Error() != failed.Error() {
				t.Errorf("the trimmed volume's translation says %v, the whole one's %v", err, failed)
			}
		})
	}
}

// The handle of a share names a storage account, after its secret, and a namespace. Neither is kept, but whether there is
// a namespace is: it decides whether there is a translation.
func TestObject_TranslatesAzureFilesWithoutTheirSecrets(t *testing.T) {
	for name, tt := range map[string]struct {
		namespace *string
		claim     *v1.ObjectReference
		handle    string
	}{
		"the secret's namespace is named":     {ptr("vault"), nil, "group##share#v#hidden"},
		"it is the claim's":                   {nil, &v1.ObjectReference{Namespace: "ns"}, "group##share#v#ns"},
		"there is none":                       {nil, nil, ""},
		"there is none, as it has no letters": {ptr(""), &v1.ObjectReference{Namespace: "ns"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pv := in("zone", v1.PersistentVolumeSource{AzureFile: &v1.AzureFilePersistentVolumeSource{
				SecretName: "azure-storage-account-x-secret", SecretNamespace: tt.namespace, ShareName: "share",
			}})
			pv.Annotations = map[string]string{"kubernetes.io/azure-file-resource-group": "group"}
			pv.Spec.ClaimRef = tt.claim
			whole, failed := translation.New().TranslateInTreePVToCSI(klog.Background(), pv)
			got, err := translation.New().TranslateInTreePVToCSI(klog.Background(), trim.Object(pv).(*v1.PersistentVolume))
			if (whole == nil) != (got == nil) || err != nil && err.Error() != failed.Error() {
				t.Fatalf("the trimmed volume's translation says %v, the whole one's %v", err, failed)
			}
			if got != nil && got.Spec.CSI.VolumeHandle != tt.handle {
				t.Errorf("handle %q, want %q", got.Spec.CSI.VolumeHandle, tt.handle)
			}
		})
	}
}
