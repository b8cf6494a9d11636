package engine_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// BenchmarkMemoryOfClaims reports what 100,000 bound claims and volumes add to the memory of an engine with 5,000 nodes,
// without and with their attachments: the objects as the live world hands them over, and all indexes of them, after every
// node was filtered. The pods have an empty directory each where there are no claims.
func BenchmarkMemoryOfClaims(b *testing.B) {
	for b.Loop() {
		none := heapOfEngine(b, storageUse{})
		claims := heapOfEngine(b, storageUse{claims: true})
		attached := heapOfEngine(b, storageUse{claims: true, attachments: true})
		b.ReportMetric(float64(claims-none)/1e6, "MB")
		b.ReportMetric(float64(attached-none)/1e6, "MB-with-attachments")
	}
}

// storageUse is which objects of storage there are.
type storageUse struct{ claims, attachments bool }

const (
	claimedNodes = 5_000
	boundClaims  = 100_000
	csiDriver    = "pd.csi.example.com"
)

// heapOfEngine returns the memory of an engine whose pods use storage.
func heapOfEngine(b *testing.B, use storageUse) uint64 {
	before := heap()
	e := newFilledEngine(b, claimedNodes, 0)
	for i := range claimedNodes {
		apply(b, e, world.Changed{Op: world.Added, Object: mk.CSINode(nodeName(i)).Limit(csiDriver, 39).Obj()})
	}
	if use.claims {
		addClaims(b, e, use.attachments)
	}
	for i := range boundClaims {
		pod := mk.Pod(fmt.Sprintf("p%d", i)).Node(nodeName(i)).Phase(v1.PodRunning)
		if use.claims {
			pod.PVC(claimName(i))
		} else {
			pod.Volume(claimName(i), v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}})
		}
		apply(b, e, world.Changed{Op: world.Added, Object: pod.Obj()})
	}
	filterEveryNode(b, e)
	taken := heap() - before
	runtime.KeepAlive(e)
	return taken
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i%claimedNodes) }

func claimName(i int) string { return fmt.Sprintf("data-postgres-%d", i) }

// filterEveryNode schedules pods with claims: each search looks at some 450 of the nodes.
func filterEveryNode(b *testing.B, e *engine.Engine) {
	for i := range 12 {
		claim := mk.Claim(fmt.Sprintf("new%d", i)).Bound(fmt.Sprintf("new%d", i)).Obj()
		pod := mk.Pod(claim.Name).PVC(claim.Name).Obj()
		for _, o := range []world.Object{mk.Volume(claim.Name).CSI(csiDriver, claim.Name).For(claim).Obj(), claim, pod} {
			apply(b, e, world.Changed{Op: world.Added, Object: o})
		}
		if d, ok := e.Step(); !ok || d.Verdict != engine.Placed {
			b.Fatalf("pod %s was not placed: %+v", pod.Name, d)
		}
	}
}

// addClaims adds claims, volumes and attachments as the live world does: decoded, trimmed, with shared parts.
func addClaims(b *testing.B, e *engine.Engine, attachments bool) {
	pool := &trim.Pool{}
	for i := range boundClaims {
		claim, pv, attachment := boundClaim(i)
		objects := []world.Object{received(b, claim, &v1.PersistentVolumeClaim{}), received(b, pv, &v1.PersistentVolume{})}
		if attachments {
			objects = append(objects, received(b, attachment, &storagev1.VolumeAttachment{}))
		}
		for _, o := range objects {
			o = trim.LiveObject(o)
			pool.Share(o)
			apply(b, e, world.Changed{Op: world.Added, Object: o})
		}
	}
}

// encodable is an object with an encoding.
type encodable interface {
	world.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// received decodes an object into an empty one, so that it shares nothing.
func received[T encodable](b *testing.B, o, empty T) T {
	data, err := o.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	if err := empty.Unmarshal(data); err != nil {
		b.Fatal(err)
	}
	return empty
}

// boundClaim returns a claim, its volume and the volume's attachment as a provisioner and an attacher leave them.
func boundClaim(i int) (*v1.PersistentVolumeClaim, *v1.PersistentVolume, *storagev1.VolumeAttachment) {
	uid := fmt.Sprintf("%08d-9b1c-4f1e-8a4e-2c5f0f3d6b7a", i)
	claim := mk.Claim(claimName(i)).Size("10Gi").Class("standard-rwo").Bound("pvc-"+uid).
		Annotation("volume.kubernetes.io/selected-node", nodeName(i)).
		Annotation("volume.kubernetes.io/storage-provisioner", csiDriver).Obj()
	claim.Labels = map[string]string{"app": "postgres", "app.kubernetes.io/instance": fmt.Sprintf("db-%d", i%200)}
	pv := mk.Volume("pvc-"+uid).Size("10Gi").Class("standard-rwo").For(claim).On(v1.LabelTopologyZone, fmt.Sprintf("z%d", i%3)).
		CSI(csiDriver, "projects/p/zones/z/disks/pvc-"+uid).Obj()
	pv.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": csiDriver}
	attachment := mk.Attachment(fmt.Sprintf("csi-%064d", i), nodeName(i), csiDriver, pv.Name)
	for j, o := range []world.Object{claim, pv, attachment} {
		o.SetUID(types.UID(fmt.Sprintf("%d%s", j, uid[1:])))
		o.SetResourceVersion(fmt.Sprint(10_000 + i))
		o.SetCreationTimestamp(metav1.NewTime(time.Unix(1_700_000_000, 0)))
		o.SetFinalizers([]string{fmt.Sprintf("protection-%d", j)})
	}
	pv.Spec.ClaimRef.UID = claim.UID
	return claim, pv, attachment
}
