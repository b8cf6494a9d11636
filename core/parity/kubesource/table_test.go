package kubesource

import (
	"slices"
	"testing"
)

func TestInForce(t *testing.T) {
	// DRAFractionalCapacityRange of 1.37: on by default only where no older component has to be feared.
	entries := []Entry{{Minor: 37, Stage: "Beta"}, {Minor: 37, Stage: "Beta", On: true, MinToCompat: 37}, {Minor: 38, Stage: "GA", On: true}}
	if _, ok := inForce(entries, 36, 35); ok {
		t.Error("1.36 has a gate of 1.37")
	}
	if e, ok := inForce(entries, 37, 36); !ok || e.On {
		t.Errorf("in 1.37 the gate is %+v, %v", e, ok)
	}
	if e, ok := inForce(entries, 37, 37); !ok || !e.On {
		t.Errorf("in 1.37 without older components the gate is %+v, %v", e, ok)
	}
	if e, ok := inForce(entries, 38, 37); !ok || !e.On || e.Stage != "GA" {
		t.Errorf("in 1.38 the gate is %+v, %v", e, ok)
	}
}

func TestCompareLines(t *testing.T) {
	for name, tt := range map[string]struct {
		was, is        []string
		added, removed int
	}{
		"the same":          {[]string{"a", "b"}, []string{"a", "b"}, 0, 0},
		"another order":     {[]string{"a", "b"}, []string{"b", "a"}, 0, 0},
		"a new file":        {nil, []string{"a", "b"}, 2, 0},
		"a line more":       {[]string{"a"}, []string{"a", "a"}, 1, 0},
		"one for another":   {[]string{"a", "b"}, []string{"a", "c"}, 1, 1},
		"a line less twice": {[]string{"a", "a", "a"}, []string{"a"}, 0, 2},
	} {
		if added, removed := compareLines(tt.was, tt.is); added != tt.added || removed != tt.removed {
			t.Errorf("%s: %d added and %d removed, want %d and %d", name, added, removed, tt.added, tt.removed)
		}
	}
}

// What is read of 1.37.2 has what its documents say, so that a source that is written otherwise is noticed.
func TestSource_Of137(t *testing.T) {
	plugins, err := DefaultPlugins("1.37.2")
	if err != nil {
		t.Fatal(err)
	}
	if len(plugins) < 19 || plugins[2] != "NodeName" || !slices.Contains(plugins, "TaintToleration 3") {
		t.Errorf("the default plugins are %v", plugins)
	}
	metrics, err := Metrics("1.37.2")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(metrics, "pending_pods STABLE") || !slices.Contains(metrics, "queued_entities ALPHA") {
		t.Errorf("the metrics are %v", metrics)
	}
	fields, err := Fields("1.37.2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"core.v1.PodSpec.schedulingGroup", "resource.v1.DeviceTaintRuleSpec.taint", "scheduling.v1beta1.PodGroup.spec"} {
		if !slices.Contains(fields, want) {
			t.Errorf("the fields lack %s", want)
		}
	}
	if slices.Contains(fields, "apps.v1.DeploymentSpec.replicas") {
		t.Error("the fields have those of Deployments")
	}
}
