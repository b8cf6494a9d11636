package schedulinggates_test

import (
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/schedulinggates"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func gates(t *testing.T) *schedulinggates.SchedulingGates {
	plugin, err := schedulinggates.New(t.Context(), nil, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*schedulinggates.SchedulingGates)
}

// Shows GATE-01 and GATE-04.
func TestPreEnqueue(t *testing.T) {
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		want string
	}{
		"a pod without gates is admitted": {mk.Pod("p").Obj(), "Success"},
		"two gates: both are named": {
			mk.Pod("p").Gate("example.com/foo").Gate("example.com/bar").Obj(),
			"UnschedulableAndUnresolvable: waiting for scheduling gates: [example.com/foo example.com/bar]",
		},
		"one remaining gate": {
			mk.Pod("p").Gate("example.com/foo").Obj(),
			"UnschedulableAndUnresolvable: waiting for scheduling gates: [example.com/foo]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.StatusText(gates(t).PreEnqueue(t.Context(), tc.pod)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQueueingHints_OnlyOwnGates(t *testing.T) {
	gated := mk.Pod("p").Gate("g").Obj()
	for name, tc := range map[string]struct {
		action fwk.ActionType
		after  any
		want   string
	}{
		"its own gates are removed":               {fwk.UpdatePodSchedulingGatesEliminated, mk.Pod("p").Obj(), "Queue"},
		"another pod's gates are removed":         {fwk.UpdatePodSchedulingGatesEliminated, mk.Pod("q").Obj(), "QueueSkip"},
		"its labels change":                       {fwk.UpdatePodLabel, mk.Pod("p").Obj(), "not registered"},
		"the event is for another kind of object": {fwk.UpdatePodSchedulingGatesEliminated, mk.Node("n").Obj(), "Queue: reading the new object of an event: it is a *v1.Node where a *v1.Pod was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, gates(t), fwk.Pod, tc.action, gated, gated, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestExplain_NamesGates(t *testing.T) {
	pod := mk.Pod("p").Gate("example.com/foo").Gate("example.com/bar").Obj()
	list := gates(t).Explain(t.Context(), nil, pod, framework.Rejection{})
	if len(list) != 1 {
		t.Fatalf("got %+v", list)
	}
	want := "scheduling-gate | sentence: held by its scheduling gates example.com/foo, example.com/bar | try: ungate POD"
	if got := plugintest.EvidenceText(&list[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if list := gates(t).Explain(t.Context(), nil, mk.Pod("p").Obj(), framework.Rejection{}); list != nil {
		t.Errorf("without gates it says %+v", list)
	}
}
