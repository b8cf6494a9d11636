package observer_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestObserver_Preemption(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), pdb("web", 1), web("a").Obj(), web("b").Obj())
	s.do(10*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(withPriorityClass(mk.Pod("preemptor").CPU("4").Obj(), "high"))
		return err
	})
	s.until(9 * time.Second)
	s.wantRecord("")
	s.until(11 * time.Second)
	s.wantRecord(`
		a terminating n1 due 40s budget web(0); preemption by pod default/preemptor: preempted by default/preemptor on n1: the only candidate; PodDisruptionBudget violations: 1
		b terminating n1 due 40s budget web(0); preemption by pod default/preemptor: preempted by default/preemptor on n1: the only candidate; PodDisruptionBudget violations: 1
	`)
	s.until(time.Minute)
	s.wantRecord(`
		b evicted n1 due 40s ended 13s budget web(0); preemption by pod default/preemptor: preempted by default/preemptor on n1: the only candidate; PodDisruptionBudget violations: 1
		a evicted n1 due 40s ended 13s budget web(0); preemption by pod default/preemptor: preempted by default/preemptor on n1: the only candidate; PodDisruptionBudget violations: 1
	`)
	if got := s.Pod("default", "preemptor").Spec.NodeName; got != "n1" {
		t.Errorf("preemptor is on %q", got)
	}
}

func TestObserver_PreemptionReason(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), node("n2"), web("a").Obj(), web("b").Obj(), web("c").Obj())
	s.until(time.Second)
	preemptor := withPriorityClass(mk.Pod("preemptor").CPU("4").Obj(), "high")
	s.create(preemptor)
	s.until(2 * time.Second)
	open := s.observer.Record().Open()
	if want := "preempted by default/preemptor on " + open[0].Node + ": lowest sum of the victims' priorities, of 2 candidates"; len(open) != 1 || open[0].Reason != want {
		t.Errorf("the record has %+v, want one victim with the reason: %s", open, want)
	}
}

func TestObserver_PreemptionCancelled(t *testing.T) {
	s := newSimulation(t, func(o *memory.Options) {
		o.Latency = memory.Latency{Response: memory.Delay{Base: time.Second}}
		o.Faults.Calls = map[memory.Call]memory.CallFaults{memory.CallPatchStatus: {Refuse: 1}}
	})
	s.create(node("n1"), mk.Pod("a").CPU("3").Obj())
	s.until(2 * time.Second)
	s.create(withPriorityClass(mk.Pod("preemptor").CPU("4").Obj(), "high"))
	s.until(3500 * time.Millisecond)
	s.wantRecord("a terminating n1; preemption by pod default/preemptor: preempted by default/preemptor on n1: the only candidate")
	s.do(10*time.Second, func(c *memory.Cluster) error {
		return c.Delete(world.Pod, "default", "preemptor", metav1.DeleteOptions{})
	})
	s.until(12 * time.Second)
	s.wantRecord("a cancelled n1 ended 10s; preemption by pod default/preemptor: the preemptor was deleted")
}

// tainted is a NoExecute taint.
func tainted(key string) v1.Taint { return v1.Taint{Key: key, Effect: v1.TaintEffectNoExecute} }

func tolerating(name string, seconds int64) *v1.Pod {
	return mk.Pod(name).Label("app", "web").
		Toleration(v1.Toleration{Key: "repair", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds}).Obj()
}

func TestObserver_TaintTimers(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), tolerating("short", 30), tolerating("long", 300), mk.Pod("none").Obj())
	s.do(10*time.Second, taintNode("n1", tainted("repair")))
	s.do(100*time.Second, taintNode("n1"))
	s.until(12 * time.Second)
	s.wantRecord(`
		none terminating n1 due 40s; taint by taint-eviction-controller: repair:NoExecute is not tolerated
		short counting down n1 predicted due 40s; taint by taint-eviction-controller: repair, tolerated for 30s
		long counting down n1 predicted due 5m10s; taint by taint-eviction-controller: repair, tolerated for 5m0s
	`)
	s.until(41 * time.Second)
	s.wantRecord(`
		short terminating n1 due 1m10s; taint by taint-eviction-controller: repair, tolerated for 30s
		long counting down n1 predicted due 5m10s; taint by taint-eviction-controller: repair, tolerated for 5m0s
		none evicted n1 due 40s ended 13s; taint by taint-eviction-controller: repair:NoExecute is not tolerated
	`)
	s.until(time.Hour)
	s.wantRecord(`
		none evicted n1 due 40s ended 13s; taint by taint-eviction-controller: repair:NoExecute is not tolerated
		short evicted n1 due 1m10s ended 43s; taint by taint-eviction-controller: repair, tolerated for 30s
		long cancelled n1 predicted due 5m10s ended 1m40s; taint by taint-eviction-controller: the taints were removed
	`)
}

