package observer

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/preempt"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestObserver_BoundedMemory(t *testing.T) {
	c := New(Options{})
	now, version := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), 0
	apply := func(op world.Op, pod *v1.Pod) {
		version++
		pod.ResourceVersion = strconv.Itoa(version)
		c.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: pod}})
	}
	for i := range 1000 {
		victim, preemptor := mk.Pod(fmt.Sprint("v", i)).Node("n1").Obj(), mk.Pod(fmt.Sprint("p", i)).Obj()
		apply(world.Added, victim)
		apply(world.Added, preemptor)
		c.Preempted(now, &preempt.Record{Candidate: preempt.Candidate{Node: "n1", Victims: []*v1.Pod{victim}}}, world.PodRefOf(preemptor))
		ended := victim.DeepCopy()
		ended.Status.Phase, ended.Status.Reason = v1.PodFailed, "Evicted"
		ended.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "TerminationByKubelet"}}
		apply(world.Modified, ended)
		apply(world.Deleted, ended.DeepCopy())
		apply(world.Deleted, preemptor.DeepCopy())
	}
	if len(c.causes)+len(c.terminal)+len(c.preemptions)+len(c.record.Open()) != 0 {
		t.Errorf("after all pods were deleted it holds %d causes, %d evicted pods, %d preemptions and %d open evictions",
			len(c.causes), len(c.terminal), len(c.preemptions), len(c.record.Open()))
	}
}

// Each input comes ages after the one before it: more than a Duration holds, and far more than there are ticks to go through.
func TestObserver_AgesBetweenInputs(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 1, 0, time.UTC) }
	c := New(Options{})
	add := func(year int, objects ...world.Object) {
		for _, o := range objects {
			c.Apply(world.Input{At: at(year), Event: world.Changed{Op: world.Added, Object: o}})
		}
	}
	for i := range 8 {
		add(1, mk.Node(fmt.Sprint("ready-", i)).Condition(v1.NodeReady, v1.ConditionTrue).Obj())
	}
	for i := range 3 {
		node := fmt.Sprint("n", i+1)
		add(2000, mk.Node(node).Condition(v1.NodeReady, v1.ConditionFalse).Obj(), mk.Pod(fmt.Sprint("p", i)).Node(node).Obj())
	}
	wake := at(2000)
	for i := 0; ; i++ {
		next, ok := c.NextWake()
		if !ok || next.After(at(2001)) {
			break
		}
		if next.Before(wake) || i > 100 {
			t.Fatalf("after %v the next of %d wakes is %v", wake, i, next)
		}
		wake = next
		c.Apply(world.Input{At: wake, Event: world.Tick{}})
	}
	add(9999, mk.Node("n9").Obj())
	for _, e := range c.Record().Open() {
		if e.Deadline.Year() != 2000 {
			t.Errorf("%s is to be evicted at %v", e.Pod.Name, e.Deadline)
		}
	}
	if n := len(c.Record().Open()); n != 3 {
		t.Errorf("%d evictions are predicted, want 3", n)
	}
}
