package collect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// pendingEngine has a node of one cpu, and pods.
func pendingEngine(t *testing.T, pods ...*v1.Pod) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(o world.Object) {
		_ = e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}})
	}
	apply(mk.Node("node-1").CPU("1").Memory("1Gi").Obj())
	for _, pod := range pods {
		apply(pod)
	}
	return e
}

func TestModel_PendingCauses(t *testing.T) {
	rejected := func(name, message string) *v1.Pod {
		pod := mk.Pod(name).CPU("8").Obj()
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: message}}
		return pod
	}
	e := pendingEngine(t,
		rejected("a", "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu."), rejected("b", "0/3 nodes are available: 3 Insufficient cpu."),
		rejected("c", "evil \x1b[31m\u202e\n"+strings.Repeat("x", 1000)), mk.Pod("d").CPU("8").Obj(), mk.Pod("gated").Gate("kueue.x-k8s.io/admission").Obj(),
	)
	for more := true; more; {
		_, more = e.Step()
	}
	_ = e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: mk.Pod("new").CPU("8").Obj()}})
	got := collect.New(collect.Options{}).Model(e, collect.Query{Open: views.ClustersPane}).Causes
	if got.Pending != 6 || got.Counted != 6 || len(got.Causes) != 5 {
		t.Fatalf("the causes are %+v", got)
	}
	for i, c := range got.Causes {
		if strings.ContainsAny(c.Name, "\x1b\u202e\n") || len(c.Name) > 200 {
			t.Errorf("a cause is %q", c.Name)
		}
		if strings.HasPrefix(c.Name, "evil") {
			got.Causes[i].Name = "evil"
		}
	}
	want := []views.NamedCount{{Name: "Insufficient cpu", Count: 2}, {Name: "NodeResourcesFit", Count: 1}, {Name: "evil", Count: 1}, {Name: "held by SchedulingGates", Count: 1}, {Name: "to be tried", Count: 1}}
	if diff := cmp.Diff(want, got.Causes); diff != "" {
		t.Errorf("the causes differ (-want +got):\n%s", diff)
	}
}

// Of very many pods only the first are looked at, which the counts say.
func TestModel_PendingCausesAreBounded(t *testing.T) {
	var pods []*v1.Pod
	for i := range 2100 {
		pods = append(pods, mk.Pod(fmt.Sprint("pod-", i)).Gate(fmt.Sprint("example.com/gate-", i)).Obj())
	}
	got := collect.New(collect.Options{}).Model(pendingEngine(t, pods...), collect.Query{Open: views.ClustersPane}).Causes
	if got.Pending != 2100 || got.Counted != 2000 || len(got.Causes) != 1 {
		t.Errorf("%d pending, %d counted, %d causes", got.Pending, got.Counted, len(got.Causes))
	}
}
