package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestNode_TaintsFromConditions(t *testing.T) {
	both := func(key string) []string { return []string{key + ":NoSchedule", key + ":NoExecute"} }
	for _, tc := range []struct {
		name string
		node *mk.NodeBuilder
		want []string
	}{
		{"ready", mk.Node("n1"), nil},
		{"not ready", mk.Node("n1").Condition(v1.NodeReady, v1.ConditionFalse), both(v1.TaintNodeNotReady)},
		{"unknown, and not both", mk.Node("n1").Condition(v1.NodeReady, v1.ConditionUnknown), both(v1.TaintNodeUnreachable)},
		{"short of memory", mk.Node("n1").Condition(v1.NodeMemoryPressure, v1.ConditionTrue), []string{v1.TaintNodeMemoryPressure + ":NoSchedule"}},
		{"short of disk", mk.Node("n1").Condition(v1.NodeDiskPressure, v1.ConditionTrue), []string{v1.TaintNodeDiskPressure + ":NoSchedule"}},
		{"short of processes", mk.Node("n1").Condition(v1.NodePIDPressure, v1.ConditionTrue), []string{v1.TaintNodePIDPressure + ":NoSchedule"}},
		{"without network", mk.Node("n1").Condition(v1.NodeNetworkUnavailable, v1.ConditionTrue), []string{v1.TaintNodeNetworkUnavailable + ":NoSchedule"}},
		{"cordoned", mk.Node("n1").Unschedulable(), []string{v1.TaintNodeUnschedulable + ":NoSchedule"}},
		{"with a taint of its own", mk.Node("n1").Taint("mine", "", v1.TaintEffectNoExecute).Unschedulable(), []string{"mine:NoExecute", v1.TaintNodeUnschedulable + ":NoSchedule"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			create(s, tc.node.Obj())
			s.pass(time.Second)
			n := s.Node("n1")
			taints := map[string]bool{}
			for _, taint := range n.Spec.Taints {
				taints[taint.Key+":"+string(taint.Effect)] = true
			}
			for _, want := range tc.want {
				if !taints[want] {
					t.Errorf("the node lacks the taint %s", want)
				}
			}
			if len(n.Spec.Taints) != len(tc.want) {
				t.Errorf("the node has the taints %v, want %v", n.Spec.Taints, tc.want)
			}
			well := n.DeepCopy()
			well.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
			well = must[*v1.Node](t)(s.UpdateStatus(well)).DeepCopy()
			well.Spec.Unschedulable = false
			must[*v1.Node](t)(s.Update(well))
			s.pass(time.Second)
			for _, taint := range s.Node("n1").Spec.Taints {
				if taint.Key != "mine" {
					t.Errorf("the node is well again and still has the taint %s", taint.ToString())
				}
			}
		})
	}
}

func must[T any](t *testing.T) func(o world.Object, err error) T {
	return func(o world.Object, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o.(T)
	}
}

func TestNode_NotReadyTaintUntilReady(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Node}, Latency: memory.Latency{
		Kubelet: memory.Delay{Base: 2 * time.Second}, Controller: memory.Delay{Base: time.Second},
	}})
	n := mk.Node("n1").Obj()
	n.Status.Conditions = nil
	s.pass(0)
	create(s, n)
	s.wants(time.Minute, `
		0s added node n1 not-ready:NoSchedule
		2s modified node n1 not-ready:NoSchedule Ready=True
		3s modified node n1 Ready=True`)
}

// Shows TAINT-24.
func TestNode_LostAndRecovered(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: podsAndNodes})
	create(s, node("n1"))
	create(s, mk.Pod("web").Node("n1").Obj())
	create(s, mk.Pod("late").Obj())
	s.pass(2 * time.Second)
	if err := s.LoseNode("n1"); err != nil {
		t.Fatal(err)
	}
	s.bind("late", "n1")
	s.mustDelete(world.Pod, "web")
	t.Log("its kubelet neither starts the one pod nor stops the other; at the next look after 50s it is unreachable")
	s.wants(2*time.Minute, `
		2s modified pod web Running on n1 PodScheduled=True Ready=True deleting in 30s
		2s modified pod late Pending on n1 PodScheduled=True
		2s effect 1 ended well
		55s modified node n1 Ready=Unknown
		55s modified pod web Running on n1 PodScheduled=True Ready=False deleting in 30s
		55s modified node n1 unreachable:NoSchedule unreachable:NoExecute Ready=Unknown`)
	if err := s.RecoverNode("n1"); err != nil {
		t.Fatal(err)
	}
	s.wants(time.Minute, `
		2m2s modified node n1 unreachable:NoSchedule unreachable:NoExecute Ready=True
		2m2s modified pod web Running on n1 PodScheduled=True Ready=True deleting in 30s
		2m2s modified node n1 Ready=True
		2m2s modified pod late Running on n1 PodScheduled=True Ready=True
		2m3s deleted pod web Running on n1 PodScheduled=True Ready=True deleting in 30s`)
}

func TestNode_ShortSilence(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Node}})
	create(s, node("n1"))
	s.pass(0)
	_ = s.LoseNode("n1")
	s.After(40*time.Second, func(c *memory.Cluster) { _ = c.RecoverNode("n1") })
	s.After(41*time.Second, func(c *memory.Cluster) { _ = c.LoseNode("n1") })
	s.wants(90*time.Second, `40s modified node n1 Ready=True`)
	if err := s.LoseNode("n1"); err == nil {
		t.Error("a node can be lost twice")
	}
	if err := s.LoseNode("n2"); err == nil {
		t.Error("a node that does not exist can be lost")
	}
}

func TestNode_OrphanedPodsAreDeleted(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: podsAndNodes})
	create(s, node("n1"))
	create(s, mk.Pod("web").Node("n1").Obj())
	s.pass(time.Second)
	s.mustDeleteCluster(world.Node, "n1")
	s.wants(time.Minute, `
		1s deleted node n1 Ready=True
		41s modified pod web Failed on n1 PodScheduled=True Ready=True DisruptionTarget=True/DeletionByPodGC
		41s deleted pod web Failed on n1 PodScheduled=True Ready=True DisruptionTarget=True/DeletionByPodGC`)
}

func TestNode_Heartbeats(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Node}, Heartbeat: 20 * time.Second})
	create(s, node("n1"))
	s.wants(50*time.Second, `
		0s listed Node: n1
		20s modified node n1 Ready=True
		40s modified node n1 Ready=True`)
	if got, want := s.Node("n1").Status.Conditions[0].LastHeartbeatTime.Time, dawn.Add(40*time.Second); !got.Equal(want) {
		t.Errorf("the last heartbeat was at %v, want %v", got, want)
	}
}

// Without the controller of a cloud provider the taint stays. Shows TAINT-22.
func TestNode_Uninitialized(t *testing.T) {
	for takes, want := range map[time.Duration]string{0: "", 5 * time.Second: "5s modified node n1 Ready=True"} {
		s := newScene(t, memory.Options{Kinds: []world.Kind{world.Node}, Latency: memory.Latency{Initialize: memory.Delay{Base: takes}}})
		s.pass(0)
		create(s, mk.Node("n1").Taint("node.cloudprovider.kubernetes.io/uninitialized", "true", v1.TaintEffectNoSchedule).Obj())
		s.pass(0)
		s.wants(time.Minute, want)
	}
}
