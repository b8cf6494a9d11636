package observer

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/mk"
	"orrery/core/preempt"
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
