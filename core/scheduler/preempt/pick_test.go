package preempt_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/preempt"
	"orrery/core/testing/mk"
)

var dawn = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

// victims are pods of these priorities, which started an hour apart, the first at dawn.
func victims(priorities ...int32) []*v1.Pod {
	var pods []*v1.Pod
	for i, p := range priorities {
		pods = append(pods, mk.Pod(fmt.Sprint("v", i)).Priority(p).Started(dawn.Add(time.Duration(i)*time.Hour)).Obj())
	}
	return pods
}

func startedAt(at time.Time, pods []*v1.Pod) []*v1.Pod {
	for _, pod := range pods {
		pod.Status.StartTime.Time = at
	}
	return pods
}

// Shows PRE-21, PRE-24, PRE-25 and PRE-26.
func TestPick_Criteria(t *testing.T) {
	const lowest = -2147483648
	for _, tc := range []struct {
		name       string
		candidates []preempt.Candidate
		want       string
		by         preempt.Criterion
	}{
		{
			"the only candidate wins at any cost",
			[]preempt.Candidate{{"a", victims(100, 90), 2}},
			"a", preempt.OnlyCandidate,
		},
		{
			"fewer violated budgets come first",
			[]preempt.Candidate{{"a", victims(1), 1}, {"b", victims(9, 9), 0}},
			"b", preempt.FewestViolations,
		},
		{
			"then the most important victim, not the number of victims",
			[]preempt.Candidate{{"a", victims(10, 5), 0}, {"b", victims(10), 0}, {"c", victims(9, 9, 9), 0}},
			"c", preempt.LowestTopPriority,
		},
		{
			"then the sum of the priorities counts",
			[]preempt.Candidate{{"a", victims(10, 0), 0}, {"b", victims(10, -5), 0}},
			"b", preempt.LowestPrioritySum,
		},
		{
			"a victim of the minimum priority adds nothing to the sum, so the number of victims decides",
			[]preempt.Candidate{{"a", victims(10), 0}, {"b", victims(10, lowest), 0}},
			"a", preempt.FewestVictims,
		},
		{
			"then the latest start of the victims",
			[]preempt.Candidate{
				{"a", startedAt(dawn, victims(10)), 0},
				{"b", startedAt(dawn.Add(time.Hour), victims(10)), 0},
			},
			"b", preempt.LatestStart,
		},
		{
			"of a node's victims of the highest priority, the earliest counts, and no other",
			[]preempt.Candidate{
				{"a", append(startedAt(dawn.Add(2*time.Hour), victims(10)), startedAt(dawn, victims(3))...), 0},
				{"b", append(startedAt(dawn.Add(time.Hour), victims(10)), startedAt(dawn.Add(3*time.Hour), victims(3))...), 0},
			},
			"a", preempt.LatestStart,
		},
		{
			"an extender may answer in any order: the first victim counts as the most important, and the highest priority for the start",
			[]preempt.Candidate{
				{"a", append(startedAt(dawn.Add(3*time.Hour), victims(3)), startedAt(dawn, victims(10))...), 0},
				{"b", append(startedAt(dawn, victims(3)), startedAt(dawn.Add(time.Hour), victims(10))...), 0},
			},
			"b", preempt.LatestStart,
		},
		{
			"a victim that has not started yet is the latest of all",
			[]preempt.Candidate{
				{"a", startedAt(dawn, victims(10)), 0},
				{"b", []*v1.Pod{mk.Pod("new").Priority(10).Obj()}, 0},
			},
			"b", preempt.LatestStart,
		},
		{
			"a victim of no sensible time has not run for the shortest",
			[]preempt.Candidate{
				{"a", startedAt(dawn.AddDate(-600, 0, 0), victims(10)), 0},
				{"b", startedAt(dawn, victims(10)), 0},
			},
			"b", preempt.LatestStart,
		},
		{
			"of equals the first wins",
			[]preempt.Candidate{{"a", victims(1), 0}, {"b", victims(1), 0}},
			"a", preempt.FirstFound,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, by, losers := preempt.Pick(tc.candidates)
			if got.Node != tc.want || by != tc.by {
				t.Errorf("picked %s by %q, want %s by %q", got.Node, by, tc.want, tc.by)
			}
			if len(losers) != len(tc.candidates)-1 {
				t.Errorf("%d candidates lost, want %d", len(losers), len(tc.candidates)-1)
			}
		})
	}
}

func TestPick_LosersAndCriteria(t *testing.T) {
	_, _, losers := preempt.Pick([]preempt.Candidate{
		{"violates", victims(1), 1},
		{"important", victims(20), 0},
		{"many", victims(10, -2147483648), 0},
		{"best", victims(10), 0},
	})
	want := map[string]preempt.Criterion{
		"violates": preempt.FewestViolations, "important": preempt.LowestTopPriority, "many": preempt.FewestVictims,
	}
	for _, l := range losers {
		if l.By != want[l.Node] {
			t.Errorf("%s lost by %q, want %q", l.Node, l.By, want[l.Node])
		}
		delete(want, l.Node)
	}
	if len(want) > 0 {
		t.Errorf("missing losers: %v", want)
	}
}
