package main

import (
	"strings"
	"testing"

	"orrery/core/parity/kubesource"
)

func TestNewest(t *testing.T) {
	served := []string{"v1.37.1", "v1.37.2", "v1.38.0-alpha.1", "v1.38.0-beta.0", "v1.380.0"}
	if patch, ok := newest(served, "1.38"); !ok || patch != "1.38.0-beta.0" {
		t.Errorf("the newest of 1.38 is %s, %v", patch, ok)
	}
	if patch, ok := newest(served, "1.39"); ok {
		t.Errorf("the newest of 1.39 is %s", patch)
	}
	if patch, err := patchOf("v1.36"); err != nil || patch != "1.36.3" {
		t.Errorf("1.36 is %s, %v: want the patch that core/parity compares with", patch, err)
	}
}

// The rules of 1.37 that a report can show are in it: the move of gates, the order of default plugins, metrics and fields.
func TestCompare_136With137(t *testing.T) {
	r, err := compare("1.36.3", "1.37.2")
	if err != nil {
		t.Fatal(err)
	}
	text := r.text(10)
	for _, want := range []string{
		"# kube-scheduler 1.36.3 → 1.37.2\n",
		"| **StorageCapacityScoring** | alpha, off | beta, on |\n",
		"| **GangScheduling** | alpha, off | – |\n",
		"| **DRADeviceTaints** | beta, on | GA, on |\n",
		"The others are in another order: SchedulingGates, PrioritySort, NodeName, NodeUnschedulable",
		"- new: `queued_entities ALPHA`\n",
		"- new: `scheduling.v1beta1.PodGroup, a type of ",
		"- gone: `scheduling.v1alpha2.PodGroup, a type of ",
		"| and ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(text, "_test.go") {
		t.Error("the report lists tests")
	}
}

func TestStateOf(t *testing.T) {
	for want, row := range map[string]kubesource.Row{
		"alpha, off":    {In: kubesource.Entry{Stage: "Alpha"}},
		"GA, locked on": {In: kubesource.Entry{Stage: "GA", On: true, Locked: true}},
		"beta, off (on with min-compatibility-version of its own)": {In: kubesource.Entry{Stage: "Beta"}, WithoutOlder: true},
	} {
		if got := stateOf(row); got != want {
			t.Errorf("%+v is %q, want %q", row, got, want)
		}
	}
}
