package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const disks = "disks.example.com"

// csiNode is a node's CSINode with the driver disks, whose topology are zones.
func csiNode(name string, limit int32) *storagev1.CSINode {
	driver := storagev1.CSINodeDriver{Name: disks, NodeID: name, TopologyKeys: []string{v1.LabelTopologyZone}}
	if limit > 0 {
		driver.Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
	}
	return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{driver}}}
}

// disksDriver publishes its capacity.
func disksDriver() *storagev1.CSIDriver {
	return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: disks}, Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr(true)}}
}

func zone(name string) map[string]string { return map[string]string{v1.LabelTopologyZone: name} }

// withDisks is a cluster with a node in each of two zones, where the driver disks is at work.
func withDisks(t *testing.T, class *storagev1.StorageClass, o memory.Options) *scene {
	t.Helper()
	s := newScene(t, o)
	for _, name := range []string{"east", "west"} {
		create(s, mk.Node(name).Zone(name).CPU("4").Memory("8Gi").Obj())
		create(s, csiNode(name, 2))
	}
	create(s, disksDriver())
	create(s, class)
	s.pass(0)
	return s
}

// slowDisks is a cluster whose provisioner takes ten seconds.
var slowDisks = memory.Options{Latency: memory.Latency{Provision: memory.Delay{Base: 10 * time.Second}}, Kinds: storageKinds}

func (s *scene) selectNode(claim, node string) {
	s.t.Helper()
	s.do(world.SelectNode{Claim: world.ObjectRef{Namespace: "default", Name: claim}, Node: node})
}

func TestProvisioner_DelayedClaimGoesToSelectedNode(t *testing.T) {
	s := withDisks(t, delayedClass("slow", disks), slowDisks)
	create(s, claim("data", "1Gi"))
	s.pass(time.Minute)
	s.wantsState("claim data Pending")
	s.selectNode("data", "west")
	s.wants(time.Minute, `
		1m0s modified claim data Pending for west
		1m0s effect 1 ended well
		1m0s modified claim data Pending for west
		1m10s added volume pvc-UID Pending of data in west
		1m10s modified volume pvc-UID Bound of data in west
		1m10s modified claim data Pending to pvc-UID for west
		1m10s modified claim data Bound to pvc-UID for west
	`)
}

func TestProvisioner_NoRoomTakesNodeBack(t *testing.T) {
	s := withDisks(t, delayedClass("slow", disks), slowDisks)
	s.SetCapacity(disks, zone("east"), 10<<30)
	s.SetCapacity(disks, zone("west"), 1<<30)
	create(s, claim("data", "4Gi"))
	s.pass(time.Minute)
	s.wantsState(`
		capacity of slow in east 10Gi
		capacity of slow in west 1Gi
	`, world.CSIStorageCapacity)
	s.selectNode("data", "west")
	s.pass(time.Minute)
	s.wantsState("claim data Pending")
	s.selectNode("data", "east")
	s.pass(time.Minute)
	s.wantsState(`
		claim data Bound to pvc-UID for east
		volume pvc-UID Bound of data in east
		capacity of slow in east 6Gi
		capacity of slow in west 1Gi
	`, world.PersistentVolumeClaim, world.PersistentVolume, world.CSIStorageCapacity)
	s.mustDelete(world.PersistentVolumeClaim, "data")
	s.pass(time.Minute)
	s.wantsState(`
		capacity of slow in east 10Gi
		capacity of slow in west 1Gi
	`, world.PersistentVolumeClaim, world.PersistentVolume, world.CSIStorageCapacity)
}

