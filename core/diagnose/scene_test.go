package diagnose_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

func node(name, cpu string) *mk.NodeBuilder {
	return mk.Node(name).CPU(cpu).Memory("16Gi").Condition(v1.NodeReady, v1.ConditionTrue)
}

// engineWith returns an engine that has applied the objects one by one and made all decisions.
func engineWith(t testing.TB, objects ...world.Object) *engine.Engine {
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
	for _, more := e.Step(); more; _, more = e.Step() {
	}
	return e
}
