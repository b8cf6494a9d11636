package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Shows NODE-03 and A-1.
func TestLastSearch_ResultOfEveryNode(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(
		mk.Node("roomy").CPU("8").Memory("8Gi").Obj(), mk.Node("tainted").CPU("8").Memory("8Gi").Taint("a", "b", v1.TaintEffectNoSchedule).Obj(),
		mk.Node("small").CPU("1").Memory("8Gi").Obj(), mk.Node("busy").CPU("4").Memory("4Gi").Obj(),
	)
	if _, found := s.e.LastSearch(); found != nil {
		t.Errorf("results before the first decision: %v", found)
	}
	s.added(mk.Pod("web").CPU("2").Memory("1Gi").Obj())
	d := s.decide()[0]
	seq, found := s.e.LastSearch()
	if want := []engine.NodeResult{engine.Chosen, engine.Rejected, engine.Rejected, engine.Feasible}; seq != d.Seq || !slices.Equal(found, want) {
		t.Errorf("decision %d has results %v, want %d and %v", seq, found, d.Seq, want)
	}
	s.added(mk.Pod("nowhere").CPU("1").PVC("absent").Obj())
	s.decide()
	if _, found := s.e.LastSearch(); found != nil {
		t.Errorf("a decision without examined nodes has results %v", found)
	}
}

// searchChecker checks after each decision that the search's results match it, here and in a fork.
type searchChecker struct {
	t        *testing.T
	engine   *engine.Engine
	searches int
}

func (*searchChecker) Applied(world.Input, error) {}

func (*searchChecker) Emitted(world.Effect) {}

func (o *searchChecker) Stepped(d *engine.Decision) {
	if d == nil || d.Examined == 0 {
		return
	}
	fork, err := o.engine.Fork()
	if err != nil {
		o.t.Fatal(err)
	}
	seq, found := o.engine.LastSearch()
	counts := map[engine.NodeResult]int{}
	at, place := -1, 0
	for node := range o.engine.Nodes() {
		counts[found[place]]++
		if node.Node().Name == d.Node {
			at = place
		}
		place++
	}
	feasible := counts[engine.Feasible] + counts[engine.Chosen]
	if seq != d.Seq || feasible != d.Feasible || counts[engine.Rejected] != d.Examined-d.Feasible {
		o.t.Errorf("decision %d has %d feasible of %d, and the search of %d has results %v", d.Seq, d.Feasible, d.Examined, seq, counts)
	}
	if d.Node != "" && found[at] != engine.Chosen {
		o.t.Errorf("decision %d chose %s, whose result is %v", d.Seq, d.Node, found[at])
	}
	if _, fork := fork.LastSearch(); !slices.Equal(fork, found) {
		o.t.Errorf("a fork's results are %v, the engine's %v", fork, found)
	}
	o.searches++
}

func TestLastSearch_AgreesWithDecisions(t *testing.T) {
	for seed := range uint64(4) {
		e, err := engine.New(engine.Options{Start: start, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		o := &searchChecker{t: t, engine: e}
		drive.Run(scenario(seed, memory.Faults{}), start.Add(40*time.Second), drive.NewScheduler(e, o))
		if o.searches == 0 {
			t.Error("no search ran")
		}
	}
}

// A fork has the engine's read models: transitions, depths, plugin counts.
func TestFork_KeepsReadModels(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	c := scenario(3, memory.Faults{})
	drive.Run(c, start.Add(30*time.Second), drive.NewScheduler(e))
	fork, err := e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	read := func(e *engine.Engine) any {
		var transitions []uint64
		for m := range e.RecentTransitions() {
			if transitions = append(transitions, m.Seq); len(transitions) == 100 {
				break
			}
		}
		name := e.Profiles()[0]
		return []any{transitions, e.QueueDepths(nil), e.Profile(name).Counts(), e.Queue().PreEnqueueCounts(name), e.DecisionCount(), e.LastDecision(), e.BindingsFrom(0, 3)}
	}
	before := read(e)
	if diff := cmp.Diff(before, read(fork)); diff != "" {
		t.Errorf("the fork differs (-engine +fork):\n%s", diff)
	}
	drive.Run(c, start.Add(50*time.Second), drive.NewScheduler(fork))
	if diff := cmp.Diff(before, read(e)); diff != "" {
		t.Errorf("the fork changed the engine:\n%s", diff)
	}
	if cmp.Equal(before, read(fork)) {
		t.Error("the fork did not change: the test tests nothing")
	}
}

func TestBindingsFrom_IsSliceOfBindings(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("64").Memory("64Gi").Pods("100").Obj())
	for _, name := range []string{"c", "a", "d", "b", "e"} {
		s.added(mk.Pod(name).CPU("1").Obj())
	}
	s.decide()
	all := s.e.Bindings()
	if len(all) != 5 || s.e.BindingCount() != 5 {
		t.Fatalf("%d bindings of %d are in flight, want 5", len(all), s.e.BindingCount())
	}
	for first := range 7 {
		got := s.e.BindingsFrom(first, 2)
		same := func(a, b engine.BindingInFlight) bool { return a.Pod == b.Pod }
		if want := all[min(first, 5):min(first+2, 5)]; !slices.EqualFunc(got, want, same) {
			t.Errorf("bindings from %d on: %v, want %v", first, got, want)
		}
	}
}
