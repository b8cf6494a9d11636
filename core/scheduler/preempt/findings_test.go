package preempt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestFindings_SayWhyOnEveryNode(t *testing.T) {
	for _, tt := range []struct {
		name    string
		pod     *mk.PodBuilder
		objects []world.Object
		want    string
	}{
		{
			"every outcome", mk.Pod("big").CPU("2").HostPort(80).Priority(100),
			[]world.Object{
				node("equal", "2"), node("port", "4"), node("victim", "2"),
				mk.Node("cordoned").CPU("2").Memory("8Gi").Unschedulable().Obj(),
				running("a", "equal", "2", 100).Obj(), running("b", "port", "1", 5).Obj(),
				running("c", "port", "1", 200).HostPort(80).Obj(), running("d", "victim", "1", 7).Obj(),
				budget("guard", 0, label("d")),
			},
			`equal: 1 pods, 0 lower
			 port: 2 pods, 1 lower, NodePorts [node(s) didn't have free ports for the requested pod ports]
			 victim: 1 pods, 1 lower, evicts d, violates [default/guard]
			 0 not tried, 1 unresolvable`,
		},
		{
			"preemptionPolicy Never", mk.Pod("big").CPU("2").Priority(100).NeverPreempt(),
			[]world.Object{node("n", "2"), running("a", "n", "2", 1).Obj()},
			`not eligible due to preemptionPolicy=Never.`,
		},
		{
			"victims of an earlier preemption", mk.Pod("big").CPU("2").Priority(100).Nominated("n"),
			[]world.Object{
				node("n", "2"),
				running("a", "n", "2", 1).Deleting(dawn).Condition(v1.DisruptionTarget, v1.ConditionTrue, v1.PodReasonPreemptionByScheduler).Obj(),
			},
			`not eligible due to a terminating pod on the nominated node.: a`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := engine.New(engine.Options{Start: dawn})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range append(tt.objects, tt.pod.Obj()) {
				if err := e.Apply(world.Input{At: dawn, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
					t.Fatal(err)
				}
			}
			x, err := e.Explain("default", "big")
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(tt.want, "\t", "")
			if diff := cmp.Diff(strings.ReplaceAll(want, "\n ", "\n"), describe(preempt.FindingsIn(x.Cycle))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func describe(f *preempt.Findings) string {
	if f.Ineligible != "" {
		text := f.Ineligible
		for _, pod := range f.Terminating {
			text += ": " + pod.Name
		}
		return text
	}
	var lines []string
	for _, n := range f.Nodes {
		line := fmt.Sprintf("%s: %d pods, %d lower", n.Node, n.Pods, n.Lower)
		if n.Plugin != "" {
			line += fmt.Sprintf(", %s %v", n.Plugin, n.Reasons)
		}
		for _, pod := range n.Victims {
			line += ", evicts " + pod.Name
		}
		if len(n.Budgets) > 0 {
			line += fmt.Sprintf(", violates %v", n.Budgets)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(append(lines, fmt.Sprintf("%d not tried, %d unresolvable", f.NotTried, f.Unresolvable)), "\n")
}
