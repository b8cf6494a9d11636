package observer_test

import (
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/evict/device"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/observer"
	"orrery/core/evict/pressure"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/drive"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// All controllers that evict pods share the observer's record, and each eviction is recorded once.
func TestRecord_EveryInitiator(t *testing.T) {
	record := evict.NewRecord()
	s := newSimulation(t, func(o *memory.Options) {
		kubelets, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: pressure.DefaultConfiguration("linux"), Record: record})
		if err != nil {
			t.Fatal(err)
		}
		o.Pressure = kubelets
		o.NodeLifecycle = lifecycle.InCluster(lifecycle.Options{Start: noon, Record: record})
	})
	s.observer = observer.New(observer.Options{Record: record, Acting: []evict.Cause{evict.Taint, evict.DeviceTaint, evict.OutOfMemory}})
	s.taints = taint.New(taint.Options{Act: true, FirstEffect: 1 << 32, Record: record})
	s.device = device.New(device.Options{Act: true, FirstEffect: 2 << 32, Record: record})
	for _, name := range []string{"tainted", "n1", "full", "packed", "drained", "busy", "lost", "alone"} {
		s.create(node(name))
	}
	on := func(pod, node string) *mk.PodBuilder { return mk.Pod(pod).UID("").Node(node) }
	s.create(on("by-taint", "tainted").Obj(), on("by-kubelet", "full").Obj(), on("by-drain", "drained").Obj(), on("by-lifecycle", "lost").Obj())
	s.create(on("by-preemptor", "busy").CPU("4").Obj(), on("by-gc", "alone").Obj())
	never := on("by-kernel", "packed").Obj()
	never.Spec.RestartPolicy = v1.RestartPolicyNever
	s.create(never)
	s.create(slice(), claim("by-rule"))
	s.create(claiming("by-rule"))
	s.until(time.Second)
	s.reserve("by-rule")
	s.until(2 * time.Second)
	s.create(deviceRule(0))
	s.do(3*time.Second, taintNode("tainted", tainted("repair")))
	s.do(3*time.Second, func(c *memory.Cluster) error { return c.LoseNode("lost") })
	s.do(3*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: "by-kubelet", Usage: memory.Usage{Memory: 8 << 30}})
	})
	s.do(3*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: "by-kernel", Usage: memory.Usage{Memory: 9 << 30}})
	})
	s.do(3*time.Second, func(c *memory.Cluster) error { return c.Delete(world.Node, "", "alone", metav1.DeleteOptions{}) })
	s.do(3*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(withPriorityClass(mk.Pod("preemptor").UID("").CPU("4").NodeSelector("kubernetes.io/hostname", "busy").Obj(), "high"))
		return err
	})
	s.others = []drive.Controller{budget.StartDrain(s.Cluster, "drained", "alice", budget.DrainOptions{Force: true}, record)}
	s.until(10 * time.Minute)
	got := map[string]string{}
	for _, e := range slices.Concat(record.Open(), record.Ended()) {
		if first, twice := got[e.Pod.Name]; twice && first != "" {
			t.Errorf("%s is recorded twice: %s and %s by %s", e.Pod.Name, first, e.Cause, e.Initiator)
		}
		got[e.Pod.Name] = string(e.Cause) + " by " + e.Initiator + ": " + e.Phase.String()
	}
	for pod, want := range map[string]string{
		"by-taint":     "taint by taint-eviction-controller: evicted",
		"by-rule":      "device taint by device-taint-eviction-controller: evicted",
		"by-kubelet":   "node pressure by kubelet on full: evicted",
		"by-kernel":    "out of memory by OOM killer on packed: killed",
		"by-drain":     "eviction API by alice: evicted",
		"by-preemptor": "preemption by pod default/preemptor: evicted",
		"by-gc":        "node gone by pod garbage collector: evicted",
		"by-lifecycle": "taint by taint-eviction-controller: terminating",
	} {
		if got[pod] != want {
			t.Errorf("%s: %s, want %s", pod, got[pod], want)
		}
	}
}
