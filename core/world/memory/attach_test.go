package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// slowAttach is a cluster whose driver attaches and detaches in five seconds.
var slowAttach = memory.Options{Latency: memory.Latency{Attach: memory.Delay{Base: 5 * time.Second}}, Kinds: storageKinds}

// everywhere is a volume of the driver disks that every node reaches.
func everywhere(name string, modes ...v1.PersistentVolumeAccessMode) *v1.PersistentVolume {
	v := volume(name, "1Gi")
	v.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: disks, VolumeHandle: name}
	if len(modes) > 0 {
		v.Spec.AccessModes = modes
	}
	return v
}

// withPods makes pods of the claim data on the given nodes.
func (s *scene) withPods(names, nodes []string) {
	s.t.Helper()
	for i, name := range names {
		create(s, mk.Pod(name).PVC("data").Node(nodes[i]).Obj())
	}
}

var podsAndAttachments = []world.Kind{world.VolumeAttachment, world.Pod}

func TestAttach_PodWaitsForVolume(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	create(s, everywhere("disk"))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(4 * time.Second)
	s.wantsState(`
		attachment of disk to east
		pod p Pending on east
	`, podsAndAttachments...)
	s.pass(time.Second)
	s.wantsState(`
		attachment of disk to east attached
		pod p Running on east PodScheduled=True Ready=True
	`, podsAndAttachments...)
	s.mustDelete(world.Pod, "p")
	s.pass(5 * time.Second)
	s.wantsState("attachment of disk to east attached deleting", podsAndAttachments...)
	s.pass(5 * time.Second)
	s.wantsState("", podsAndAttachments...)
}

func TestAttach_NotNeeded(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	driver := must[world.Object](t)(s.Get(world.CSIDriver, "", disks))
	s.mustDeleteCluster(world.CSIDriver, driver.GetName())
	without := disksDriver()
	without.Spec.AttachRequired = ptr(false)
	create(s, without)
	create(s, everywhere("disk"))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(0)
	s.wantsState("pod p Running on east PodScheduled=True Ready=True", podsAndAttachments...)
}

func TestAttach_InTreeVolumeIsMigrated(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	old := volume("disk", "1Gi")
	old.Spec.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	create(s, old)
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(time.Minute)
	s.wantsState("attachment of disk to east attached", world.VolumeAttachment)
}

func TestAttach_OneNodeAtATime(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	create(s, everywhere("disk"))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(5 * time.Second)
	s.withPods([]string{"q", "r"}, []string{"west", "east"})
	s.pass(time.Minute)
	s.wantsState(`
		attachment of disk to east attached
		pod p Running on east PodScheduled=True Ready=True
		pod q Pending on west
		pod r Running on east PodScheduled=True Ready=True
	`, podsAndAttachments...)
	var said bool
	for _, e := range s.Events() {
		said = said || e.Reason == "FailedAttachVolume" && e.Regarding.Name == "q"
	}
	if !said {
		t.Error("no event says why q waits")
	}
	s.mustDelete(world.Pod, "p")
	s.mustDelete(world.Pod, "r")
	s.pass(time.Minute)
	s.wantsState(`
		attachment of disk to west attached
		pod q Running on west PodScheduled=True Ready=True
	`, podsAndAttachments...)
}

func TestAttach_ManyNodesIfTheVolumeAllows(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	create(s, everywhere("disk", v1.ReadWriteOnce, v1.ReadWriteMany))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p", "q"}, []string{"east", "west"})
	s.pass(time.Minute)
	s.wantsState(`
		attachment of disk to east attached
		attachment of disk to west attached
	`, world.VolumeAttachment)
}

func TestAttach_LimitOfNode(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	for _, name := range []string{"a", "b", "c"} {
		create(s, preBound(everywhere("disk-"+name), name))
		create(s, claim(name, "1Gi"))
		create(s, mk.Pod(name).PVC(name).Node("east").Obj())
		s.pass(time.Second)
	}
	s.pass(time.Minute)
	s.wantsState(`
		pod a Running on east PodScheduled=True Ready=True
		pod b Running on east PodScheduled=True Ready=True
		pod c Pending on east
	`, world.Pod)
	s.mustDelete(world.Pod, "a")
	s.pass(time.Minute)
	s.wantsState(`
		pod b Running on east PodScheduled=True Ready=True
		pod c Running on east PodScheduled=True Ready=True
	`, world.Pod)
}