func TestObserver_TimerSupersededByOtherCause(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), tolerating("a", 300), pdb("web", 0))
	s.do(10*time.Second, taintNode("n1", tainted("repair")))
	s.do(20*time.Second, func(c *memory.Cluster) error { return c.Evict(eviction("a")) })
	s.until(22 * time.Second)
	s.wantRecord(`
		a terminating n1 due 50s budget web(0); eviction API by eviction API: Eviction API: evicting
		a counting down n1 predicted due 5m10s budget web(0); taint by taint-eviction-controller: repair, tolerated for 5m0s
	`)
	s.until(time.Minute)
	s.wantRecord(`
		a evicted n1 due 50s ended 23s budget web(0); eviction API by eviction API: Eviction API: evicting
		a cancelled n1 predicted due 5m10s ended 23s budget web(0); taint by taint-eviction-controller: evicted for another cause: eviction API
	`)
}

func TestObserver_ManualDeletionIsNoEviction(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), tolerating("a", 300), mk.Pod("b").Obj())
	s.do(10*time.Second, taintNode("n1", tainted("other")))
	s.do(5*time.Second, func(c *memory.Cluster) error { return c.Delete(world.Pod, "default", "b", metav1.DeleteOptions{}) })
	s.until(9 * time.Second)
	s.wantRecord("")
}

func TestObserver_EvictionBlockedByBudget(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), pdb("web", 2), web("a").Obj(), web("b").Obj())
	s.until(10 * time.Second)
	drain := budget.StartDrain(s.Cluster, "n1", "alice", budget.DrainOptions{Force: true}, s.observer.Record())
	s.others = append(s.others, drain)
	s.do(18*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(node("n2"))
		return err
	})
	s.do(19*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(web("c").Obj())
		return err
	})
	s.until(11 * time.Second)
	s.wantRecord(`
		a blocked n1 due 15s budget web(0); eviction API by alice: The disruption budget web needs 2 healthy pods and has 2 currently
		b blocked n1 due 15s budget web(0); eviction API by alice: The disruption budget web needs 2 healthy pods and has 2 currently
	`)
	if waiting := drain.Waiting(); len(waiting) != 2 || waiting[0].Budget != "web" || waiting[0].Since.Sub(noon) != 10*time.Second {
		t.Errorf("the drain waits for %+v", waiting)
	}
	s.until(21 * time.Second)
	s.wantRecord(`
		b blocked n1 due 25s budget web(0); eviction API by alice: The disruption budget web does not allow evicting pods currently
		a terminating n1 due 50s budget web(0); eviction API by alice: drain of node n1
	`)
	s.do(27*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(web("d").Obj())
		return err
	})
	s.until(time.Hour)
	s.wantRecord(`
		a evicted n1 due 50s ended 23s budget web(0); eviction API by alice: drain of node n1
		b evicted n1 due 1m0s ended 33s budget web(0); eviction API by alice: drain of node n1
	`)
	if done, err := drain.Done(); !done || err != nil {
		t.Errorf("the drain is done: %v, %v", done, err)
	}
}

func TestObserver_NodePressure(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), web("a").Obj())
	s.do(10*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Labels: map[string]string{"app": "web"}, Usage: memory.Usage{Memory: 8 << 30}})
	})
	s.until(9 * time.Second)
	s.wantRecord("")
	s.until(time.Minute)
	s.wantRecord("a evicted n1 ended 11s; node pressure by kubelet on n1: The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 8Gi, request is 0, has larger consumption of memory.")
}

func TestObserver_KubeletPredictionAndOutcomeAreOne(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), web("a").Obj(), pdb("web", 0))
	s.until(time.Second)
	s.Pressure().(*pressure.Kubelets).SetRecord(s.observer.Record())
	s.do(10*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: "a", Usage: memory.Usage{Memory: 8 << 30}})
	})
	s.until(10*time.Second + 100*time.Millisecond)
	s.wantRecord("a terminating n1 due 11s budget web(1); node pressure by kubelet on n1: memory.available<100Mi: 0 available")
	s.until(time.Hour)
	s.wantRecord("a evicted n1 due 11s ended 11s budget web(1); node pressure by kubelet on n1: memory.available<100Mi: 0 available")
}

