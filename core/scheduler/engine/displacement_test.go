package engine_test

import (
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestDisplacementAndTry_ChangeNothing(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	low, port := mk.Pod("low").Node("n").CPU("1").Obj(), mk.Pod("port").Node("n").CPU("1").HostPort(80).Obj()
	web := mk.Pod("web").CPU("2").HostPort(80).Obj()
	for _, o := range []world.Object{mk.Node("n").CPU("3").Memory("8Gi").Obj(), low, port, web} {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	before := e.Digest()
	d, err := e.Displacement("default", "web")
	if err != nil {
		t.Fatal(err)
	}
	if d.Fits("n") || d.Fits("n", low) || !d.Fits("n", port) || !d.Fits("n", low, port) || d.Fits("elsewhere") {
		t.Error("web fits only without port, which has its host port")
	}
	gone := func(o world.Object) world.Event { return world.Changed{Op: world.Deleted, Object: o} }
	for want, events := range map[string][]world.Event{"": {gone(low)}, "n": {gone(low), gone(port)}} {
		if node, err := e.Try("default", "web", events...); node != want || err != nil {
			t.Errorf("after %d deletions the node is %q, %v; want %q", len(events), node, err, want)
		}
	}
	if e.Digest() != before {
		t.Error("trying changed the engine")
	}
	if _, err := e.Displacement("default", "low"); err == nil {
		t.Error("a pod with a node can be displaced for nothing")
	}
}
