package diagnose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	answers "orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// racks are nodes of 4 CPU in two racks: three in a, of which all are free, and three in b, of which one is full.
func racks() []world.Object {
	var all []world.Object
	for i, rack := range []string{"a", "a", "a", "b", "b", "b"} {
		all = append(all, mk.Node(fmt.Sprint("n", i)).CPU("4").Memory("8Gi").Pods("10").Label("rack", rack).Obj())
	}
	return append(all, mk.Pod("other").CPU("4").Node("n5").Obj())
}

// unscheduled is an engine with objects that has decided nothing: beside another scheduler it never does.
func unscheduled(t *testing.T, objects ...world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// members are pods of a PodGroup that request so much CPU each.
func members(group string, cpus ...string) []world.Object {
	var pods []world.Object
	for i, cpu := range cpus {
		pods = append(pods, mk.Pod(fmt.Sprint(group, "-", i)).CPU(cpu).InPodGroup(group).Obj())
	}
	return pods
}

// answered is an answer about groups, as text.
func answered(t *testing.T, a *answers.Answer, err error) string {
	t.Helper()
	if err != nil || a == nil {
		t.Fatalf("%v, %v", a, err)
	}
	var text strings.Builder
	parts := a.Parts
	if len(parts) == 0 {
		parts = []answers.Words{a.Words}
	}
	for _, part := range parts {
		fmt.Fprintln(&text, part.Title+": "+part.Headline)
		for _, s := range part.Sections {
			for _, l := range s.Lines {
				fmt.Fprintln(&text, strings.Repeat("  ", l.Depth+1)+l.Says)
			}
		}
	}
	return text.String()
}

func TestPodGroup_NamesTheDomainThatLacksLeast(t *testing.T) {
	gated := mk.Pod("gated").CPU("3").InPodGroup("train").Gate("example.com/wait").Obj()
	objects := slices.Concat(racks(), members("train", "3", "3", "3", "3"),
		[]world.Object{gated, mk.PodGroup("train", 4).Within("rack").In("", "job").Reported("0/2 placements are feasible").Obj()})
	a, err := diagnose.AskPodGroup(unscheduled(t, objects...), "default", "train", diagnose.Question{})
	want := `podgroup default/train: of at least 4 pods 0 have a place, of 5 that exist; 4 pods: fits for itself, and is in activeQ
    1 gated: gated
    4 in activeQ: train-0, train-1, train-2 and 1 more
  4 pods (train-0, train-1, train-2 and 1 more): fits for itself, and is in activeQ
  1 pod (gated): held by its scheduling gates example.com/wait
  tried together on a copy, with no other pod between them: 3 of the 4 pods needed fit in rack a, which lacks least
    train-3 is the first without a place beside those before it; of the 3 nodes of a:
      3 nodes: Insufficient cpu (NodeResourcesFit)
    b: 2 of 4 fit
  PodGroupInitiallyScheduled is False: Unschedulable: 0/2 placements are feasible
  part of workload/job
  all pods in one rack, disruption mode single
`
	if diff := cmp.Diff(want, answered(t, a, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Yes || a.Settled {
		t.Error("nothing is missing")
	}
}

// Members that have a node bind the others to their domain, and a domain with room for all is named.
func TestPodGroup_FitsInADomain(t *testing.T) {
	group := mk.PodGroup("train", 2).Within("rack").Obj()
	for name, tt := range map[string]struct {
		more []world.Object
		want string
	}{
		"any":           {members("train", "3", "3"), "the 2 pods needed fit in rack a"},
		"beside others": {append(members("train", "3"), mk.Pod("first").CPU("3").InPodGroup("train").Node("n3").Obj()), "the 1 pod needed fit in rack b"},
		"the only one": {
			append(members("train", "5"), mk.Pod("first").CPU("3").InPodGroup("train").Node("n3").Obj()),
			"0 of the 1 pod needed fit in rack b, the only domain that may hold them",
		},
		"not all exist": {members("train", "3"), "1 of the 2 pods needed fit in rack a, which lacks least; 1 do not exist yet"},
	} {
		a, err := diagnose.AskPodGroup(unscheduled(t, slices.Concat(racks(), tt.more, []world.Object{group})...), "default", "train", diagnose.Question{})
		if text := answered(t, a, err); !strings.Contains(text, "between them: "+tt.want+"\n") {
			t.Errorf("%s: want %q in\n%s", name, tt.want, text)
		}
	}
}

func TestPodGroup_WithoutConstraint(t *testing.T) {
	a, err := diagnose.AskPodGroup(unscheduled(t, slices.Concat(racks(), members("train", "3", "3", "3", "3", "3", "3"), []world.Object{mk.PodGroup("train", 6).Obj()})...),
		"default", "train", diagnose.Question{})
	if text := answered(t, a, err); !strings.Contains(text, "5 of the 6 pods needed fit on the nodes of the cluster\n") {
		t.Error(text)
	}
}

// A group that nobody made is told from one that does not exist at all, and a finished one is no trouble.
func TestPodGroup_MissingAndComplete(t *testing.T) {
	e := unscheduled(t, append(racks(), members("lost", "1")...)...)
	a, err := diagnose.AskPodGroup(e, "default", "lost", diagnose.Question{})
	if text := answered(t, a, err); !strings.Contains(text, "does not exist, and 1 pod and 0 groups name it") || a.Yes {
		t.Error(text)
	}
	if a, err := diagnose.AskPodGroup(e, "default", "unheard-of", diagnose.Question{}); a != nil || err != nil {
		t.Errorf("%v, %v", a, err)
	}
	e = unscheduled(t, append(racks(), mk.PodGroup("done", 1).Obj(), mk.Pod("d").CPU("1").InPodGroup("done").Node("n0").Obj())...)
	a, err = diagnose.AskPodGroup(e, "default", "done", diagnose.Question{})
	if text := answered(t, a, err); !a.Yes {
		t.Error(text)
	}
}

func composite(name, parent string, least int32) *schedulingv1alpha3.CompositePodGroup {
	c := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	if parent != "" {
		c.Spec.ParentCompositePodGroupName = &parent
	}
	c.Spec.WorkloadRef = &schedulingv1alpha3.WorkloadReference{WorkloadName: "job", TemplateName: name}
	c.Spec.SchedulingPolicy.Gang = &schedulingv1alpha3.CompositeGangSchedulingPolicy{MinGroupCount: least}
	c.Spec.SchedulingConstraints = &schedulingv1alpha3.CompositePodGroupSchedulingConstraints{Topology: []schedulingv1alpha3.TopologyConstraint{{Key: "rack"}}}
	return c
}

func tree() []world.Object {
	return slices.Concat(racks(), members("x", "3", "3"), members("y", "3", "3"),
		[]world.Object{composite("all", "", 2), mk.PodGroup("y", 2).In("all", "job").Obj(), mk.PodGroup("x", 2).In("all", "job").Obj()})
}

func TestCompositePodGroup_TriesAllOfItInADomain(t *testing.T) {
	a, err := diagnose.AskCompositePodGroup(unscheduled(t, tree()...), "default", "all", diagnose.Question{})
	text := answered(t, a, err)
	for _, want := range []string{
		"compositepodgroup default/all: of at least 2 groups 0 are complete, of 2 that exist\n",
		"3 of the 4 pods needed fit in rack a, which lacks least\n",
		"podgroup default/x: of at least 2 pods 0 have a place",
		"part of workload/job, compositepodgroup/all\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "podgroup default/x") > strings.Index(text, "podgroup default/y") {
		t.Error("the groups are not in the order of their names")
	}
}

func TestWorkloadGroups_AnswersAboutTheTree(t *testing.T) {
	e := unscheduled(t, tree()...)
	a, err := diagnose.AskWorkloadGroups(e, "default", "job", diagnose.Question{})
	if text := answered(t, a, err); len(a.PodGroups) != 3 {
		t.Errorf("%d groups:\n%s", len(a.PodGroups), text)
	}
	if a, err := diagnose.AskWorkloadGroups(e, "default", "other", diagnose.Question{}); a != nil || err != nil {
		t.Errorf("%v, %v", a, err)
	}
}

// Groups that are in each other, which no API server takes, are answered about once.
func TestCompositePodGroup_InEachOther(t *testing.T) {
	e := unscheduled(t, append(racks(), composite("a", "b", 1), composite("b", "a", 1))...)
	a, err := diagnose.AskCompositePodGroup(e, "default", "a", diagnose.Question{})
	if answered(t, a, err); len(a.PodGroups) != 2 {
		t.Errorf("%d groups", len(a.PodGroups))
	}
}

// Members that are being bound have their place.
func TestPodGroup_CountsAssumedPods(t *testing.T) {
	e := unscheduled(t, slices.Concat(racks(), members("train", "3", "5"), []world.Object{mk.PodGroup("train", 2).Within("rack").Obj()})...)
	for more := true; more; {
		_, more = e.Step()
	}
	a, err := diagnose.AskPodGroup(e, "default", "train", diagnose.Question{})
	text := answered(t, a, err)
	for _, want := range []string{"1 have a place, of 2 that exist", "1 being bound: train-0", "the only domain that may hold them"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Asking changes nothing, and the same question has the same answer.
func TestPodGroup_OnlyReads(t *testing.T) {
	e := unscheduled(t, tree()...)
	before := e.Digest()
	ask := func(e *engine.Engine) string {
		a, err := diagnose.AskWorkloadGroups(e, "default", "job", diagnose.Question{})
		return a.Title + a.Headline + answered(t, a, err)
	}
	first := ask(e)
	for range 5 {
		if again := ask(e); again != first {
			t.Fatalf("another answer:\n%s", cmp.Diff(first, again))
		}
	}
	if e.Digest() != before {
		t.Error("the engine was changed")
	}
}
