package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// volume is a volume of the class "slow".
func volume(name, size string) *v1.PersistentVolume {
	return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PersistentVolumeSpec{
		StorageClassName: "slow", Capacity: mk.Resources("storage", size),
		AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
	}}
}

// claim is a claim of the class "slow".
func claim(name, size string) *v1.PersistentVolumeClaim {
	return &v1.PersistentVolumeClaim{ObjectMeta: meta(name), Spec: v1.PersistentVolumeClaimSpec{
		StorageClassName: ptr("slow"), AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
		Resources: v1.VolumeResourceRequirements{Requests: mk.Resources("storage", size)},
	}}
}

// delayedClass is a storage class that waits for the first consumer.
func delayedClass(name, provisioner string) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner,
		VolumeBindingMode: ptr(storagev1.VolumeBindingWaitForFirstConsumer),
	}
}

// immediateClass is a storage class that does not wait.
func immediateClass(name, provisioner string) *storagev1.StorageClass {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner}
}

// refTo is the present version of an object.
func (s *scene) refTo(o world.Object) world.ObjectRef {
	s.t.Helper()
	now, err := s.Get(world.KindOf(o), o.GetNamespace(), o.GetName())
	if err != nil {
		s.t.Fatal(err)
	}
	return world.ObjectRef{
		Namespace: now.GetNamespace(), Name: now.GetName(), UID: now.GetUID(), ResourceVersion: now.GetResourceVersion(),
	}
}

func TestVolumeCalls_Outcomes(t *testing.T) {
	const modified = "the object has been modified; please apply your changes to the latest version and try again"
	for _, row := range []struct {
		name string
		act  func(volume, claim world.ObjectRef) world.Action
		want string
	}{
		{"claim a volume", func(volume, claim world.ObjectRef) world.Action {
			return world.ClaimVolume{Volume: volume, Claim: claim, ByController: true}
		}, "ended well"},
		{"claim a volume of an old version", func(volume, claim world.ObjectRef) world.Action {
			volume.ResourceVersion = "1"
			return world.ClaimVolume{Volume: volume, Claim: claim}
		}, `failed: Conflict: Operation cannot be fulfilled on persistentvolumes "disk": ` + modified},
		{"claim a volume that was replaced", func(volume, claim world.ObjectRef) world.Action {
			volume.UID = "other"
			return world.ClaimVolume{Volume: volume, Claim: claim}
		}, `failed: Conflict: Operation cannot be fulfilled on persistentvolumes "disk": ` +
			"Precondition failed: UID in precondition: other, UID in object meta: UID"},
		{"claim no volume", func(_, claim world.ObjectRef) world.Action {
			return world.ClaimVolume{Volume: world.ObjectRef{Name: "none"}, Claim: claim}
		}, `failed: NotFound: persistentvolumes "none" not found`},
		{"select a node", func(_, claim world.ObjectRef) world.Action {
			return world.SelectNode{Claim: claim, Node: "n1"}
		}, "ended well"},
		{"select a node for a claim of an old version", func(_, claim world.ObjectRef) world.Action {
			claim.ResourceVersion = "1"
			return world.SelectNode{Claim: claim, Node: "n1"}
		}, `failed: Conflict: Operation cannot be fulfilled on persistentvolumeclaims "data": ` + modified},
		{"select a node for no claim", func(_, _ world.ObjectRef) world.Action {
			return world.SelectNode{Claim: world.ObjectRef{Namespace: "default", Name: "none"}, Node: "n1"}
		}, `failed: NotFound: persistentvolumeclaims "none" not found`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, memory.Options{Kinds: []world.Kind{world.Lease}})
			disk := create(s, volume("disk", "1Gi"))
			data := create(s, claim("data", "1Gi"))
			create(s, delayedClass("slow", "kubernetes.io/no-provisioner"))
			s.pass(time.Second)
			id := s.do(row.act(s.refTo(disk), s.refTo(data)))
			s.wants(time.Second, replaceUID(fmt.Sprintf("1s effect %d %s", id, row.want), disk.UID))
		})
	}
}

func TestVolumeCalls_Changes(t *testing.T) {
	s := newScene(t, memory.Options{})
	disk, data := create(s, volume("disk", "1Gi")), create(s, claim("data", "1Gi"))
	create(s, delayedClass("slow", "kubernetes.io/no-provisioner"))
	s.pass(time.Second)
	ref := s.refTo(data)
	s.do(world.ClaimVolume{Volume: s.refTo(disk), Claim: ref, ByController: true})
	s.do(world.SelectNode{Claim: ref, Node: "n1"})
	told := s.Advance(0)
	var seen []world.Object
	for _, in := range told {
		if e, ok := in.Event.(world.Changed); ok {
			seen = append(seen, e.Object)
		}
	}
	claimed, selected := seen[0].(*v1.PersistentVolume), seen[1].(*v1.PersistentVolumeClaim)
	if diff := cmp.Diff(&v1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: "default", Name: "data", UID: data.UID, ResourceVersion: ref.ResourceVersion,
	}, claimed.Spec.ClaimRef); diff != "" || claimed.Annotations["pv.kubernetes.io/bound-by-controller"] != "yes" {
		t.Errorf("the volume's annotations are %v and its claim (-want +got):\n%s", claimed.Annotations, diff)
	}
	if got := selected.Annotations["volume.kubernetes.io/selected-node"]; got != "n1" {
		t.Errorf("the selected node is %q, want n1", got)
	}
}

func TestVolumeCalls_FaultsHitThem(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Lease}})
	create(s, delayedClass("slow", "kubernetes.io/no-provisioner"))
	data := create(s, claim("data", "1Gi"))
	s.pass(time.Second)
	s.InjectFault(memory.CallVolume, memory.RequestRefused)
	s.InjectFault(memory.CallVolume, memory.ReplyLost)
	for range 2 {
		s.do(world.SelectNode{Claim: s.refTo(data), Node: "n1"})
		s.pass(time.Second)
	}
	s.wants(15*time.Second, "12s effect 2 failed: Timeout: Timeout: the call timed out")
	now := must[*v1.PersistentVolumeClaim](t)(s.Get(world.PersistentVolumeClaim, "default", "data"))
	if now.Annotations["volume.kubernetes.io/selected-node"] != "n1" {
		t.Error("the call whose reply was lost was not carried out")
	}
}
