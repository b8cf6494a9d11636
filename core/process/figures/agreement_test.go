package figures

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Beside another scheduler the time to be placed is that scheduler's, the split is that of Orrery's own queue, and differences have their cause.
func TestFigures_BesideAnotherScheduler(t *testing.T) {
	f := New(config.DefaultFeatures(), always)
	s, err := shadow.New(shadow.Options{
		Engine: engine.Options{Start: start, Seed: 1, Listener: f.Listener(nil)}, Observer: func(e *engine.Engine) drive.Observer { return f.Of(e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(after time.Duration, event world.Event) {
		t.Helper()
		if err := s.Apply(world.Input{At: start.Add(after), Event: event}); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			_, more = s.Step()
		}
	}
	bound := func(pod *v1.Pod, node string) world.Changed {
		changed := pod.DeepCopy()
		changed.Spec.NodeName = node
		return world.Changed{Op: world.Modified, Object: changed}
	}
	at(0, world.Changed{Op: world.Added, Object: mk.Node("small").CPU("1").Pods("10").Obj()})
	at(0, world.Changed{Op: world.Added, Object: mk.Node("large").CPU("8").Pods("10").Obj()})
	good, bad := mk.Pod("good").CPU("2").Obj(), mk.Pod("bad").CPU("2").Obj()
	at(20*time.Second, world.Changed{Op: world.Added, Object: good})
	at(21*time.Second, bound(good, "large"))
	at(30*time.Second, world.Changed{Op: world.Added, Object: bad})
	at(34*time.Second, bound(bad, "small"))
	at(60*time.Second, world.Tick{})
	scene := &scene{t: t, figures: f, engine: s.Engine()}
	scene.check(scene.series(s.Comparator()), map[string]float64{
		"agreement_decisions_total agreed": 1, "agreement_decisions_total differs": 1, "agreement_decisions_total explained": 0,
		"agreement_differences_total differs node infeasible NodeResourcesFit": 1,
		"pod_placement_seconds default 0 pod#":                                 2, "pod_placement_seconds default 0 pod": 5,
		"pod_phase_seconds_total default 0 pod binding": 5,
	})
	if n := len(f.placements.journeys) + len(f.owners.pending); n > 0 {
		t.Errorf("%d pods are left", n)
	}
}

func TestAgreement_NamesCauses(t *testing.T) {
	for _, c := range []struct {
		f    shadow.Finding
		want difference
	}{
		{shadow.Finding{Class: shadow.Explained}, difference{"explained", "timing", ""}},
		{shadow.Finding{Class: shadow.Explained, Sampled: true}, difference{"explained", "sampling", ""}},
		{shadow.Finding{Class: shadow.Differs, Unsearched: true, Real: "n1"}, difference{"differs", "not searched", ""}},
		{shadow.Finding{Class: shadow.Differs, BestNodes: []string{"n1"}}, difference{"differs", "declared unschedulable", ""}},
		{shadow.Finding{Class: shadow.Differs, Real: "n1"}, difference{"differs", "no node feasible", ""}},
		{
			shadow.Finding{Class: shadow.Differs, Real: "n1", BestNodes: []string{"n2"}, Margins: []shadow.Margin{{Plugin: "ImageLocality", Ahead: 9}}},
			difference{"differs", "score", "ImageLocality"},
		},
	} {
		if got := differenceOf(&c.f); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
}