func TestObserver_DeviceTaintRule(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), slice(), claim("a"))
	s.create(claiming("a"))
	s.until(time.Second)
	s.reserve("a")
	s.until(2 * time.Second)
	rule := deviceRule(10 * time.Second)
	s.do(10*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(rule)
		return err
	})
	s.until(11 * time.Second)
	s.wantRecord("a terminating n1 due 40s; device taint by device-taint-eviction-controller: broken:NoExecute by rule broken")
	s.until(time.Minute)
	s.wantRecord("a evicted n1 due 40s ended 13s; device taint by device-taint-eviction-controller: broken:NoExecute by rule broken")
	o, err := s.Get(world.DeviceTaintRule, "", "broken")
	if err != nil {
		t.Fatal(err)
	}
	conditions := o.(*resourcev1alpha3.DeviceTaintRule).Status.Conditions
	if len(conditions) != 1 || conditions[0].Reason != "Completed" || conditions[0].Message != "1 pod evicted since starting the controller." {
		t.Errorf("the rule's status is %+v", conditions)
	}
}

func TestObserver_Fork(t *testing.T) {
	s := newSimulation(t, func(o *memory.Options) { o.Latency, o.Seed = memory.TypicalLatency(), 7 })
	s.create(node("n1"), node("n2"), pdb("web", 1), tolerating("short", 30), tolerating("long", 300), web("a").Obj(), web("b").Obj(), web("c").Obj())
	s.do(10*time.Second, taintNode("n1", tainted("repair")))
	s.do(25*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(withPriorityClass(mk.Pod("preemptor").CPU("3500m").Obj(), "high"))
		return err
	})
	s.do(50*time.Second, taintNode("n2", tainted("repair")))
	s.do(60*time.Second, taintNode("n1"))
	for _, half := range []time.Duration{11 * time.Second, 26 * time.Second, 45 * time.Second, 70 * time.Second} {
		s.until(half)
		fork := s.fork()
		before := recordText(s.observer.Record())
		fork.until(10 * time.Minute)
		if now := recordText(s.observer.Record()); now != before {
			t.Fatalf("the fork changed the original to\n%s", now)
		}
		t.Cleanup(func() {
			if got, want := recordText(fork.observer.Record()), recordText(s.observer.Record()); got != want {
				t.Errorf("the fork at %v has\n%swant\n%s", half, got, want)
			}
		})
	}
	s.until(10 * time.Minute)
	evicted := 0
	for _, d := range s.observer.Record().Ended() {
		if d.Phase == evict.Evicted {
			evicted++
		}
	}
	if evicted < 4 {
		t.Errorf("only %d pods were evicted:\n%s", evicted, recordText(s.observer.Record()))
	}
}

// A pod whose node runs out of memory is killed at once and, as it uses as much again, a second time, before its kubelet looks. One
// that exceeds its own limit is killed whatever is free. Shows NPE-55.
func TestObserver_OutOfMemory(t *testing.T) {
	s := newSimulation(t)
	limited := web("limited").Obj()
	limited.Spec.Containers[0].Resources.Limits = mk.Resources("memory", "1Gi")
	s.create(node("n1"), node("n2"), web("a").Obj(), limited)
	s.until(time.Second)
	s.do(12*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: "a", Usage: memory.Usage{Memory: 9 << 30}})
	})
	s.do(13*time.Second, func(c *memory.Cluster) error {
		return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: "limited", Usage: memory.Usage{Memory: 2 << 30}})
	})
	s.until(15 * time.Second)
	s.wantRecord(`
		a killed n1 ended 12s; out of memory by OOM killer on n1: container main was killed before its node reported MemoryPressure: faster than an eviction
		a killed n1 ended 12s; out of memory by OOM killer on n1: container main was killed before its node reported MemoryPressure: faster than an eviction
		limited killed n2 ended 13s; out of memory by OOM killer on n2: container main was killed: limit 1Gi
		limited killed n2 ended 13s; out of memory by OOM killer on n2: container main was killed: limit 1Gi
	`)
}
