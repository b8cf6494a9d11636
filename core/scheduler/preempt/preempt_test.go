package preempt_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// decide makes the decision of a scheduler with these objects on its one pending pod.
func decide(t *testing.T, objects ...world.Object) (*engine.Engine, engine.Decision) {
	t.Helper()
	e, err := engine.New(engine.Options{Start: dawn})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: dawn, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	d, ok := e.Step()
	if !ok {
		t.Fatal("there was no decision")
	}
	return e, *d
}

func node(name, cpu string) *v1.Node { return mk.Node(name).CPU(cpu).Memory("8Gi").Obj() }

func running(name, on, cpu string, priority int32) *mk.PodBuilder {
	return mk.Pod(name).Node(on).CPU(cpu).Priority(priority).Label("name", name).Started(dawn)
}

func budget(name string, allowed int32, selector *metav1.LabelSelector) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: "pdb"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

func label(value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"name": value}}
}

// Shows PRE-14, PRE-15, PRE-21, PRE-22, PRE-24, PRE-26, PRE-27, PRE-28 and PRE-32.
func TestPreemption_Victims(t *testing.T) {
	big := mk.Pod("big").CPU("2").Priority(100).Obj()
	withFriend := mk.Pod("big").CPU("2").Priority(100).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: label("friend")}},
	}}).Obj()
	guaranteed := running("guaranteed", "n1", "1", 1).Memory("1Gi").Obj()
	guaranteed.Spec.Containers[0].Resources.Limits = guaranteed.Spec.Containers[0].Resources.Requests
	for _, tc := range []struct {
		name    string
		objects []world.Object
		want    string // node and victims in order; empty for none
		message string // part of the message without victims
	}{
		{
			"only as many victims as needed, the least important ones",
			[]world.Object{
				node("n1", "4"), big,
				running("a", "n1", "1", 3).Obj(), running("b", "n1", "1", 2).Obj(),
				running("c", "n1", "1", 1).Obj(), running("d", "n1", "1", 4).Obj(),
			},
			"n1: b c", "",
		},
		{
			"no victim of the same priority",
			[]world.Object{node("n1", "2"), big, running("a", "n1", "2", 100).Obj()},
			"", "1 No preemption victims found for incoming pod.",
		},
		{
			"no victim if the node is too small",
			[]world.Object{node("n1", "1"), big, running("a", "n1", "1", 1).Obj()},
			"", "1 Preemption is not helpful for scheduling.",
		},
		{
			"no victim for preemptionPolicy Never",
			[]world.Object{
				node("n1", "2"), running("a", "n1", "2", 1).Obj(),
				mk.Pod("big").CPU("2").Priority(100).NeverPreempt().Obj(),
			},
			"", "not eligible due to preemptionPolicy=Never.",
		},
		{
			"no victim that a budget protects, if others suffice",
			[]world.Object{
				node("n1", "4"), big, budget("guard", 0, label("a")),
				running("a", "n1", "2", 1).Obj(), running("b", "n1", "2", 50).Obj(),
			},
			"n1: b", "",
		},
		{
			"a victim that a budget protects, if no other suffices",
			[]world.Object{node("n1", "2"), big, budget("guard", 0, label("a")), running("a", "n1", "2", 1).Obj()},
			"n1: a", "",
		},
		{
			"a budget with an empty selector protects no pod", // otherwise b would be the victim: budgets need labels
			[]world.Object{
				node("n1", "4"), big, budget("guard", 0, &metav1.LabelSelector{}),
				running("a", "n1", "2", 1).Obj(), mk.Pod("b").Node("n1").CPU("2").Priority(50).Started(dawn).Obj(),
			},
			"n1: a", "",
		},
		{
			"on the node with the least important victims",
			[]world.Object{
				node("n1", "2"), node("n2", "2"), big,
				running("a", "n1", "2", 9).Obj(), running("b", "n2", "2", 5).Obj(),
			},
			"n2: b", "",
		},
		{
			"on the node of more important victims if the pod is too large for the other",
			[]world.Object{
				node("n1", "1"), node("n2", "2"), big,
				running("a", "n1", "1", 1).Obj(), running("b", "n2", "2", 5).Obj(),
			},
			"n2: b", "",
		},
		{
			"no victim that the pod has to be with",
			[]world.Object{node("n1", "2"), withFriend, running("friend", "n1", "2", 1).Obj()},
			"", "1 node(s) didn't match pod affinity rules.",
		},
		{
			"on another node, where the pod that it has to be with stays",
			[]world.Object{
				node("n1", "2"), node("n2", "3"), withFriend, running("friend", "n1", "2", 1).Obj(),
				running("equal", "n2", "1", 100).Label("name", "friend").Obj(), running("b", "n2", "2", 50).Obj(),
			},
			"n2: b", "",
		},
		{
			"the victim of lower priority, although it is Guaranteed and the other BestEffort", // there is room for two pods
			[]world.Object{
				mk.Node("n1").CPU("4").Memory("8Gi").Pods("2").Obj(), big, guaranteed,
				mk.Pod("best-effort").Node("n1").Priority(5).Started(dawn).Obj(),
			},
			"n1: guaranteed", "",
		},
		{
			"no victim on a node with an unresolvable rejection",
			[]world.Object{
				mk.Node("n1").CPU("2").Memory("8Gi").Taint("only", "gpu", v1.TaintEffectNoSchedule).Obj(), big,
				running("a", "n1", "2", 1).Obj(),
			},
			"", "1 Preemption is not helpful for scheduling.",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, d := decide(t, tc.objects...)
			got := ""
			if d.Preemption != nil {
				got = d.Nominated + ":"
				for _, v := range d.Preemption.Victims {
					got += " " + v.Name
				}
			}
			if got != tc.want || !strings.Contains(d.Message, tc.message) {
				t.Errorf("got %q with the message %q, want %q with %q", got, d.Message, tc.want, tc.message)
			}
		})
	}
}

