package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// What is explained of a pod is what is decided when its turn comes at that moment, chance included. Every decision of
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
		t.Error("there was nothing to foretell")
	}
}

func TestExplain_KnowsBatchHint(t *testing.T) {
	s := batchScene(t)
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
			t.Errorf("pod %d was decided as explained, but for (-decided +explained)\n%s", i, diff)
		}
	}
	if b := s.e.BatchCounters("default-scheduler"); b.HintUsed != 2 {
		t.Errorf("batching came to %+v, want 2 hints used", b)
	}
}

// checkExplainPredicts plays a scenario, and has each decision explained by a copy of the engine that has not taken it yet.
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
				t.Errorf("%s at %v was decided as explained, but for (-decided +explained)\n%s", d.Pod, d.At.Sub(start), diff)
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

// comparableDecision is what a decision says, without what only a pod's turn gives it.
func comparableDecision(d engine.Decision) string {
	d.Seq, d.Attempt, d.Duration = 0, 0, 0
	room := ""
	if p := d.Preemption; p != nil {
		room = fmt.Sprintf(", room on %s by %s", p.Node, podNames(p.Victims))
		d.Preemption = nil
	}
	return fmt.Sprintf("%+v%s", d, room)
}

func podNames(pods []*v1.Pod) (list []string) {
	for _, pod := range pods {
		list = append(list, pod.Name)
	}
	return list
}

// Asking about any pod at any time, in every place it can be in, leaves no trace.
func TestExplain_LeavesNoTrace(t *testing.T) {
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
				t.Errorf("scenario %d: asking has changed (-before +after)\n%s", seed, diff)
			}
		})))
	}
	for _, place := range []engine.PodState{engine.StateActive, engine.StateBackoff, engine.StateUnschedulable, engine.StateGated, engine.StateBinding, engine.StateBound} {
		if seen[place] == 0 {
			t.Errorf("no pod was explained that is %s: %v", place, seen)
		}
	}
}

// engineState is all that explaining might have left behind.
func engineState(e *engine.Engine) string {
	text := fmt.Sprintf("digest %s, start %d, queue %+v, tally %+v, %d problems, %d awaited, generation %d\n",
		e.Digest(), e.StartIndex(), e.Queue().Counts(), e.Counters(), len(e.Problems()), len(e.Bindings()), e.Cache().Generation())
	for node := range e.Nodes() {
		text += fmt.Sprintln(node.Node().Name, node.GetGeneration(), len(node.GetPods()), node.GetRequested())
	}
	wake, due := e.NextWake()
	return text + fmt.Sprint(wake, due, e.Queue().NominatedNodes())
}
