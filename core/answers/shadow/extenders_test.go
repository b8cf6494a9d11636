package shadow_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// extended is a shadow of a scheduler with an extender, two nodes and a pod.
func extended(t *testing.T, ask bool) *shadow.Shadow {
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"extenders: [{urlPrefix: \"http://x\", filterVerb: filter, bindVerb: bind, nodeCacheCapable: true}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	s, err := shadow.New(shadow.Options{AskExtenders: ask, Engine: engine.Options{Config: c, Start: start}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []world.Object{mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Node("n2").CPU("4").Memory("8Gi").Obj(), mk.Pod("web").CPU("1").Obj()} {
		applyTo(t, s, start, world.Changed{Op: world.Added, Object: o})
	}
	return s
}

func applyTo(t *testing.T, s *shadow.Shadow, at time.Time, event world.Event) {
	t.Helper()
	if err := s.Apply(world.Input{At: at, Event: event}); err != nil {
		t.Fatal(err)
	}
}

// A shadow asks no extender. Its decision says so, and the real one is not compared.
func TestShadow_ExtendersUnknown(t *testing.T) {
	s := extended(t, false)
	d, _ := s.Step()
	if d == nil || d.Verdict != engine.Placed {
		t.Fatalf("decision %+v, want that the pod is placed", d)
	}
	if diff := cmp.Diff([]string{"http://x"}, d.Unknown); diff != "" {
		t.Errorf("unknown extenders (-want +got):\n%s", diff)
	}
	if calls := s.Effects(); len(calls) > 0 {
		t.Errorf("it asks %+v", calls)
	}
	applyTo(t, s, start.Add(time.Second), world.Changed{Op: world.Modified, Object: mk.Pod("web").CPU("1").Node("n1").Obj()})
	applyTo(t, s, start.Add(time.Minute), world.Tick{})
	if got := s.Comparator().Counters(); got.NotCompared != 1 || got.Agreed != 0 {
		t.Errorf("counters %+v, want one decision that is not compared", got)
	}
}

// If told so, it asks; and never to bind.
func TestShadow_AsksExtenders(t *testing.T) {
	s := extended(t, true)
	if d, _ := s.Step(); d != nil {
		t.Fatalf("decided %+v before the extender answered", d)
	}
	calls := s.Effects()
	if len(calls) != 1 {
		t.Fatalf("calls %+v, want one", calls)
	}
	applyTo(t, s, start, world.EffectDone{Effect: calls[0].ID, Outcome: world.Outcome{Answer: &world.ExtenderAnswer{Nodes: []string{"n2"}}}})
	if d, _ := s.Step(); d == nil || d.Node != "n2" || len(d.Unknown) > 0 {
		t.Errorf("decision %+v, want n2", d)
	}
	if calls := s.Effects(); len(calls) > 0 {
		t.Errorf("it asks %+v", calls)
	}
}
