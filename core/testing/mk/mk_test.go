package mk_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// What is built for tests is what an API server would let in: the store, which refuses everything else, takes it.
func TestBuilders_ObjectsAreValid(t *testing.T) {
	for name, object := range map[string]world.Object{
		"a bare pod":  mk.Pod("web").Obj(),
		"a bare node": mk.Node("n1").Obj(),
		"a pod with everything": mk.Pod("web").Namespace("shop").Created(at).Started(at).Deleting(at).Phase(v1.PodRunning).
			CPU("1").Memory("1Gi").Container("side", "proxy", mk.Resources("cpu", "10m", "memory", "1Mi")).
			Init("setup", mk.Resources("cpu", "2")).Sidecar("log", mk.Resources("cpu", "5m")).Overhead("cpu", "1m").Image("app:2").
			HostPort(8080).Priority(10).NeverPreempt().Node("n1").Nominated("n2").Label("app", "web").NodeSelector("disk", "ssd").
			Toleration(v1.Toleration{Key: "gpu", Operator: v1.TolerationOpExists}).Gate("hold").PVC("data").
			Owner("apps/v1", "ReplicaSet", "web").Condition(v1.PodReady, v1.ConditionTrue, "").Obj(),
		"a node with everything": mk.Node("n1").CPU("4").Memory("8Gi").Pods("10").Label("disk", "ssd").Zone("a").Region("r").
			Taint("gpu", "yes", v1.TaintEffectNoSchedule).Unschedulable().Image(1<<20, "app:2").
			Condition(v1.NodeReady, v1.ConditionTrue).Obj(),
		"a bound claim": mk.Claim("data").Namespace("shop").Size("1Gi").Class("fast").Mode(v1.ReadWriteOncePod).
			Annotation("a", "b").Bound("pv-1").Owner("web").Obj(),
		"a volume of a zone": mk.Volume("pv-1").Size("1Gi").Class("fast").Label(v1.LabelTopologyZone, "a").CSI("ebs.csi.aws.com", "vol-1").
			On(v1.LabelTopologyZone, "a", "b").For(mk.Claim("data").Obj()).Obj(),
		"a class":          mk.Class("fast", "ebs.csi.aws.com").WaitForFirstConsumer().Obj(),
		"a node's drivers": mk.CSINode("n1").Driver("ebs.csi.aws.com").Limit("nfs.csi.k8s.io", 8).Migrated("kubernetes.io/aws-ebs").Obj(),
		"an attachment":    mk.Attachment("a", "n1", "ebs.csi.aws.com", "pv-1"),
		"a driver":         mk.CSIDriver("csi.example.com"),
		"a capacity":       mk.StorageCapacity("east", "fast", "1Ti", v1.LabelTopologyZone, "a"),
	} {
		deltas, err := store.New().Apply(world.Changed{Op: world.Added, Object: object})
		if err != nil || len(deltas) != 1 {
			t.Errorf("%s: %d changes, %v", name, len(deltas), err)
		}
	}
}

func TestPod_UIDPerNamespace(t *testing.T) {
	here, there := mk.Pod("web").Obj(), mk.Pod("web").Namespace("shop").Obj()
	if here.UID == there.UID {
		t.Errorf("both have the UID %q", here.UID)
	}
}