// A claim that cannot be matched fails on every node, with the same text.
func TestDryRun_ErrorOfSeveralNodesAppearsOnce(t *testing.T) {
	claim := mk.Claim("data").Class("local").Obj()
	claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"not a key": "x"}}
	_, d := decide(
		t, mk.Class("local", "").WaitForFirstConsumer().Obj(), claim, mk.Pod("big").CPU("2").Priority(100).PVC("data").Obj(),
		node("n1", "2"), running("a", "n1", "2", 1).Obj(), node("n2", "2"), running("b", "n2", "2", 1).Obj(),
	)
	if n := strings.Count(d.Message, "error creating internal label selector for claim"); n != 1 {
		t.Errorf("the message has the error %d times, want once: %s", n, d.Message)
	}
}

// The dry run removes pods of one node at a time. A pod that is anti-affine to another in its zone preempts that one where it
// runs, never a pod of another node of the zone, which would not help. Shows PRE-23, A-16 and C-21.
func TestPreemption_EvictsOnlyFromNominatedNode(t *testing.T) {
	for _, tt := range []struct {
		name     string
		priority int32 // of q
		node     string
		victims  []string
	}{
		{"q may be preempted", 1, "n2", []string{"q"}},
		{"q may not be preempted", 200, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, d := decide(t,
				mk.Node("n1").Zone("z").CPU("4").Memory("8Gi").Obj(), mk.Node("n2").Zone("z").CPU("4").Memory("8Gi").Obj(),
				running("q", "n2", "1", tt.priority).Obj(), running("filler", "n1", "4", 1).Obj(),
				mk.Pod("p").CPU("1").Priority(100).Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelTopologyZone, LabelSelector: label("q")}},
				}}).Obj())
			var victims []string
			if d.Preemption != nil {
				for _, victim := range d.Preemption.Victims {
					victims = append(victims, victim.Name)
				}
			}
			if d.Nominated != tt.node || !slices.Equal(victims, tt.victims) {
				t.Errorf("nominated to %q, preempting %q; want %q, %q", d.Nominated, victims, tt.node, tt.victims)
			}
		})
	}
}

func TestDryRun_TriesSampleOfNodes(t *testing.T) {
	objects := []world.Object{mk.Pod("big").CPU("2").Priority(100).Obj()}
	for i := range 300 {
		name := "n" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		objects = append(objects, node(name, "2"), running("on-"+name, name, "2", 1).Obj())
	}
	_, d := decide(t, objects...)
	if d.Preemption.Potential != 300 || d.Preemption.Tried != 100 {
		t.Errorf("tried %d of %d nodes, want 100 of 300", d.Preemption.Tried, d.Preemption.Potential)
	}
}

// The last victim is deleted only after the others; a failed call ends the preemption and activates the
// preemptor.
func TestVictimEvictions_OneStepAtATime(t *testing.T) {
	e, _ := decide(t, node("n1", "2"), mk.Pod("big").CPU("2").Priority(100).Obj(),
		running("a", "n1", "1", 2).Obj(), running("b", "n1", "1", 1).Obj())
	list := func() []string {
		var effects []string
		for _, effect := range e.Effects() {
			switch a := effect.Action.(type) {
			case world.PatchStatus:
				if a.Condition != nil && a.Condition.Type == v1.DisruptionTarget {
					effects = append(effects, "condition "+a.Pod.Name)
				}
			case world.Delete:
				effects = append(effects, "delete "+a.Pod.Name)
			case world.EmitEvent:
				if a.Reason == "Preempted" {
					effects = append(effects, "announce "+a.Regarding.Name)
				}
			}
		}
		return effects
	}
	ended := func(id world.EffectID, out world.Outcome) {
		t.Helper()
		if err := e.Apply(world.Input{At: dawn, Event: world.EffectDone{Effect: id, Outcome: out}}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want ...string) {
		t.Helper()
		if got := list(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect("condition a")
	ended(1, world.Outcome{})
	expect("delete a")
	if at := e.PodState("default", "big"); at != engine.StateUnschedulable {
		t.Errorf("the preemptor is %s meanwhile, want unschedulable", at)
	}
	ended(4, world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound, Message: "gone"})
	expect("condition b") // a is gone by itself: nothing to announce
	ended(5, world.Outcome{Code: fwk.Error, Message: "the server is too busy"})
	expect()
	if at := e.PodState("default", "big"); at != engine.StateActive {
		t.Errorf("after the failed call the preemptor is %s, want active", at)
	}
}
