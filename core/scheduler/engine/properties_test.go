package engine_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Safety: invariants after every step, with and without faults.
func TestSafety(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*scenarios / 4) {
		for _, faults := range []memory.Faults{{}, allFaults()} {
			e, c := newEngine(t, seed), scenario(seed, faults)
			checkEveryStep(t, e, c, seed)
			if twice := c.BoundTwice(); len(twice) > 0 {
				t.Errorf("scenario %d: bound twice: %q", seed, twice)
			}
			if problems := e.Problems(); len(problems) > 0 && len(faults.Watch) == 0 {
				t.Errorf("scenario %d: %d problems without faults, the first: %v", seed, len(problems), problems[0].Err)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// checkEveryStep drives an engine step by step and checks every state.
func checkEveryStep(t *testing.T, e *engine.Engine, c *memory.Cluster, seed uint64) {
	t.Helper()
	end, seen, inputs := start.Add(scenarioLength+scenarioTail), uint64(0), 0
	drive.Run(c, end, drive.NewScheduler(e, drive.OnInput(func(in world.Input, err error) {
		if t.Failed() {
			return
		}
		for d := range e.Decisions() {
			if d.Seq <= seen {
				break
			}
			if d.Verdict == engine.Placed && d.At.Equal(e.Now()) {
				checkRoom(t, e, d, seed)
			}
		}
		for d := range e.Decisions() {
			seen = d.Seq
			break
		}
		if err != nil {
			t.Errorf("scenario %d: %T at %v: %v", seed, in.Event, in.At.Sub(start), err)
		}
		if err := e.Check(); err != nil {
			t.Errorf("scenario %d, after %T at %v: %v", seed, in.Event, in.At.Sub(start), err)
		}
		if inputs++; inputs%snapshotEvery == 0 {
			checkSnapshot(t, e, seed)
		}
	})))
}

// snapshotEvery is after how many inputs a snapshot is built from scratch, which costs more than all the rest.
const snapshotEvery = 7

// checkRoom checks that a node's pods fit after a placement.
func checkRoom(t *testing.T, e *engine.Engine, d *engine.Decision, seed uint64) {
	t.Helper()
	node := e.Cache().Dump().Nodes[d.Node]
	if node == nil || node.Node() == nil {
		return // deleted at the same time
	}
	has, claimed := node.GetAllocatable(), node.GetRequested()
	if claimed.GetMilliCPU() > has.GetMilliCPU() || claimed.GetMemory() > has.GetMemory() || len(node.GetPods()) > has.GetAllowedPodNumber() {
		t.Errorf("scenario %d: with %s, node %s holds %v of %v", seed, d.Pod, d.Node, claimed, has)
	}
}

// checkSnapshot checks that a refreshed snapshot equals one built from scratch.
func checkSnapshot(t *testing.T, e *engine.Engine, seed uint64) {
	t.Helper()
	held := e.Cache().(*cache.Cache).Fork()
	refreshed, rebuilt := e.Snapshot().(*cache.Snapshot).Fork(), cache.NewSnapshot()
	if err := held.UpdateSnapshot(refreshed); err != nil {
		t.Errorf("scenario %d: refreshing the snapshot: %v", seed, err)
	}
	if err := held.UpdateSnapshot(rebuilt); err != nil {
		t.Errorf("scenario %d: building a snapshot: %v", seed, err)
	}
	if a, b := describe(refreshed), describe(rebuilt); a != b {
		t.Errorf("scenario %d: refreshed snapshot\n%s\nbuilt from scratch\n%s", seed, a, b)
	}
}

func describe(s *cache.Snapshot) string {
	nodes, _ := s.List()
	affine, _ := s.HavePodsWithAffinityList()
	anti, _ := s.HavePodsWithRequiredAntiAffinityList()
	text := ""
	for _, n := range nodes {
		text += fmt.Sprintf("%s gen=%d pods=%d %v\n", n.Node().Name, n.GetGeneration(), len(n.GetPods()), n.GetRequested())
	}
	for _, n := range affine {
		text += "affine " + n.Node().Name + "\n"
	}
	for _, n := range anti {
		text += "anti " + n.Node().Name + "\n"
	}
	return text
}

// Liveness: when the cluster is at rest, no pod waits for an event that has already happened, and no pod is missing.
func TestLiveness(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*scenarios / 4) {
		e, c := newEngine(t, seed), scenario(seed, memory.Faults{})
		run(e, c, start.Add(scenarioLength+scenarioTail))
		if counts := e.Queue().Counts(); counts.Active+counts.Backoff > 0 {
			t.Errorf("scenario %d: at rest, the queue holds %+v", seed, counts)
		}
		checkNoFeasiblePodPends(t, e, c, seed)
		checkNoPodLost(t, e, c, seed)
	}
}

// checkNoFeasiblePodPends checks that no node is feasible for any unschedulable pod.
func checkNoFeasiblePodPends(t *testing.T, e *engine.Engine, c *memory.Cluster, seed uint64) {
	t.Helper()
	for _, object := range c.List(world.Pod) {
		pod := object.(*v1.Pod)
		if e.PodState(pod.Namespace, pod.Name) != engine.StateUnschedulable {
			continue
		}
		x, err := e.Explain(pod.Namespace, pod.Name)
		if err != nil {
			t.Fatal(err)
		}
		if x.Decision.Verdict == engine.Placed {
			t.Errorf("scenario %d: %s is pending although %s is feasible; its transitions: %+v",
				seed, pod.Name, x.Decision.Node, e.PodTransitions(pod.UID))
		}
	}
}

func TestLiveness_UnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*scenarios / 4) {
		e, c := newEngine(t, seed), scenario(seed, allFaults())
		run(e, c, start.Add(scenarioLength+10*time.Minute))
		checkNoPodLost(t, e, c, seed)
	}
}

// checkNoPodLost checks that every pod that is pending in the cluster is pending in the engine.
func checkNoPodLost(t *testing.T, e *engine.Engine, c *memory.Cluster, seed uint64) {
	t.Helper()
	for _, object := range c.List(world.Pod) {
		pod := object.(*v1.Pod)
		ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
		if place := e.PodState(pod.Namespace, pod.Name); !ended && place == engine.StateGone {
			t.Errorf("scenario %d: the engine has lost pod %s on node %q", seed, pod.Name, pod.Spec.NodeName)
		}
	}
}
