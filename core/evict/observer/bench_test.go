package observer_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/observer"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// newLoaded returns an observer with 100,000 pods on a thousand nodes, and the pods. Timers run for one pod in a hundred.
func newLoaded(b *testing.B) (*observer.Observer, []*v1.Pod) {
	b.Helper()
	c := observer.New(observer.Options{})
	nodes, pods := world.Listed{Kind: world.Node}, world.Listed{Kind: world.Pod}
	for i := range 1000 {
		n := mk.Node(fmt.Sprint("n", i))
		if i%100 == 0 {
			n = n.Taint("repair", "", v1.TaintEffectNoExecute)
		}
		nodes.Objects = append(nodes.Objects, n.Obj())
	}
	all := make([]*v1.Pod, 100_000)
	for i := range all {
		pod := mk.Pod(fmt.Sprint("p", i)).Node(fmt.Sprint("n", i%1000)).CPU("100m").
			Toleration(v1.Toleration{Key: "repair", Operator: v1.TolerationOpExists, TolerationSeconds: ptr(int64(1 << 40))}).Obj()
		pod.ResourceVersion = "1"
		for _, kind := range []v1.PodConditionType{v1.PodScheduled, v1.PodInitialized, v1.ContainersReady, v1.PodReady} {
			pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: kind, Status: v1.ConditionTrue})
		}
		all[i] = pod
		pods.Objects = append(pods.Objects, pod)
	}
	for _, list := range []world.Listed{nodes, pods} {
		c.Apply(world.Input{At: noon, Event: list})
	}
	return c, all
}

// BenchmarkObserver_UnrelatedInput is a change of a pod's status.
func BenchmarkObserver_UnrelatedInput(b *testing.B) {
	c, all := newLoaded(b)
	b.ReportAllocs()
	version := 1
	for b.Loop() {
		version++
		at := version * 7919 % len(all)
		pod := *all[at]
		pod.ResourceVersion = strconv.Itoa(version)
		all[at] = &pod
		c.Apply(world.Input{At: noon.Add(time.Duration(version)), Event: world.Changed{Op: world.Modified, Object: &pod}})
	}
}

// BenchmarkObserver_Heartbeat is a change of a node's status.
func BenchmarkObserver_Heartbeat(b *testing.B) {
	c, _ := newLoaded(b)
	n := mk.Node("n7").Obj()
	b.ReportAllocs()
	version := 1
	for b.Loop() {
		version++
		heartbeat := *n
		heartbeat.ResourceVersion = strconv.Itoa(version)
		c.Apply(world.Input{At: noon.Add(time.Duration(version)), Event: world.Changed{Op: world.Modified, Object: &heartbeat}})
	}
}

func BenchmarkObserver_Fork(b *testing.B) {
	c, _ := newLoaded(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Fork()
	}
}
