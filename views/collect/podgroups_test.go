package collect_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// gangEngine137 is an engine that decides as 1.37.
func gangEngine137(t *testing.T) *engine.Engine {
	t.Helper()
	features, err := config.ParseFeatureFlagOf(release.V137)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func compositeGroup(name string) *schedulingv1alpha3.CompositePodGroup {
	c := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	c.Spec.SchedulingPolicy.Gang = &schedulingv1alpha3.CompositeGangSchedulingPolicy{MinGroupCount: 2}
	return c
}

// groupRow returns the row of a PodGroup.
func groupRow(t *testing.T, v *views.Gangs, name string) views.GangRow {
	t.Helper()
	for _, row := range v.List.Rows {
		if row.Key == "default/"+name {
			return row
		}
	}
	t.Fatalf("there is no row of %q", name)
	return views.GangRow{}
}

// A row for each PodGroup, with what it is part of, the domain in which its pods are, and what the scheduler reports.
func TestPodGroups_Rows(t *testing.T) {
	e, c := gangEngine137(t), collect.New(collect.Options{})
	for _, o := range []world.Object{
		mk.Node("n").CPU("4").Memory("8Gi").Pods("10").Label("rack", "a").Obj(),
		compositeGroup("racks"),
		mk.PodGroup("train", 3).Within("rack").In("racks", "job").Reported("0/1 placements are feasible").Obj(),
		mk.PodGroup("plain", 0).Obj(),
		mk.Pod("train-0").CPU("3").InPodGroup("train").Node("n").Obj(),
		mk.Pod("train-1").CPU("3").InPodGroup("train").Obj(),
		mk.Pod("lost").CPU("1").InPodGroup("nowhere").Obj(),
	} {
		applyStorage(t, e, world.Added, o)
	}
	stepAll(e)
	v := gangsOf(c, e)
	train := groupRow(t, v, "train")
	if train.State != views.GangIncomplete || train.Placed() != 1 || train.Count[views.GangPodMissing] != 1 || train.Count[views.GangPodRejected] != 1 {
		t.Errorf("train is %s with %v", train.State.Word(), train.Count)
	}
	want := []views.GroupTopology{{Key: "rack", Domains: "a"}}
	if diff := gocmp.Diff(want, train.Topology); diff != "" || train.Path != "job › racks" || train.Disruption != "single" {
		t.Errorf("part of %q, disruption %q, topology (-want +got):\n%s", train.Path, train.Disruption, diff)
	}
	if len(train.Conditions) != 1 || train.Conditions[0].Message != "0/1 placements are feasible" || len(train.Above) != 1 || train.Above[0].Least != 2 {
		t.Errorf("reported are %+v, above is %+v", train.Conditions, train.Above)
	}
	if plain := groupRow(t, v, "plain"); plain.State != views.GangEmpty {
		t.Errorf("plain is %s", plain.State.Word())
	}
	if lost := groupRow(t, v, "nowhere"); lost.State != views.GangWithoutWorkload || !strings.Contains(lost.Note, "PodGroup nowhere") {
		t.Errorf("nowhere is %s: %s", lost.State.Word(), lost.Note)
	}
	if !v.PodGroups || v.GateOff {
		t.Error("it is not said that pods of PodGroups are placed one by one")
	}
}

// What is kept from frame to frame follows the objects: a group that comes, changes and goes, and a pod that is bound.
func TestPodGroups_FollowChanges(t *testing.T) {
	e, c := gangEngine137(t), collect.New(collect.Options{})
	pod := mk.Pod("a").CPU("1").InPodGroup("train").Obj()
	applyStorage(t, e, world.Added, pod)
	state := func(want views.GangState) {
		t.Helper()
		if got := groupRow(t, gangsOf(c, e), "train").State; got != want {
			t.Errorf("it is %s, want %s", got.Word(), want.Word())
		}
	}
	state(views.GangWithoutWorkload)
	applyStorage(t, e, world.Added, mk.PodGroup("train", 1).Obj())
	state(views.GangQueued)
	bound := pod.DeepCopy()
	bound.Spec.NodeName = "n"
	applyStorage(t, e, world.Modified, bound)
	state(views.GangBound)
	applyStorage(t, e, world.Deleted, bound)
	state(views.GangEmpty)
	applyStorage(t, e, world.Deleted, mk.PodGroup("train", 1).Obj())
	if v := gangsOf(c, e); len(v.List.Rows) != 0 {
		t.Errorf("%d rows are left", len(v.List.Rows))
	}
}
