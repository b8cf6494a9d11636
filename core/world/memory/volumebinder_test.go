package memory_test

import (
	"fmt"
	"slices"
	"strings"
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

// storageKinds watches only these, so that a tape shows nothing else.
var storageKinds = []world.Kind{world.PersistentVolume, world.PersistentVolumeClaim, world.VolumeAttachment, world.CSIStorageCapacity}

// storagePortrait shows of a storage object what the tests are about; empty for any other object.
func storagePortrait(o world.Object) string {
	var words []string
	switch o := o.(type) {
	case *v1.PersistentVolume:
		words = append(words, "volume", shortName(o.Name), string(o.Status.Phase))
		if ref := o.Spec.ClaimRef; ref != nil {
			words = append(words, "of "+ref.Name)
		}
		if o.Spec.NodeAffinity != nil {
			for _, e := range o.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions {
				words = append(words, "in "+strings.Join(e.Values, ","))
			}
		}
	case *v1.PersistentVolumeClaim:
		words = append(words, "claim", o.Name, string(o.Status.Phase))
		if o.Spec.VolumeName != "" {
			words = append(words, "to "+shortName(o.Spec.VolumeName))
		}
		if node := o.Annotations["volume.kubernetes.io/selected-node"]; node != "" {
			words = append(words, "for "+node)
		}
	case *storagev1.VolumeAttachment:
		words = append(words, "attachment of", shortName(*o.Spec.Source.PersistentVolumeName), "to", o.Spec.NodeName)
		switch {
		case o.Status.Attached:
			words = append(words, "attached")
		case o.Status.AttachError != nil:
			words = append(words, "failed")
		}
	case *storagev1.CSIStorageCapacity:
		words = append(words, "capacity of", o.StorageClassName)
		for _, zone := range o.NodeTopology.MatchLabels {
			words = append(words, "in "+zone)
		}
		words = append(words, o.Capacity.String())
	default:
		return ""
	}
	if o.GetDeletionTimestamp() != nil {
		words = append(words, "deleting")
	}
	return strings.Join(words, " ")
}

// shortName leaves the UID out of the names of provisioned volumes.
func shortName(name string) string {
	if strings.HasPrefix(name, "pvc-") {
		return "pvc-UID"
	}
	return name
}

// state lists the objects of some kinds, sorted within their kind: names may hold a UID.
func (s *scene) state(kinds ...world.Kind) string {
	var all []string
	for _, kind := range kinds {
		var some []string
		for _, o := range s.List(kind) {
			some = append(some, portrait(o))
		}
		slices.Sort(some)
		all = append(all, some...)
	}
	return strings.Join(all, "\n")
}

// wantsState compares the claims and volumes, or the objects of other kinds, with the wanted ones.
func (s *scene) wantsState(want string, kinds ...world.Kind) {
	s.t.Helper()
	if len(kinds) == 0 {
		kinds = []world.Kind{world.PersistentVolumeClaim, world.PersistentVolume}
	}
	if diff := cmp.Diff(lines(want), lines(s.state(kinds...))); diff != "" {
		s.t.Errorf("after %v (-want +got):\n%s", s.Now().Sub(dawn), diff)
	}
}

func preBound(volume *v1.PersistentVolume, claim string) *v1.PersistentVolume {
	volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: claim}
	return volume
}

func named(claim *v1.PersistentVolumeClaim, volume string) *v1.PersistentVolumeClaim {
	claim.Spec.VolumeName = volume
	return claim
}

func TestVolumeBinder_Binds(t *testing.T) {
	for _, row := range []struct {
		name    string
		objects []world.Object
		want    string
	}{
		{"the smallest volume that is large enough", []world.Object{
			volume("a", "3Gi"), volume("b", "2Gi"), volume("c", "1Gi"), claim("data", "2Gi"),
		}, `
			claim data Bound to b
			volume a Available
			volume b Bound of data
			volume c Available
		`},
		{"no volume of another class, mode or access", []world.Object{
			func() *v1.PersistentVolume { v := volume("a", "1Gi"); v.Spec.StorageClassName = "other"; return v }(),
			func() *v1.PersistentVolume {
				v := volume("b", "1Gi")
				v.Spec.VolumeMode = ptr(v1.PersistentVolumeBlock)
				return v
			}(),
			func() *v1.PersistentVolume {
				v := volume("c", "1Gi")
				v.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadOnlyMany}
				return v
			}(),
			claim("data", "1Gi"),
		}, `
			claim data Pending
			volume a Available
			volume b Available
			volume c Available
		`},
		{"each claim to a volume of its own", []world.Object{
			volume("a", "1Gi"), volume("b", "1Gi"), claim("one", "1Gi"), claim("three", "1Gi"), claim("two", "1Gi"),
		}, `
			claim one Bound to a
			claim three Bound to b
			claim two Pending
			volume a Bound of one
			volume b Bound of three
		`},
		{"a volume that names the claim", []world.Object{
			volume("a", "1Gi"), preBound(volume("b", "5Gi"), "data"), claim("data", "1Gi"),
		}, `
			claim data Bound to b
			volume a Available
			volume b Bound of data
		`},
		{"no volume that names another claim", []world.Object{
			preBound(volume("a", "1Gi"), "other"), claim("data", "1Gi"),
		}, `
			claim data Pending
			volume a Available of other
		`},
		{"the volume that the claim names", []world.Object{
			volume("a", "1Gi"), volume("b", "5Gi"), named(claim("data", "1Gi"), "b"),
		}, `
			claim data Bound to b
			volume a Available
			volume b Bound of data
		`},
		{"no volume that the claim names and that is too small", []world.Object{
			volume("a", "1Gi"), named(claim("data", "2Gi"), "a"),
		}, `
			claim data Pending to a
			volume a Available
		`},
		{"a delayed claim to the volume that names it", []world.Object{
			delayedClass("slow", "kubernetes.io/no-provisioner"), volume("a", "1Gi"), preBound(volume("b", "1Gi"), "data"), claim("data", "1Gi"),
		}, `
			claim data Bound to b
			volume a Available
			volume b Bound of data
		`},
		{"no delayed claim to a free volume", []world.Object{
			delayedClass("slow", "kubernetes.io/no-provisioner"), volume("a", "1Gi"), claim("data", "1Gi"),
		}, `
			claim data Pending
			volume a Available
		`},
	} {
		t.Run(row.name, func(t *testing.T) {
			forward, backward := newScene(t, memory.Options{}), newScene(t, memory.Options{})
			for i := range row.objects {
				create(forward, row.objects[i])
				forward.pass(time.Second)
				create(backward, row.objects[len(row.objects)-1-i])
			}
			backward.pass(time.Second)
			forward.wantsState(row.want)
			if row.name != "no delayed claim to a free volume" && row.name[:4] != "each" {
				backward.wantsState(row.want)
			}
		})
	}
}

