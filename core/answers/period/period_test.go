package period_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/period"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
	"orrery/core/trace/play"
	"orrery/demo"
)

// both passes on what a tracker finds to a collector, and keeps the pods.
type both struct {
	*period.Collector
	pods []*journey.Pod
}

func (b *both) Pod(p *journey.Pod) {
	b.pods = append(b.pods, p)
	b.Collector.Pod(p)
}

// report makes a report of a part of a built-in recording.
func report(t *testing.T, name string, from, to time.Duration) (*period.Report, *engine.Engine, []*journey.Pod) {
	t.Helper()
	data, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	summary, _, err := play.Summarize(data)
	if err != nil {
		t.Fatal(err)
	}
	o := period.Options{From: summary.Start.Add(from), To: summary.End, Target: 5 * time.Second, Share: .99}
	if to > 0 {
		o.To = summary.Start.Add(to)
	}
	b := &both{Collector: period.New(o)}
	if data, err = demo.Open(name); err != nil {
		t.Fatal(err)
	}
	tracker := journey.New(b)
	e, _, err := tracker.Read(data, play.Options{Observer: b.Observe}, o.To)
	if err != nil {
		t.Fatal(err)
	}
	tracker.Finish()
	return b.Report(e), e, b.pods
}

// TestReport_AgreesWithEngine compares counts of whole recordings with the engine's own.
func TestReport_AgreesWithEngine(t *testing.T) {
	for _, name := range []string{"morning-rush", "priority-storm", "zone-failure", "stateful-rollout"} {
		r, e, _ := report(t, name, 0, 0)
		counters := e.Counters()
		for v, n := range counters.Decisions {
			if got := r.Decisions[engine.Verdict(v).String()]; got != int(n) {
				t.Errorf("%s: %d decisions are %s, and %d by the engine", name, got, engine.Verdict(v), n)
			}
		}
		if r.Pods.Bound != int(counters.Bound) {
			t.Errorf("%s: %d pods were bound, and %d by the engine", name, r.Pods.Bound, counters.Bound)
		}
		last := r.Samples[len(r.Samples)-1]
		if counts := e.Queue().Counts(); last.Unschedulable != counts.Unschedulable || last.Gated != counts.Gated || !last.At.Equal(r.To) {
			t.Errorf("%s: the last sample is %+v, and the queue %+v", name, last, counts)
		}
		bound := 0
		for i, s := range r.Samples {
			bound += s.Bound
			if i > 0 && !s.At.After(r.Samples[i-1].At) {
				t.Errorf("%s: sample %d is not after the one before", name, i)
			}
		}
		if len(r.Samples) != period.Samples || bound != r.Pods.Bound {
			t.Errorf("%s: %d samples with %d bound pods of %d", name, len(r.Samples), bound, r.Pods.Bound)
		}
	}
}

// TestObjective_EveryPodIsCountedOnce checks that the pods that count and those that are excluded are all pods, and that what counts was
// not rejected by a plugin of an exclusion.
func TestObjective_EveryPodIsCountedOnce(t *testing.T) {
	for _, name := range []string{"morning-rush", "priority-storm", "zone-failure", "stateful-rollout", "gpu-day", "gang-deadlock"} {
		r, _, pods := report(t, name, 0, 0)
		o := r.Objective
		sum := o.Counted.Pods
		for _, e := range o.Excluded {
			sum += e.Pods
			if e.Why == "" || e.P50 > e.P90 || e.P90 > e.P99 || e.P99 > e.Max {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if sum != o.All.Pods || o.Within > o.Counted.Pods {
			t.Errorf("%s: %d pods of %d have a place, %d of %d within the target", name, sum, o.All.Pods, o.Within, o.Counted.Pods)
		}
		clean := 0
		for _, p := range pods {
			if !p.OnNode && !p.Bound.IsZero() && len(p.HeldBy) == 0 && p.Preempting == 0 && p.In[journey.Gated] == 0 && p.In[journey.Permit] == 0 {
				clean++
			}
		}
		if o.Counted.Pods > clean {
			t.Errorf("%s: %d pods count, and only %d were never held", name, o.Counted.Pods, clean)
		}
	}
}

func TestReport_NamesWhatHappened(t *testing.T) {
	storm, _, _ := report(t, "priority-storm", 0, 0)
	if len(storm.Preempted) == 0 || storm.Owners[0].Excluded != period.Capacity || storm.Owners[0].Causes[0].Plugin != "NodeResourcesFit" {
		t.Errorf("the storm has the pairs %v and the worst owner %+v", storm.Preempted, storm.Owners[0])
	}
	var pairs int
	for _, pair := range storm.Preempted {
		pairs += pair.Victims
	}
	if pairs < storm.Pods.Preempted {
		t.Errorf("the pairs have %d victims, and %d pods were preempted", pairs, storm.Pods.Preempted)
	}
	failure, _, _ := report(t, "zone-failure", 0, 0)
	if len(failure.Evicted) == 0 || failure.Evicted[0].Reason != "DeletionByTaintManager" {
		t.Errorf("the failure has the evictions %v", failure.Evicted)
	}
	found := false
	for _, c := range failure.Changes {
		found = found || c.What == "node not ready" && c.Times > 1
	}
	if !found {
		t.Errorf("no node became not ready: %v", failure.Changes)
	}
	rollout, _, _ := report(t, "stateful-rollout", 0, 0)
	if len(rollout.Objective.Excluded) == 0 || rollout.Objective.Excluded[0].Reason != period.Storage {
		t.Errorf("the rollout excludes %v", rollout.Objective.Excluded)
	}
}

// TestReport_OfParts checks that two halves have all that the whole has.
func TestReport_OfParts(t *testing.T) {
	whole, _, _ := report(t, "morning-rush", 0, 0)
	first, _, _ := report(t, "morning-rush", 0, 60*time.Second)
	second, _, _ := report(t, "morning-rush", 60*time.Second+1, 0)
	sum := map[string]int{}
	for _, r := range []*period.Report{first, second} {
		for verdict, n := range r.Decisions {
			sum[verdict] += n
		}
		sum["bound"] += r.Pods.Bound
		sum["came"] += r.Pods.Came
	}
	want := map[string]int{"bound": whole.Pods.Bound, "came": whole.Pods.Came}
	for verdict, n := range whole.Decisions {
		want[verdict] = n
	}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("the halves differ from the whole (-want +got):\n%s", diff)
	}
}

func TestReport_IsDeterministic(t *testing.T) {
	a, _, _ := report(t, "zone-failure", 20*time.Second, 0)
	b, _, _ := report(t, "zone-failure", 20*time.Second, 0)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two reports of the same differ:\n%s", diff)
	}
}
