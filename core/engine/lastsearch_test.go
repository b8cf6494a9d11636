package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestLastSearch_ResultOfEveryNode(t *testing.T) {
	s := newScene(t, engine.Options{})
	s.added(
		mk.Node("roomy").CPU("8").Memory("8Gi").Obj(), mk.Node("tainted").CPU("8").Memory("8Gi").Taint("a", "b", v1.TaintEffectNoSchedule).Obj(),
		mk.Node("small").CPU("1").Memory("8Gi").Obj(), mk.Node("busy").CPU("4").Memory("4Gi").Obj(),
	)
	if _, found := s.e.LastSearch(); found != nil {
		t.Errorf("before the first decision something was found: %v", found)
	}
	s.added(mk.Pod("web").CPU("2").Memory("1Gi").Obj())
	d := s.decide()[0]
	seq, found := s.e.LastSearch()
	if want := []engine.NodeResult{engine.Chosen, engine.Rejected, engine.Rejected, engine.Feasible}; seq != d.Seq || !slices.Equal(found, want) {
		t.Errorf("decision %d found %v, want %d and %v", seq, found, d.Seq, want)
	}
	s.added(mk.Pod("nowhere").CPU("1").PVC("absent").Obj())
	s.decide()
	if _, found := s.e.LastSearch(); found != nil {
		t.Errorf("a decision made without looking at a node found %v", found)
	}
}

// searchChecker checks after each decision that what the search found is what the decision says, here and in a fork.
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
		o.t.Errorf("decision %d says %d of %d, and the search of %d found %v", d.Seq, d.Feasible, d.Examined, seq, counts)
	}
	if d.Node != "" && found[at] != engine.Chosen {
		o.t.Errorf("decision %d chose %s, of which the search found %v", d.Seq, d.Node, found[at])
	}
	if _, twin := fork.LastSearch(); !slices.Equal(twin, found) {
		o.t.Errorf("a fork says %v was found, the engine %v", twin, found)
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
			t.Error("nothing was searched")
		}
	}
}

// What is read of an engine is in its fork too: moves, depths, counts of plugins.
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
		var moves []uint64
		for m := range e.RecentTransitions() {
			if moves = append(moves, m.Seq); len(moves) == 100 {
				break
			}
		}
		name := e.Profiles()[0]
		return []any{moves, e.QueueDepths(nil), e.Profile(name).Counts(), e.Queue().PreEnqueueCounts(name), e.DecisionCount(), e.LastDecision(), e.BindingsFrom(0, 3)}
	}
	before := read(e)
	if diff := cmp.Diff(before, read(fork)); diff != "" {
		t.Errorf("the fork remembers something else (-engine +fork):\n%s", diff)
	}
	drive.Run(c, start.Add(50*time.Second), drive.NewScheduler(fork))
	if diff := cmp.Diff(before, read(e)); diff != "" {
		t.Errorf("what the fork did shows in the engine:\n%s", diff)
	}
	if cmp.Equal(before, read(fork)) {
		t.Error("nothing happened in the fork: the test shows nothing")
	}
}

func TestBindingsFrom_IsSliceOfBindings(t *testing.T) {
	s := newScene(t, engine.Options{})
	s.added(mk.Node("n1").CPU("64").Memory("64Gi").Pods("100").Obj())
	for _, name := range []string{"c", "a", "d", "b", "e"} {
		s.added(mk.Pod(name).CPU("1").Obj())
	}
	s.decide()
	all := s.e.Bindings()
	if len(all) != 5 || s.e.BindingCount() != 5 {
		t.Fatalf("%d bindings of %d are under way, want 5", len(all), s.e.BindingCount())
	}
	for first := range 7 {
		got := s.e.BindingsFrom(first, 2)
		same := func(a, b engine.BindingInFlight) bool { return a.Pod == b.Pod }
		if want := all[min(first, 5):min(first+2, 5)]; !slices.EqualFunc(got, want, same) {
			t.Errorf("from %d on there are %v, want %v", first, got, want)
		}
	}
}
