package trim_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// boundVolume returns a claim and its volume as an external provisioner leaves them, encoded as an API server sends them,
// on one of so many nodes.
func boundVolume(t testing.TB, i, nodes int) (claim, volume []byte) {
	t.Helper()
	uid := fmt.Sprintf("%08d-9b1c-4f1e-8a4e-2c5f0f3d6b7a", i)
	managed := []metav1.ManagedFieldsEntry{{Manager: "csi-provisioner", FieldsV1: metav1.NewFieldsV1(strings.Repeat("f:spec ", 100))}}
	created, class, mode := metav1.NewTime(time.Unix(1_700_000_000, 0)), "standard-rwo", v1.PersistentVolumeFilesystem
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("10Gi")}
	once := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	c := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("data-postgres-%d", i), Namespace: fmt.Sprintf("team-%03d", i%200), UID: types.UID(uid), ResourceVersion: fmt.Sprint(i),
			CreationTimestamp: created, ManagedFields: managed, Finalizers: []string{"kubernetes.io/pvc-protection"},
			Labels: map[string]string{"app": "postgres", "app.kubernetes.io/instance": fmt.Sprintf("db-%d", i%200)},
			Annotations: map[string]string{
				"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
				"volume.kubernetes.io/selected-node": fmt.Sprintf("node-%04d", i%nodes), "volume.kubernetes.io/storage-provisioner": "pd.csi.storage.gke.io",
				"volume.beta.kubernetes.io/storage-provisioner":    "pd.csi.storage.gke.io",
				"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat("{}", 300),
			},
		},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: once, Resources: v1.VolumeResourceRequirements{Requests: size}, VolumeName: "pvc-" + uid, StorageClassName: &class, VolumeMode: &mode,
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound, AccessModes: once, Capacity: size},
	}
	pv := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: "pvc-" + uid, UID: types.UID("f" + uid[1:]), ResourceVersion: fmt.Sprint(i), CreationTimestamp: created, ManagedFields: managed,
			Finalizers: []string{"kubernetes.io/pv-protection", "external-attacher/pd-csi-storage-gke-io"},
			Annotations: map[string]string{
				"pv.kubernetes.io/provisioned-by":                       "pd.csi.storage.gke.io",
				"volume.kubernetes.io/provisioner-deletion-secret-name": "", "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
			},
		},
		Spec: v1.PersistentVolumeSpec{
			Capacity: size, AccessModes: once, PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimDelete, StorageClassName: class, VolumeMode: &mode,
			ClaimRef: &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: c.Namespace, Name: c.Name, UID: c.UID, ResourceVersion: "7"},
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{
				Driver: "pd.csi.storage.gke.io", VolumeHandle: "projects/p/zones/us-east1-b/disks/pvc-" + uid, FSType: "ext4",
				VolumeAttributes: map[string]string{"storage.kubernetes.io/csiProvisionerIdentity": "1700000000000-8081-pd.csi.storage.gke.io"},
			}},
			NodeAffinity: in("us-east1-b", v1.PersistentVolumeSource{}).Spec.NodeAffinity,
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound},
	}
	claim, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if volume, err = pv.Marshal(); err != nil {
		t.Fatal(err)
	}
	return claim, volume
}

// heapOfVolumes fills a store with so many claims and their volumes, and returns the memory that they take.
func heapOfVolumes(t testing.TB, n int, trimmed func(world.Object) world.Object) uint64 {
	t.Helper()
	before, s := heap(), store.New()
	claims, volumes := world.Listed{Kind: world.PersistentVolumeClaim}, world.Listed{Kind: world.PersistentVolume}
	for i := range n {
		claim, volume := boundVolume(t, i, n/20)
		c, pv := &v1.PersistentVolumeClaim{}, &v1.PersistentVolume{}
		if err := c.Unmarshal(claim); err != nil {
			t.Fatal(err)
		}
		if err := pv.Unmarshal(volume); err != nil {
			t.Fatal(err)
		}
		claims.Objects, volumes.Objects = append(claims.Objects, trimmed(c)), append(volumes.Objects, trimmed(pv))
	}
	for _, list := range []*world.Listed{&claims, &volumes} {
		if _, errs := s.Replace(*list); len(errs) > 0 {
			t.Fatal(errs[0])
		}
		*list = world.Listed{}
	}
	taken := heap() - before
	if s.Len(world.PersistentVolume) != n || s.Len(world.PersistentVolumeClaim) != n {
		t.Fatalf("the store holds %d volumes and %d claims", s.Len(world.PersistentVolume), s.Len(world.PersistentVolumeClaim))
	}
	return taken
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A hundred thousand claims and as many volumes have to take less than 250 MB.
func TestLiveObject_VolumesTakeLittleMemory(t *testing.T) {
	const pairs, bound = 5_000, 2_500 // bytes for a claim and its volume
	if taken := heapOfVolumes(t, pairs, sharing()); taken > pairs*bound {
		t.Errorf("a claim and its volume take %d bytes, want at most %d", taken/pairs, bound)
	}
}

// sharing trims objects as the live world does.
func sharing() func(world.Object) world.Object {
	pool := &trim.Pool{}
	return func(o world.Object) world.Object {
		o = trim.LiveObject(o)
		pool.Share(o)
		return o
	}
}

func BenchmarkLiveObject_HeapOfVolumes(b *testing.B) {
	for name, trimmed := range map[string]func(world.Object) world.Object{
		"shared": sharing(), "trimmed": trim.LiveObject, "whole": func(o world.Object) world.Object { return o },
	} {
		b.Run(name, func(b *testing.B) {
			var taken uint64
			for b.Loop() {
				taken = heapOfVolumes(b, 100_000, trimmed)
			}
			b.ReportMetric(float64(taken)/1e6, "MB")
		})
	}
}