func TestVolumeBinder_Annotations(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, volume("a", "1Gi"))
	create(s, claim("data", "1Gi"))
	create(s, named(claim("mine", "2Gi"), "b"))
	create(s, volume("b", "2Gi"))
	s.pass(time.Second)
	got := map[string]string{}
	for _, kind := range []world.Kind{world.PersistentVolume, world.PersistentVolumeClaim} {
		for _, o := range s.List(kind) {
			got[o.GetName()] = fmt.Sprint(o.GetAnnotations())
		}
	}
	want := map[string]string{
		"a":    "map[pv.kubernetes.io/bound-by-controller:yes]",
		"b":    "map[pv.kubernetes.io/bound-by-controller:yes]",
		"data": "map[pv.kubernetes.io/bind-completed:yes pv.kubernetes.io/bound-by-controller:yes]",
		"mine": "map[pv.kubernetes.io/bind-completed:yes]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the annotations are (-want +got):\n%s", diff)
	}
	data := must[*v1.PersistentVolumeClaim](t)(s.Get(world.PersistentVolumeClaim, "default", "data"))
	if !cmp.Equal(data.Status.Capacity, mk.Resources("storage", "1Gi")) || len(data.Status.AccessModes) != 1 {
		t.Errorf("the claim's status is %+v, want the volume's size and access modes", data.Status)
	}
}

func TestVolumeBinder_SchedulersChoice(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: storageKinds})
	create(s, delayedClass("slow", "kubernetes.io/no-provisioner"))
	disk, data := create(s, volume("disk", "1Gi")), create(s, claim("data", "1Gi"))
	s.pass(time.Second)
	s.do(world.ClaimVolume{Volume: s.refTo(disk), Claim: s.refTo(data), ByController: true})
	s.wants(time.Second, `
		1s modified volume disk Available of data
		1s effect 1 ended well
		1s modified volume disk Bound of data
		1s modified claim data Pending to disk
		1s modified claim data Bound to disk
	`)
}

func TestVolumeBinder_LateVolumeAndDefaultClass(t *testing.T) {
	s := newScene(t, memory.Options{})
	bare := claim("bare", "1Gi")
	bare.Spec.StorageClassName = nil
	create(s, bare)
	create(s, claim("data", "1Gi"))
	s.pass(time.Minute)
	s.wantsState(`
		claim bare Pending
		claim data Pending
	`)
	create(s, volume("a", "1Gi"))
	s.pass(time.Second)
	class := immediateClass("fast", "disks.example.com")
	class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	create(s, class)
	s.pass(time.Second)
	s.wantsState(`
		claim bare Bound to pvc-UID
		claim data Bound to a
		volume a Bound of data
		volume pvc-UID Bound of bare
	`)
}

func TestVolumeBinder_LostAndReleased(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, volume("a", "1Gi"))
	create(s, volume("b", "1Gi"))
	create(s, claim("one", "1Gi"))
	create(s, claim("two", "1Gi"))
	s.pass(time.Second)
	s.mustDelete(world.PersistentVolumeClaim, "one")
	s.mustDeleteCluster(world.PersistentVolume, "b")
	s.pass(time.Second)
	s.wantsState(`
		claim two Bound to b
		volume a Released of one
		volume b Bound of two deleting
	`)
	b := must[*v1.PersistentVolume](t)(s.Get(world.PersistentVolume, "", "b")).DeepCopy()
	b.Finalizers = nil
	must[*v1.PersistentVolume](t)(s.Update(b))
	s.pass(time.Second)
	s.wantsState(`
		claim two Lost to b
		volume a Released of one
	`)
	create(s, claim("one", "1Gi"))
	s.pass(time.Second)
	s.wantsState(`
		claim one Pending
		claim two Lost to b
		volume a Released of one
	`)
}

func TestVolumeProtection_KeepsClaimsOfPods(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, volume("a", "1Gi"))
	create(s, claim("data", "1Gi"))
	create(s, mk.Pod("waiting").PVC("data").Obj())
	create(s, mk.Pod("p").PVC("data").Obj())
	s.bind("p", "n1")
	s.pass(time.Second)
	s.mustDelete(world.PersistentVolumeClaim, "data")
	s.pass(time.Hour)
	s.wantsState(`
		claim data Bound to a deleting
		volume a Bound of data
		pod p Running on n1 PodScheduled=True Ready=True
		pod waiting Pending
	`, world.PersistentVolumeClaim, world.PersistentVolume, world.Pod)
	if err := s.Delete(world.Pod, "default", "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Minute)
	s.wantsState("volume a Released of data")
}
