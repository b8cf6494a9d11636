package pressure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world/memory"
)

func mib(n int64) memory.Usage { return memory.Usage{Memory: n * mi} }

// wantContainer compares the state of a pod's first container.
func (c *testCluster) wantContainer(pod, want string) {
	c.t.Helper()
	p := c.Pod("default", pod)
	s := p.Status.ContainerStatuses[0]
	got := fmt.Sprintf("%s, restarts %d", p.Status.Phase, s.RestartCount)
	switch {
	case s.State.Waiting != nil:
		got += ", " + s.State.Waiting.Reason
	case s.State.Terminated != nil:
		got += fmt.Sprintf(", %s %d", s.State.Terminated.Reason, s.State.Terminated.ExitCode)
	}
	if last := s.LastTerminationState.Terminated; last != nil {
		got += fmt.Sprintf(", last %s at %v", last.Reason, last.FinishedAt.Sub(noon))
	}
	if got != want {
		c.t.Errorf("at %v %s is %q, want %q", c.Now().Sub(noon), pod, got, want)
	}
}

// kills are the reasons of kills on the record, by pod.
func (c *testCluster) kills() string {
	var all []string
	for _, e := range c.record().Ended() {
		if e.Cause == evict.OutOfMemory {
			all = append(all, fmt.Sprintf("%v %s %s: %s", e.Ended.Sub(noon), e.Pod.Name, e.Phase, e.Reason))
		}
	}
	return strings.Join(all, "\n")
}

func TestKubelets_RestartKilledContainer(t *testing.T) {
	c := newTestCluster(t, "")
	pod := withLimits(mk.Pod("p"), "memory", "100Mi")
	c.run(pod)
	c.use(memory.UsageReport{Pod: "p", Usage: mib(90), Growth: mib(1)})
	for _, step := range []struct {
		at   time.Duration
		want string
	}{
		{10, "Running, restarts 0"},
		{11, "Running, restarts 1, last OOMKilled at 10s"},
		{29, "Running, restarts 1, CrashLoopBackOff, last OOMKilled at 20s"},
		{31, "Running, restarts 2, last OOMKilled at 20s"},
		{59, "Running, restarts 2, CrashLoopBackOff, last OOMKilled at 40s"},
		{61, "Running, restarts 3, last OOMKilled at 40s"},
	} {
		c.until(step.at * time.Second)
		c.wantContainer("p", step.want)
	}
	c.use(memory.UsageReport{Pod: "p", Usage: mib(90)})
	c.until(20 * time.Minute)
	c.use(memory.UsageReport{Pod: "p", Usage: mib(101)}) // it ran for more than ten minutes
	c.until(20*time.Minute + time.Second)
	c.wantContainer("p", "Running, restarts 4, CrashLoopBackOff, last OOMKilled at 20m0s")
}

func TestKubelets_KilledContainerThatDoesNotRestart(t *testing.T) {
	c := newTestCluster(t, "")
	pod := withLimits(mk.Pod("p"), "memory", "100Mi")
	pod.Spec.RestartPolicy = v1.RestartPolicyNever
	c.run(pod)
	c.use(memory.UsageReport{Pod: "p", Usage: mib(101)})
	c.until(time.Minute)
	c.wantContainer("p", "Failed, restarts 0, OOMKilled 137")
	if got, want := c.kills(), "0s p killed: container main was killed: its limit of 100Mi was reached; oom_score 2001, of which 991 is oom_score_adj"; !strings.HasPrefix(got, want) {
		t.Errorf("the record has %s, want %s", got, want)
	}
}

// A node that is lost goes on: the kernel kills, and what it did is written when the node is back.
func TestKubelets_KillOnLostNode(t *testing.T) {
	c := newTestCluster(t, "")
	c.run(withLimits(mk.Pod("p"), "memory", "100Mi"))
	c.use(memory.UsageReport{Pod: "p", Usage: mib(10)})
	c.until(time.Second)
	if err := c.LoseNode("n1"); err != nil {
		t.Fatal(err)
	}
	c.use(memory.UsageReport{Pod: "p", Usage: mib(101)})
	c.until(10 * time.Second)
	c.wantContainer("p", "Running, restarts 0")
	c.use(memory.UsageReport{Pod: "p", Usage: mib(10)})
	if err := c.RecoverNode("n1"); err != nil {
		t.Fatal(err)
	}
	c.until(20 * time.Second)
	c.wantContainer("p", "Running, restarts 1, last OOMKilled at 1s")
}

// Of the 10Gi of a node pods may have 8Gi and the 100Mi of the threshold. The daemons of the node use next to nothing.
func TestKubelets_LimitOfAllPods(t *testing.T) {
	c := newTestCluster(t, "")
	if _, err := c.UpdateStatus(withAllocatable(c.Cluster, "8Gi")); err != nil {
		t.Fatal(err)
	}
	c.run(mk.Pod("a").Memory("4Gi").Obj(), mk.Pod("b").Obj())
	c.use(memory.UsageReport{Pod: "a", Usage: mib(4096)})
	c.use(memory.UsageReport{Pod: "b", Usage: mib(4096), Growth: mib(50)})
	c.until(4 * time.Second)
	want := "2.001s b killed: container main was killed: the pods of n1 reached their limit of 8292Mi; oom_score 1506, of which 1000 is oom_score_adj; the kubelet would have looked 8s later"
	if got := c.kills(); got != want {
		t.Errorf("the record has\n%s\nwant\n%s", got, want)
	}
}

func withAllocatable(c *memory.Cluster, amount string) *v1.Node {
	node := c.Node("n1").DeepCopy()
	node.Status.Allocatable = mk.Resources("cpu", "8", "memory", amount, "ephemeral-storage", "100Gi", "pods", "110")
	return node
}

// Memory that shrinks makes room in time: 6Gi growing 64Mi and 4Gi less 128Mi each second are never more than 10Gi before 64s.
func TestKubelets_ShrinkingMemory(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {}\n")
	c.run(mk.Pod("grows").Obj(), mk.Pod("shrinks").Obj())
	c.use(memory.UsageReport{Pod: "shrinks", Usage: mib(4096), Growth: mib(-128)})
	c.use(memory.UsageReport{Pod: "grows", Usage: mib(6144), Growth: mib(64)})
	c.until(63 * time.Second)
	if got := c.kills(); got != "" {
		t.Errorf("the record has %s", got)
	}
	c.until(65 * time.Second) // at 32s nothing is left to shrink, at 64s 6Gi and 4Gi are used
	if got := c.kills(); !strings.HasPrefix(got, "1m4.001s grows killed: container main was killed: the memory of n1 ran out; oom_score 2000,") {
		t.Errorf("the record has %s", got)
	}
}

// What daemons of the node use is not killed, and does not keep the kernel busy.
func TestKubelets_NothingToKill(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {}\n")
	c.run(mk.Pod("idle").Obj())
	c.use(memory.UsageReport{Node: "n1", Usage: mib(20000)})
	c.until(time.Minute)
	if got := c.kills(); got != "" {
		t.Errorf("the record has %s", got)
	}
	if _, ok := c.Pressure().(*pressure.Kubelets).NextWake(); ok {
		t.Error("something is still to happen")
	}
}
