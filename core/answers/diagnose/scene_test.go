package diagnose_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

func node(name, cpu string) *mk.NodeBuilder {
	return mk.Node(name).CPU(cpu).Memory("16Gi").Condition(v1.NodeReady, v1.ConditionTrue)
}

// engineWith returns an engine that has applied the objects one by one and made all decisions.
func engineWith(t testing.TB, objects ...world.Object) *engine.Engine {
	t.Helper()
	return engineWithGates(t, "", objects...)
}

// engineWithGates is engineWith with feature gates: "DRAConsumableCapacity=true DRAAdminAccess=false".
func engineWithGates(t testing.TB, gates string, objects ...world.Object) *engine.Engine {
	t.Helper()
	return engineUnread(t, gates, nil, objects...)
}

// engineUnread is engineWithGates for somebody who may not read some kinds.
func engineUnread(t testing.TB, gates string, unread []world.Kind, objects ...world.Object) *engine.Engine {
	t.Helper()
	set := map[string]bool{}
	for _, gate := range strings.Fields(gates) {
		name, value, _ := strings.Cut(gate, "=")
		set[name] = value == "true"
	}
	features, err := config.ParseFeatures(set)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Seed: 1, Config: config.Default(features), Unread: unread})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := e.Step(); more; _, more = e.Step() {
	}
	return e
}
