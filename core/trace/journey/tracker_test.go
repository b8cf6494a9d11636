package journey_test

import (
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
	"orrery/core/trace/play"
	"orrery/demo"
)

// kept keeps everything that a tracker reports.
type kept struct {
	decisions int
	stages    map[*journey.Pod][]journey.Stage
	pods      []*journey.Pod
	nodes     []journey.Node
}

func (k *kept) Decided(*journey.Pod, *engine.Decision) { k.decisions++ }
func (k *kept) Stage(p *journey.Pod, s *journey.Stage) { k.stages[p] = append(k.stages[p], *s) }
func (k *kept) Pod(p *journey.Pod)                     { k.pods = append(k.pods, p) }
func (k *kept) Node(n *journey.Node)                   { k.nodes = append(k.nodes, *n) }

func read(t *testing.T, name string) (*kept, *engine.Engine, *play.Report) {
	t.Helper()
	from, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{stages: map[*journey.Pod][]journey.Stage{}}
	tracker := journey.New(k)
	e, report, err := tracker.Read(from, play.Options{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	tracker.Finish()
	return k, e, report
}

// TestTracker_StagesAddUp checks that the stages of every pod follow each other without a gap, in every built-in recording, and that they say of each pod at the
// end what the engine says.
func TestTracker_StagesAddUp(t *testing.T) {
	for _, built := range demo.Traces() {
		t.Run(built.Name, func(t *testing.T) {
			t.Parallel()
			k, e, report := read(t, built.Name)
			if k.decisions != int(report.Decisions) {
				t.Errorf("%d decisions were reported of %d", k.decisions, report.Decisions)
			}
			bound := 0
			for _, p := range k.pods {
				checkStages(t, p, k.stages[p])
				if !p.Bound.IsZero() {
					bound++
				}
				if p.Ending == "" {
					checkState(t, e, p)
				}
			}
			if bound == 0 {
				t.Error("no pod was bound")
			}
		})
	}
}

func checkStages(t *testing.T, p *journey.Pod, stages []journey.Stage) {
	t.Helper()
	at, attempts, sum := p.Created, 0, time.Duration(0)
	for i, s := range stages {
		if s.Number != i+1 || !s.Begin.Equal(at) || s.End.Before(s.Begin) {
			t.Fatalf("%s: stage %d (%s) is number %d from %s to %s, after one that ends at %s", p.PodRef, i+1, s.State, s.Number, s.Begin, s.End, at)
		}
		at, sum = s.End, sum+s.Duration()
		if s.State == journey.Attempt && s.Decision != nil {
			attempts++
		}
		for _, step := range s.Steps {
			if step.Begin.Before(s.Begin) || step.End.After(s.End) || step.End.Before(step.Begin) {
				t.Fatalf("%s: the step %+v is outside of stage %s from %s to %s", p.PodRef, step, s.State, s.Begin, s.End)
			}
		}
	}
	var in time.Duration
	for _, d := range p.In {
		in += d
	}
	if in != sum || at.Sub(p.Created) != sum {
		t.Errorf("%s: %s in all states, %s in stages, of %s", p.PodRef, in, sum, at.Sub(p.Created))
	}
	if attempts > p.Attempts {
		t.Errorf("%s: %d attempts were decided of %d", p.PodRef, attempts, p.Attempts)
	}
}

// checkState compares a pod's last state with the engine's.
func checkState(t *testing.T, e *engine.Engine, p *journey.Pod) {
	t.Helper()
	want := e.PodState(p.Namespace, p.Name)
	got := map[journey.State]engine.PodState{
		journey.Gated: engine.StateGated, journey.Queued: engine.StateActive, journey.Backoff: engine.StateBackoff,
		journey.Unschedulable: engine.StateUnschedulable, journey.Attempt: engine.StateScheduling, journey.Permit: engine.StateWaiting,
		journey.Binding: engine.StateBinding, journey.Elsewhere: engine.StateGone, journey.Starting: engine.StateBound, journey.Running: engine.StateBound,
	}[p.State]
	if got != want {
		t.Errorf("%s is %s, and %s for the engine", p.PodRef, p.State, want)
	}
}
