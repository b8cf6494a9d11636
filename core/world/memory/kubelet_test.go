package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// limited limits a pod to its requests, as it must be for what cannot be overcommitted.
func limited(b *mk.PodBuilder) *mk.PodBuilder {
	r := &b.Obj().Spec.Containers[0].Resources
	r.Limits = r.Requests
	return b
}

func TestKubelet_RejectsPodThatDoesNotFit(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pod   *mk.PodBuilder
		taint *v1.Taint
		want  string
	}{
		{"too much cpu", mk.Pod("web").CPU("3"), nil, "OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"},
		{"too much memory", mk.Pod("web").Memory("9Gi"), nil, "OutOfmemory: Pod was rejected: Node didn't have enough resource: memory, requested: 9663676416, used: 0, capacity: 8589934592"},
		{"pages the node lacks", limited(mk.Pod("web").CPU("1").Request("hugepages-2Mi", "2Mi")), nil, "OutOfhugepages-2Mi: Pod was rejected: Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0"},
		{"a device the node has none of", limited(mk.Pod("web").Request("example.com/disk", "1")), nil, "OutOfexample.com/disk: Pod was rejected: Node didn't have enough resource: example.com/disk, requested: 1, used: 0, capacity: 0"},
		{"devices the node does not know are no matter", limited(mk.Pod("web").Request("example.com/gpu", "1").Request("deviceclass.resource.kubernetes.io/gpu", "1")), nil, ": "},
		{"a port that is taken", mk.Pod("web").HostPort(80), nil, "NodePorts: Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
		{"a node that the pod does not want", mk.Pod("web").NodeSelector("disk", "ssd"), nil, "NodeAffinity: Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
		{
			"a taint that would evict it", mk.Pod("web"), &v1.Taint{Key: "k", Effect: v1.TaintEffectNoExecute},
			"TaintToleration: Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
		},
		{"a taint that only keeps the scheduler away is no matter", mk.Pod("web").CPU("2"), &v1.Taint{Key: "k", Effect: v1.TaintEffectNoSchedule}, ": "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			n := node("n1")
			n.Status.Allocatable["example.com/disk"] = resource.MustParse("0")
			if tc.taint != nil {
				n.Spec.Taints = []v1.Taint{*tc.taint}
			}
			create(s, n)
			create(s, mk.Pod("first").CPU("2").HostPort(80).Node("n1").Toleration(v1.Toleration{Operator: v1.TolerationOpExists}).Obj())
			create(s, tc.pod.Obj())
			s.bind("web", "n1")
			s.pass(time.Minute)
			status := s.Pod("default", "web").Status
			if got := status.Reason + ": " + status.Message; got != tc.want {
				t.Errorf("the pod is %s:\n%s\nwant\n%s", status.Phase, got, tc.want)
			}
		})
	}
}

func TestCluster_Overcommitted(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	create(s, node("n1"))
	create(s, mk.Pod("a").CPU("3").Obj())
	create(s, mk.Pod("b").CPU("2").Obj())
	s.bind("a", "n1")
	s.bind("b", "n1")
	s.wants(time.Minute, `
		0s listed Pod: a b
		0s modified pod a Pending on n1 PodScheduled=True
		0s effect 1 ended well
		0s modified pod b Pending on n1 PodScheduled=True
		0s effect 2 ended well
		0s modified pod b Failed on n1 because OutOfcpu PodScheduled=True
		0s modified pod a Running on n1 PodScheduled=True Ready=True`)
	want := []string{`2026-03-01T06:00:00Z: node "n1" has 4000 of cpu, 3000 of it claimed, and default/b wants 2000`}
	if got := s.Overcommitted(); len(got) != 1 || got[0] != want[0] {
		t.Errorf("Overcommitted() = %q, want %q", got, want)
	}
	t.Log("what has failed claims nothing any more")
	create(s, mk.Pod("c").CPU("1").Obj())
	s.bind("c", "n1")
	s.pass(time.Minute)
	if got := s.Overcommitted(); len(got) != 1 {
		t.Errorf("Overcommitted() = %q, want the one from before", got)
	}
}

func TestKubelet_PodBehavior(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}, PodBehavior: func(p *v1.Pod) memory.PodBehavior {
		return memory.PodBehavior{Start: 2 * time.Second, Run: 30 * time.Second, Fails: p.Labels["luck"] == "bad"}
	}})
	create(s, node("n1"))
	create(s, mk.Pod("a").Node("n1").Obj())
	create(s, mk.Pod("b").Label("luck", "bad").Node("n1").Obj())
	s.wants(time.Minute, `
		0s listed Pod: a b
		2s modified pod a Running on n1 PodScheduled=True Ready=True
		2s modified pod b Running on n1 PodScheduled=True Ready=True
		32s modified pod a Succeeded on n1 PodScheduled=True Ready=False/PodCompleted
		32s modified pod b Failed on n1 PodScheduled=True Ready=False/PodFailed`)
}

func TestLoad_RunningPod(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}, PodBehavior: func(*v1.Pod) memory.PodBehavior {
		return memory.PodBehavior{Run: time.Minute}
	}})
	running := mk.Pod("old").CPU("3").Node("n1").Phase(v1.PodRunning).Started(dawn.Add(-40 * time.Second)).Created(dawn).Obj()
	running.ResourceVersion = "777"
	if err := s.Load(node("n1"), running, mk.Pod("new").CPU("2").Obj()); err != nil {
		t.Fatal(err)
	}
	if got := s.Pod("default", "old"); got != running {
		t.Errorf("the loaded pod is %v, want the very same object", got)
	}
	s.bind("new", "n1")
	s.wants(time.Minute, `
		0s listed Pod: new old
		0s modified pod new Pending on n1 PodScheduled=True
		0s effect 1 ended well
		0s modified pod new Failed on n1 because OutOfcpu PodScheduled=True
		20s modified pod old Succeeded on n1 Ready=False/PodCompleted`)
}
