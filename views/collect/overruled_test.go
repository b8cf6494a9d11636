package collect_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// In a shadow a pod that the cluster's scheduler binds to another node goes from in flight to bound, and the queue and
// the journey say where this scheduler had placed it.
func TestOverruled_NamesBothNodes(t *testing.T) {
	c := config.Default(config.DefaultFeatures())
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s, err := shadow.New(shadow.Options{Engine: engine.Options{Config: c, Start: start, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	now := start
	apply := func(event world.Event) {
		t.Helper()
		if err := s.Apply(world.Input{At: now, Event: event}); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			_, more = s.Step()
		}
	}
	nodes := []*v1.Node{mk.Node("one").CPU("8").Memory("16Gi").Obj(), mk.Node("two").CPU("8").Memory("16Gi").Obj()}
	for _, n := range nodes {
		apply(world.Changed{Op: world.Added, Object: n})
	}
	pod := mk.Pod("web").CPU("1").Obj()
	apply(world.Changed{Op: world.Added, Object: pod})
	ours := s.Engine().Bindings()[0].Node
	other := map[string]string{"one": "two", "two": "one"}[ours]
	now = now.Add(time.Second)
	bound := pod.DeepCopy()
	bound.Spec.NodeName = other
	apply(world.Changed{Op: world.Modified, Object: bound})

	collector := collect.New(collect.Options{Mode: views.Shadow})
	model := func(open views.PaneID) *views.Model {
		ref := world.PodRef{Namespace: "default", Name: "web"}
		m := collector.Model(s.Engine(), collect.Query{Open: open, Rows: 10, Pod: ref})
		collect.Overruled(m, s.Engine(), s.Comparator(), ref)
		return m
	}
	check := func(comparison, note string) {
		t.Helper()
		m := model(views.QueuePane).Queue.Transitions[0]
		if m.From != views.InFlight || m.To != views.Bound || m.Node != other || m.By != "default-scheduler" || m.Ours != ours || m.Comparison != comparison {
			t.Errorf("the transition is %+v, want in flight → bound to %s by default-scheduler, ours %s, %q", m, other, ours, comparison)
		}
		rows := model(views.JourneyPane).Journey.Steps.Rows
		for i := range rows {
			if rows[i].To == views.Backoff {
				t.Errorf("step %d is a back-off: %+v", i, rows[i])
			}
		}
		if got := rows[0].Note; got != note {
			t.Errorf("the last step says %q, want %q", got, note)
		}
	}
	note := "bound to " + other + " by default-scheduler, not to " + ours
	check("", note)
	now = now.Add(shadow.Window)
	apply(world.Tick{})
	check("as good", note+", which is as good")
}