// withDeadNode is a cluster whose node east has died under the pod p, of which q is the successor.
func withDeadNode(t *testing.T) *scene {
	t.Helper()
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	create(s, everywhere("disk"))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(time.Minute)
	if err := s.LoseNode("east"); err != nil {
		t.Fatal(err)
	}
	s.pass(2 * time.Minute)
	create(s, mk.Pod("q").PVC("data").Node("west").Obj())
	s.pass(0)
	return s
}

const (
	stillOnDeadNode = `
		attachment of disk to east attached
		pod q Pending on west
	`
	movedToOtherNode = `
		attachment of disk to west attached
		pod q Running on west PodScheduled=True Ready=True
	`
)

func TestDetach_DeadNodeKeepsVolumeForSixMinutes(t *testing.T) {
	s := withDeadNode(t)
	if err := s.Delete(world.Pod, "default", "p", graceOf(0)); err != nil {
		t.Fatal(err)
	}
	s.pass(6*time.Minute - time.Second)
	s.wantsState(stillOnDeadNode, podsAndAttachments...)
	s.pass(time.Minute)
	s.wantsState(movedToOtherNode, podsAndAttachments...)
}

func TestDetach_NodeOutOfService(t *testing.T) {
	s := withDeadNode(t)
	if err := s.Delete(world.Pod, "default", "p", graceOf(30)); err != nil {
		t.Fatal(err)
	}
	s.pass(10 * time.Minute)
	s.wantsState(`
		attachment of disk to east attached
		pod p Running on east PodScheduled=True Ready=False deleting in 30s
		pod q Pending on west
	`, podsAndAttachments...)
	east := s.Node("east").DeepCopy()
	east.Spec.Taints = append(east.Spec.Taints, v1.Taint{Key: v1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: v1.TaintEffectNoExecute})
	must[*v1.Node](t)(s.Update(east))
	s.pass(time.Minute)
	s.wantsState(movedToOtherNode, podsAndAttachments...)
}

func TestDetach_NodeRecovers(t *testing.T) {
	s := withDeadNode(t)
	if err := s.Delete(world.Pod, "default", "p", graceOf(0)); err != nil {
		t.Fatal(err)
	}
	s.pass(2 * time.Minute)
	if err := s.RecoverNode("east"); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Minute)
	s.wantsState(movedToOtherNode, podsAndAttachments...)
}

func TestDetach_NodeIsDeleted(t *testing.T) {
	s := withDeadNode(t)
	s.mustDeleteCluster(world.Node, "east")
	s.pass(time.Minute)
	s.wantsState(stillOnDeadNode, podsAndAttachments...)
	if _, err := s.Get(world.CSINode, "", "east"); err == nil {
		t.Error("the CSINode outlives its node")
	}
	s.pass(6 * time.Minute)
	s.wantsState(movedToOtherNode, podsAndAttachments...)
}

func TestDetach_Stuck(t *testing.T) {
	s := withDeadNode(t)
	s.FailDetach("disk", 20*time.Minute)
	if err := s.Delete(world.Pod, "default", "p", graceOf(0)); err != nil {
		t.Fatal(err)
	}
	s.pass(19 * time.Minute)
	s.wantsState(`
		attachment of disk to east attached deleting
		pod q Pending on west
	`, podsAndAttachments...)
	s.pass(2 * time.Minute)
	s.wantsState(movedToOtherNode, podsAndAttachments...)
}

func TestMount_VolumeOutOfReach(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	far := everywhere("disk")
	far.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{"west"}}},
	}}}}
	create(s, far)
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(time.Hour)
	s.wantsState("pod p Pending on east", world.Pod)
}

// A cluster's objects are loaded into another one, where the drivers go on with what was under way.
func TestAttach_ContinuesAfterLoad(t *testing.T) {
	s := withDisks(t, immediateClass("slow", disks), slowAttach)
	create(s, everywhere("disk"))
	create(s, claim("data", "1Gi"))
	s.withPods([]string{"p"}, []string{"east"})
	s.pass(time.Minute)
	s.mustDelete(world.Pod, "p")
	s.withPods([]string{"q"}, []string{"west"})
	s.pass(2 * time.Second)
	s.wantsState("attachment of disk to east attached deleting", world.VolumeAttachment)
	other := newScene(t, slowAttach)
	for _, kind := range world.Kinds() {
		if err := other.Load(s.List(kind)...); err != nil {
			t.Fatal(err)
		}
	}
	other.pass(time.Minute)
	other.wantsState(movedToOtherNode, podsAndAttachments...)
}
