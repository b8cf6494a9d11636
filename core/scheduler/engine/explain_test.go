package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// The explanation of a pod equals its decision at that time, random choices included. Every decision of
// the scenarios is explained before it is taken.
func TestExplain_PredictsDecision(t *testing.T) {
	t.Parallel()
	decisions := 0
	for seed := range uint64(max(1, *scenarios/40)) {
		e, err := engine.New(engine.Options{Seed: seed, Start: start, DecisionLogSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		decisions += checkExplainPredicts(t, e, scenario(seed, allFaults()))
	}
	if decisions == 0 {
		t.Error("no decision was explained")
	}
}

func TestExplain_UsesBatchHint(t *testing.T) {
	s := newBatchFixture(t)
	for i := range 3 {
		s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("2").Obj()) // each fills its node
	}
	for i := range 3 {
		x, err := s.e.Explain("default", fmt.Sprintf("p%d", i))
		if err != nil {
			t.Fatal(err)
		}
		d, _ := s.e.Step()
		if diff := cmp.Diff(comparableDecision(*d), comparableDecision(x.Decision)); diff != "" {
			t.Errorf("pod %d: the decision differs from its explanation (-decided +explained)\n%s", i, diff)
		}
	}
	if b := s.e.BatchCounters("default-scheduler"); b.HintUsed != 2 {
		t.Errorf("batching came to %+v, want 2 hints used", b)
	}
}

// checkExplainPredicts runs a scenario, and compares each decision with its explanation by a fork from before it.
func checkExplainPredicts(t *testing.T, e *engine.Engine, c *memory.Cluster) (decisions int) {
	t.Helper()
	end := start.Add(scenarioLength + scenarioTail)
	for !t.Failed() {
		for {
			before, err := e.Fork()
			if err != nil {
				t.Fatal(err)
			}
			d, more := e.Step()
			if !more {
				break
			}
			decisions++
			x, err := before.Explain(d.Pod.Namespace, d.Pod.Name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(comparableDecision(*d), comparableDecision(x.Decision)); diff != "" {
				t.Errorf("%s at %v: the decision differs from its explanation (-decided +explained)\n%s", d.Pod, d.At.Sub(start), diff)
			}
		}
		for _, effect := range e.Effects() {
			c.Do(effect)
		}
		wake, due := e.NextWake()
		if !due || wake.After(end) {
			wake = end
		}
		in, ok := c.Next(wake)
		if !ok {
			if wake == end {
				return decisions
			}
			in = world.Input{At: wake, Event: world.Tick{}}
		}
		_ = e.Apply(in)
	}
	return decisions
}

// comparableDecision is a decision without the fields that an explanation lacks.
func comparableDecision(d engine.Decision) string {
	d.Seq, d.Attempt, d.Duration = 0, 0, 0
	preemption := ""
	if p := d.Preemption; p != nil {
		preemption = fmt.Sprintf(", preempts on %s %s", p.Node, podNames(p.Victims))
		d.Preemption = nil
	}
	return fmt.Sprintf("%+v%s", d, preemption)
}

func podNames(pods []*v1.Pod) (list []string) {
	for _, pod := range pods {
		list = append(list, pod.Name)
	}
	return list
}

// Explaining any pod at any time, in every state, does not change the engine.
func TestExplain_DoesNotChangeEngine(t *testing.T) {
	t.Parallel()
	seen := map[engine.PodState]int{}
	for seed := range uint64(2) {
		e, err := engine.New(engine.Options{Seed: seed, Start: start, DecisionLogSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		c, inputs := scenario(seed, allFaults()), 0
		drive.Run(c, start.Add(scenarioLength), drive.NewScheduler(e, drive.OnInput(func(world.Input, error) {
			if inputs++; inputs%20 != 0 {
				return
			}
			before := engineState(e)
			for object := range e.Store().Objects(world.Pod) {
				x, err := e.Explain(object.GetNamespace(), object.GetName())
				if err != nil {
					t.Error(err)
					continue
				}
				seen[x.State]++
			}
			if diff := cmp.Diff(before, engineState(e)); diff != "" {
				t.Errorf("scenario %d: explaining changed the engine (-before +after)\n%s", seed, diff)
			}
		})))
	}
	for _, state := range []engine.PodState{engine.StateActive, engine.StateBackoff, engine.StateUnschedulable, engine.StateGated, engine.StateBinding, engine.StateBound} {
		if seen[state] == 0 {
			t.Errorf("no pod in state %s was explained: %v", state, seen)
		}
	}
}

// engineState is the state that explaining might change.
func engineState(e *engine.Engine) string {
	text := fmt.Sprintf("digest %s, start %d, queue %+v, counters %+v, %d problems, %d pending effects, generation %d\n",
		e.Digest(), e.StartIndex(), e.Queue().Counts(), e.Counters(), len(e.Problems()), len(e.Bindings()), e.Cache().Generation())
	for node := range e.Nodes() {
		text += fmt.Sprintln(node.Node().Name, node.GetGeneration(), len(node.GetPods()), node.GetRequested())
	}
	wake, due := e.NextWake()
	return text + fmt.Sprint(wake, due, e.Queue().NominatedNodes())
}

// A likely node is taken if the pod fits there, and otherwise the best one is.
func TestTryOn_LooksAtTheLikelyNodeFirst(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []world.Object{
		mk.Node("full").CPU("1").Memory("1Gi").Obj(), mk.Node("half").CPU("4").Memory("1Gi").Obj(), mk.Node("empty").CPU("64").Memory("64Gi").Obj(), mk.Pod("web").CPU("2").Obj(),
	} {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for likely, want := range map[string]string{"": "empty", "half": "half", "full": "empty", "missing": "empty"} {
		if node, err := e.TryOn("default", "web", likely); err != nil || node != want {
			t.Errorf("likely on %q it goes to %q: %v, want %q", likely, node, err, want)
		}
	}
}
