package csimigration_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/csimigration"
)

const (
	ebs      = "kubernetes.io/aws-ebs"
	portworx = "kubernetes.io/portworx-volume"
	vsphere  = "kubernetes.io/vsphere-volume"
)

// csiNode is a node's CSINode with an annotation about migrated plugins.
func csiNode(migrated string) *storagev1.CSINode {
	node := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if migrated != "" {
		node.Annotations = map[string]string{v1.MigratedPluginsAnnotationKey: migrated}
	}
	return node
}

// onEBS is a PersistentVolume in a zone.
func onEBS(volumeID string) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv", Labels: map[string]string{v1.LabelTopologyZone: "us-east-1a"}},
		Spec: v1.PersistentVolumeSpec{PersistentVolumeSource: v1.PersistentVolumeSource{
			AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: volumeID},
		}},
	}
}

func TestCountsAndOnNode(t *testing.T) {
	for name, tc := range map[string]struct {
		plugin         string
		node           *storagev1.CSINode
		gate           bool
		counts, onNode bool
	}{
		"a node without a CSINode":                       {ebs, nil, true, false, false},
		"a CSINode that names no plugins":                {ebs, csiNode(""), true, true, false},
		"a CSINode that names the plugin":                {ebs, csiNode("kubernetes.io/cinder," + ebs), true, true, true},
		"a CSINode that names another plugin":            {ebs, csiNode("kubernetes.io/cinder"), true, true, false},
		"Portworx, where the node does not name it":      {portworx, csiNode(ebs), true, false, false},
		"Portworx, where the node names it":              {portworx, csiNode(portworx), true, true, true},
		"Portworx without the gate":                      {portworx, csiNode(portworx), false, false, false},
		"vSphere is never migrated":                      {vsphere, csiNode(vsphere), true, false, false},
		"a CSI driver is not an in-tree plugin":          {"ebs.csi.aws.com", csiNode("ebs.csi.aws.com"), true, false, false},
		"no plugin, where the node names an empty one":   {"", csiNode(","), true, false, false},
		"names are compared whole, with their spaces in": {ebs, csiNode(" " + ebs), true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := csimigration.ScopeOf(tc.node, tc.gate).Counts(tc.plugin); got != tc.counts {
				t.Errorf("Counts: got %v, want %v", got, tc.counts)
			}
			if got := csimigration.OnNode(tc.plugin, tc.node, tc.gate); got != tc.onNode {
				t.Errorf("OnNode: got %v, want %v", got, tc.onNode)
			}
		})
	}
}

func TestPluginsAndDrivers(t *testing.T) {
	for name, tc := range map[string]struct {
		source         v1.VolumeSource
		plugin, driver string
	}{
		"EBS":                {v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{}}, ebs, "ebs.csi.aws.com"},
		"Azure disk":         {v1.VolumeSource{AzureDisk: &v1.AzureDiskVolumeSource{}}, "kubernetes.io/azure-disk", "disk.csi.azure.com"},
		"Azure file":         {v1.VolumeSource{AzureFile: &v1.AzureFileVolumeSource{}}, "kubernetes.io/azure-file", "file.csi.azure.com"},
		"Cinder":             {v1.VolumeSource{Cinder: &v1.CinderVolumeSource{}}, "kubernetes.io/cinder", "cinder.csi.openstack.org"},
		"GCE PD":             {v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{}}, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
		"Portworx":           {v1.VolumeSource{PortworxVolume: &v1.PortworxVolumeSource{}}, portworx, "pxd.portworx.com"},
		"vSphere":            {v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{}}, vsphere, "csi.vsphere.vmware.com"},
		"an empty directory": {v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			plugin := csimigration.PluginOfInline(&v1.Volume{VolumeSource: tc.source})
			if driver := csimigration.DriverOf(plugin); plugin != tc.plugin || driver != tc.driver {
				t.Errorf("got plugin %q with driver %q, want %q with %q", plugin, driver, tc.plugin, tc.driver)
			}
			if got := csimigration.IsInTree(plugin); got != (tc.plugin != "") {
				t.Errorf("IsInTree(%q) = %v", plugin, got)
			}
		})
	}
}

func TestTranslate(t *testing.T) {
	pv := onEBS("aws://us-east-1a/vol-12345678")
	if got, err := csimigration.Translate(pv, csiNode(""), true); got != pv || err != nil {
		t.Errorf("on a node without the driver: got %v, %v, want the volume itself", got, err)
	}
	got, err := csimigration.Translate(pv, csiNode(ebs), true)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.CSI == nil || got.Spec.CSI.Driver != "ebs.csi.aws.com" || got.Spec.CSI.VolumeHandle != "vol-12345678" {
		t.Errorf("on a node with the driver: got source %+v, want vol-12345678 of ebs.csi.aws.com", got.Spec.CSI)
	}
	if key := got.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Key; key != "topology.ebs.csi.aws.com/zone" {
		t.Errorf("the node affinity is by %q, want the driver's zone", key)
	}
	if pv.Spec.AWSElasticBlockStore == nil || pv.Spec.NodeAffinity != nil {
		t.Errorf("the volume of the store was changed: %+v", pv.Spec)
	}
	_, err = csimigration.Translate(onEBS("aws://us-east-1a/data"), csiNode(ebs), true)
	if want := "could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://us-east-1a/data)"; err == nil || err.Error() != want {
		t.Errorf("a volume ID without meaning: got %v, want %s", err, want)
	}
}

func TestToCSI_NoTranslation(t *testing.T) {
	csi := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	if _, err := csimigration.ToCSI(csi); err == nil || err.Error() != `could not find in-tree plugin translation logic for "pv"` {
		t.Errorf("got error %v", err)
	}
}

func TestInlineToCSI(t *testing.T) {
	for name, tc := range map[string]struct {
		source v1.VolumeSource
		handle string
		err    string
	}{
		"a disk has no zone": {
			v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "d"}}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d", "",
		},
		"a file share belongs to the pod's namespace": {
			v1.VolumeSource{AzureFile: &v1.AzureFileVolumeSource{SecretName: "s", ShareName: "f"}}, "#s#f#v#team", "",
		},
		"a vSphere volume": {
			v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: "[ds] a.vmdk"}}, "[ds] a.vmdk", "",
		},
		"a vSphere volume with a storage policy": {
			v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{StoragePolicyName: "gold"}},
			"",
			"an inline vSphere volume with a storage policy has no translation",
		},
		"a volume of another kind": {
			v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}, "", `could not find in-tree plugin translation logic for "v"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := csimigration.InlineToCSI(&v1.Volume{Name: "v", VolumeSource: tc.source}, "team")
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got error %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil || got.Spec.CSI.VolumeHandle != tc.handle {
				t.Errorf("got %v, error %v, want handle %s", got, err, tc.handle)
			}
		})
	}
}

// A volume with two sources, which only a broken API server would send, is always read the same way.
func TestPluginOf_SeveralSources(t *testing.T) {
	pv := onEBS("vol-12345678")
	pv.Spec.Cinder = &v1.CinderPersistentVolumeSource{VolumeID: "c"}
	for range 100 {
		if got := csimigration.PluginOf(pv); got != ebs {
			t.Fatalf("got %q, want %q", got, ebs)
		}
	}
}
