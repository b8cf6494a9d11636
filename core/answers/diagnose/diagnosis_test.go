package diagnose_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const zone = "topology.kubernetes.io/zone"

func TestPod_SummaryAndHints(t *testing.T) {
	spread := mk.Pod("web").Label("app", "web")
	spread.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: v1.DoNotSchedule}}
	for _, tt := range []struct {
		name          string
		nodes         []*mk.NodeBuilder
		pod           *mk.PodBuilder
		summary, hint string
	}{
		{
			"a taint",
			[]*mk.NodeBuilder{node("tainted", "4").Taint("dedicated", "ml", v1.TaintEffectNoSchedule)},
			mk.Pod("web"),
			"the only node, tainted, has the taint dedicated=ml:NoSchedule",
			"would fit on 1 node with a toleration of dedicated=ml:NoSchedule",
		},
		{
			"a cordoned node",
			[]*mk.NodeBuilder{node("cordoned", "4").Unschedulable()},
			mk.Pod("web"),
			"the only node, cordoned, is cordoned",
			"would fit with cordoned uncordoned",
		},
		{
			"topology spread",
			[]*mk.NodeBuilder{node("alone", "4")},
			spread,
			"it must spread over topology.kubernetes.io/zone, and no node has that label",
			"would fit on 1 node with the label " + zone + ", or ScheduleAnyway",
		},
		{
			"too little of a resource",
			[]*mk.NodeBuilder{node("small", "4"), node("tiny", "1")},
			mk.Pod("web").CPU("9"),
			"it requests 9 cpu, and the largest of 2 nodes has 4 allocatable: no node here can ever hold it",
			"would fit on a node with 9 cpu free; none is that large",
		},
		{
			"a selector",
			[]*mk.NodeBuilder{node("a", "4")},
			mk.Pod("web").NodeSelector("disk", "ssd"),
			"nodeSelector disk=ssd: no node has the label disk",
			"1 node blocked only by node(s) didn't match Pod's node affinity/selector",
		},
		{
			"two plugins on every node",
			[]*mk.NodeBuilder{node("a", "1")},
			mk.Pod("web").CPU("2").NodeSelector("disk", "ssd"),
			"it requests 2 cpu, and the largest of 1 node has 1 allocatable: no node here can ever hold it", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var objects []world.Object
			for _, n := range tt.nodes {
				objects = append(objects, n.Obj())
			}
			pod := tt.pod.Obj()
			d, err := diagnose.Pod(engineWith(t, append(objects, pod)...), world.PodRefOf(pod))
			if err != nil {
				t.Fatal(err)
			}
			if d.Decision.Verdict != engine.Unschedulable || d.Summary != tt.summary {
				t.Errorf("%s: %q, want %q", d.Decision.Verdict, d.Summary, tt.summary)
			}
			if hint := d.Reasons[0].Hint; hint != tt.hint {
				t.Errorf("hint %q, want %q", hint, tt.hint)
			}
		})
	}
}

func TestPod_PlacedSummary(t *testing.T) {
	pod := mk.Pod("web").CPU("1").Obj()
	for want, nodes := range map[string][]world.Object{
		"the only feasible node of 1 node examined": {node("a", "4").Obj()},
		"tied with b": {node("a", "4").Obj(), node("b", "4").Obj()},
		"24 points ahead of b, most by NodeResourcesFit": {node("a", "4").Obj(), node("b", "2").Obj()},
	} {
		d, err := diagnose.Pod(engineWith(t, append(nodes, pod)...), world.PodRefOf(pod))
		if err != nil {
			t.Fatal(err)
		}
		if d.Summary != want && d.Summary != "tied with a" {
			t.Errorf("%q, want %q", d.Summary, want)
		}
		if len(nodes) > 1 && len(d.Scores) == 0 {
			t.Error("winner and runner-up are not compared")
		}
	}
}