func TestProvisioner_SelectedNodeIsImpossible(t *testing.T) {
	for name, prepare := range map[string]func(*scene, *storagev1.StorageClass){
		"it does not exist": func(s *scene, _ *storagev1.StorageClass) {
			s.mustDeleteCluster(world.Node, "west")
		},
		"its zone is not allowed": func(s *scene, class *storagev1.StorageClass) {
			class = class.DeepCopy()
			class.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
				{Key: v1.LabelTopologyZone, Values: []string{"east"}},
			}}}
			must[*storagev1.StorageClass](s.t)(s.Update(class))
		},
		"the only term is empty": func(s *scene, class *storagev1.StorageClass) {
			class = class.DeepCopy()
			class.AllowedTopologies = []v1.TopologySelectorTerm{{}}
			s.load(class)
		},
		"it lacks the label": func(s *scene, _ *storagev1.StorageClass) {
			west := s.Node("west").DeepCopy()
			west.Labels = nil
			must[*v1.Node](s.t)(s.Update(west))
		},
	} {
		t.Run(name, func(t *testing.T) {
			class := delayedClass("slow", disks)
			s := withDisks(t, class, slowDisks)
			create(s, claim("data", "1Gi"))
			prepare(s, class)
			s.selectNode("data", "west")
			s.pass(time.Minute)
			s.wantsState("claim data Pending")
		})
	}
}

func TestProvisioner_ImmediateClaims(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowDisks)
	s.SetCapacity(disks, zone("east"), 1<<30)
	s.SetCapacity(disks, zone("west"), 0)
	create(s, claim("one", "1Gi"))
	create(s, claim("two", "1Gi"))
	s.pass(time.Minute)
	s.wantsState(`
		claim one Bound to pvc-UID
		claim two Pending
		volume pvc-UID Bound of one in east
	`)
	s.SetCapacity(disks, zone("west"), 5<<30)
	s.pass(time.Minute)
	s.wantsState(`
		claim one Bound to pvc-UID
		claim two Bound to pvc-UID
		volume pvc-UID Bound of one in east
		volume pvc-UID Bound of two in west
	`)
}

func TestProvisioner_Hangs(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowDisks)
	create(s, claim("data", "1Gi"))
	s.pass(5 * time.Second)
	s.HangProvisioner(disks, time.Minute)
	s.pass(59 * time.Second)
	s.wantsState("claim data Pending")
	s.pass(time.Second)
	s.wantsState(`
		claim data Bound to pvc-UID
		volume pvc-UID Bound of data in west
	`)
}

func TestProvisioner_ReclaimPolicy(t *testing.T) {
	class := immediateClass("slow", disks)
	class.ReclaimPolicy = ptr(v1.PersistentVolumeReclaimRetain)
	s := withDisks(t, class, slowDisks)
	create(s, claim("data", "1Gi"))
	s.pass(time.Minute)
	s.mustDelete(world.PersistentVolumeClaim, "data")
	s.pass(time.Minute)
	s.wantsState("volume pvc-UID Released of data in west")
}

func TestProvisioner_TakesCapacityObjectsOfAnotherCluster(t *testing.T) {
	s := withDisks(t, delayedClass("slow", disks), slowDisks)
	create(s, &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}, StorageClassName: "slow",
		NodeTopology: &metav1.LabelSelector{MatchLabels: zone("west")}, Capacity: ptr(resource.MustParse("3Gi")),
	})
	for _, name := range []string{"one", "two"} {
		create(s, claim(name, "2Gi"))
		s.selectNode(name, "west")
		s.pass(time.Minute)
	}
	s.wantsState(`
		claim one Bound to pvc-UID for west
		claim two Pending
		capacity of slow in west 1Gi
	`, world.PersistentVolumeClaim, world.CSIStorageCapacity)
}

// load brings an object from an older cluster, whose API server took what this one refuses.
func (s *scene) load(o world.Object) {
	s.t.Helper()
	if err := s.Load(o); err != nil {
		s.t.Fatal(err)
	}
}

// Terms without expressions allow no node. With no other term, a claim that waits for no node gets a volume without a zone.
func TestProvisioner_EmptyTopologyTerms(t *testing.T) {
	class := immediateClass("slow", disks)
	s := withDisks(t, class, slowDisks)
	class = class.DeepCopy()
	class.AllowedTopologies = []v1.TopologySelectorTerm{{}, {}}
	s.load(class)
	create(s, claim("data", "1Gi"))
	s.pass(time.Minute)
	bound := must[*v1.PersistentVolumeClaim](t)(s.Get(world.PersistentVolumeClaim, "default", "data"))
	pv := must[*v1.PersistentVolume](t)(s.Get(world.PersistentVolume, "", bound.Spec.VolumeName))
	if pv.Spec.NodeAffinity != nil {
		t.Errorf("the volume is for nodes %v, want any", pv.Spec.NodeAffinity)
	}
}
