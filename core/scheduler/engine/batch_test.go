package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

// batchable is a profile whose plugins all sign pods: the default one, without default spread
// constraints.
const batchable = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: PodTopologySpread
    args: {defaultingType: List}
`

func newBatchFixture(t *testing.T) *fixture { return newBatchFixtureOf(t, release.V135) }

func newBatchFixtureOf(t *testing.T, r release.Release) *fixture {
	t.Helper()
	c, err := config.Load([]byte(batchable), config.FeaturesOf(r))
	if err != nil {
		t.Fatal(err)
	}
	s := newFixture(t, engine.Options{Config: c})
	for i := range 4 {
		s.added(mk.Node(fmt.Sprintf("n%d", i)).CPU("2").Memory("8Gi").Obj())
	}
	return s
}

// Shows BATCH-01 and BATCH-05.
func TestBatchHint_UsesRunnerUp(t *testing.T) {
	s := newBatchFixture(t)
	var got []engine.Decision
	for i := range 3 {
		s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("2").Obj()) // each fills its node
		got = append(got, s.decide()...)
		s.after(250 * time.Millisecond)
	}
	if len(got) != 3 {
		t.Fatalf("%d decisions, want 3", len(got))
	}
	for i, d := range got {
		examined := 1
		if i == 0 {
			examined = 4
		}
		if d.Verdict != engine.Placed || d.Examined != examined {
			t.Errorf("pod %d: %s after %d examined nodes, want placed after %d", i, d.Verdict, d.Examined, examined)
		}
	}
	if b := s.e.BatchCounters("default-scheduler"); b.HintUsed != 2 || b.NoHint != 1 {
		t.Errorf("the batch counters are %+v, want 2 hints used after 1 pod without", b)
	}
}

// Shows BATCH-02, BATCH-05 and A-15.
func TestBatchHint_FlushReasons(t *testing.T) {
	for _, tc := range []struct {
		name string
		next func(s *fixture)
		want engine.FlushReason
	}{
		{"the last pod's node is not full", func(s *fixture) {
			s.added(mk.Pod("small").CPU("1").Label("app", "x").Obj())
			s.decide()
			s.added(mk.Pod("small2").CPU("1").Label("app", "x").Obj())
		}, engine.FlushNodeNotFull},
		{"the pod has another signature", func(s *fixture) { s.added(mk.Pod("other").CPU("1").Obj()) }, engine.FlushIncompatible},
		{"the scores are too old", func(s *fixture) {
			s.after(500*time.Millisecond + 1)
			s.added(mk.Pod("like").CPU("2").Obj())
		}, engine.FlushExpired},
		{"another pod was scheduled in between", func(s *fixture) {
			s.added(mk.Pod("giant").CPU("64").Obj())
			s.decide()
			s.added(mk.Pod("like").CPU("2").Obj())
		}, engine.FlushSkipped},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newBatchFixture(t)
			s.added(mk.Pod("first").CPU("2").Obj())
			s.decide()
			tc.next(s)
			s.decide()
			if b := s.e.BatchCounters("default-scheduler"); b.Flushed[tc.want] == 0 || b.HintUsed != 0 {
				t.Errorf("the batch counters are %+v, want a flush for %s", b, tc.want)
			}
		})
	}
}

// Pods of one template go to the node that is best by now, which is found without a search: the last one, scored anew, beside the others.
func TestBatchRescoring_ReturnsToLastNode(t *testing.T) {
	for r, want := range map[release.Release]struct {
		examined int
		counters engine.BatchCounters
	}{
		release.V136: {5, engine.BatchCounters{NoHint: 6, Flushed: map[engine.FlushReason]uint64{engine.FlushNodeNotFull: 5}}},
		release.V137: {1, engine.BatchCounters{NoHint: 1, HintUsed: 5, Rescored: 5, Flushed: map[engine.FlushReason]uint64{}}},
	} {
		s := newBatchFixtureOf(t, r)
		s.added(mk.Node("large").CPU("64").Memory("32Gi").Obj())
		for i := range 6 {
			s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("1").Obj())
			d := s.decide()[0]
			if d.Node != "large" {
				t.Errorf("%s: pod %d is on %s", r, i, d.Node)
			}
			if i > 0 && d.Examined != want.examined {
				t.Errorf("%s: pod %d is placed after %d examined nodes, want %d", r, i, d.Examined, want.examined)
			}
		}
		if diff := cmp.Diff(want.counters, s.e.BatchCounters("default-scheduler")); diff != "" {
			t.Errorf("%s: the batch counters differ (-want +got):\n%s", r, diff)
		}
	}
}

// Without a batch the same pods go to the same nodes, if every node is searched and ties fall alike.
func TestBatchRescoring_AgreesWithSearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var placed [2][]string
		cpus := rapid.SliceOfN(rapid.IntRange(1, 40), 2, 12).Draw(rt, "CPUs of the nodes")
		pods := rapid.IntRange(2, 30).Draw(rt, "pods")
		for i, pause := range []time.Duration{0, time.Second} { // after a second a batch is too old
			s := newBatchFixtureOf(t, release.V137)
			for n, cpu := range cpus {
				s.added(mk.Node(fmt.Sprintf("drawn-%d", n)).CPU(fmt.Sprint(cpu)).Memory(fmt.Sprintf("%dGi", 64+n)).Obj())
			}
			for n := range pods {
				s.added(mk.Pod(fmt.Sprintf("p%d", n)).CPU("700m").Memory("1Gi").Obj())
				for _, d := range s.decide() {
					if placed[i] = append(placed[i], d.Node); d.Verdict == engine.Placed && d.Score == d.RunnerUpScore && d.Feasible > 1 {
						rt.Skip("a tie")
					}
				}
				s.after(pause)
			}
		}
		if diff := cmp.Diff(placed[1], placed[0]); diff != "" {
			rt.Errorf("(-searched +batched):\n%s", diff)
		}
	})
}

// A pod that is nominated for a node leaves the batch alone.
func TestBatchRescoring_SkipsNominatedPods(t *testing.T) {
	s := newBatchFixtureOf(t, release.V137)
	s.added(mk.Pod("first").CPU("1").Obj())
	s.decide()
	s.added(mk.Pod("nominated").CPU("1").Nominated("n3").Obj())
	if d := s.decide()[0]; d.Node != "n3" {
		t.Errorf("the pod is on %s", d.Node)
	}
	if b := s.e.BatchCounters("default-scheduler"); b.Flushed[engine.FlushNominated] != 1 || b.Rescored != 0 {
		t.Errorf("the batch counters are %+v, want one flush for %s", b, engine.FlushNominated)
	}
}

// Shows BATCH-04 and A-15.
func TestBatchHint_DefaultProfileNeverBatches(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n0").CPU("2").Memory("8Gi").Obj(), mk.Node("n1").CPU("2").Memory("8Gi").Obj())
	for i := range 2 {
		s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("2").Obj())
	}
	s.decide()
	if b := s.e.BatchCounters("default-scheduler"); b.HintUsed != 0 || b.NoHint != 2 || b.Flushed[engine.FlushNotBatchable] != 1 {
		t.Errorf("the batch counters are %+v, want 2 pods without a hint, the first flushed as not batchable", b)
	}
}

// Of three hundred equal nodes a search finds 144: each search starts where the previous one ended, and wraps.
// Shows PERF-03 and PERF-12.
func TestStartIndex_Advances(t *testing.T) {
	s := newFixture(t, engine.Options{})
	for i := range 300 {
		s.added(mk.Node(fmt.Sprintf("n%03d", i)).CPU("8").Memory("32Gi").Obj())
	}
	for i, want := range []int{0, 144, 288, 132} {
		s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("1").Obj())
		if d := s.decide()[0]; d.Start != want || d.Examined != 144 {
			t.Errorf("search %d starts at %d and examines %d nodes, want %d and 144", i, d.Start, d.Examined, want)
		}
	}
}

// Ten of three hundred nodes are tainted. They count where the next search starts, as feasible ones do.
// Shows PERF-14.
func TestStartIndex_CountsInfeasibleNodes(t *testing.T) {
	s := newFixture(t, engine.Options{})
	for i := range 300 {
		node := mk.Node(fmt.Sprintf("n%03d", i)).CPU("8").Memory("32Gi")
		if i < 10 {
			node.Taint("only", "gpu", v1.TaintEffectNoSchedule)
		}
		s.added(node.Obj())
	}
	for i, want := range []struct{ start, examined int }{{0, 154}, {154, 144}, {298, 154}} {
		s.added(mk.Pod(fmt.Sprintf("p%d", i)).CPU("1").Obj())
		if d := s.decide()[0]; d.Start != want.start || d.Examined != want.examined || d.Feasible != 144 {
			t.Errorf("search %d starts at %d and examines %d nodes, %d of them feasible, want %+v and 144", i, d.Start, d.Examined, d.Feasible, want)
		}
	}
}

// The best of 250 nodes is the last one. At 50 % the search finds 125 nodes before it comes there.
// Shows PERF-08, PERF-09 and PERF-11.
func TestSearch_MissesNodeBeyondPercentage(t *testing.T) {
	for percentage, best := range map[int]bool{50: false, 100: true} {
		c, err := config.Load(fmt.Appendf(nil, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
			"percentageOfNodesToScore: %d\n", percentage), config.DefaultFeatures())
		if err != nil {
			t.Fatal(err)
		}
		s := newFixture(t, engine.Options{Config: c})
		for i := range 249 {
			s.added(mk.Node(fmt.Sprintf("n%03d", i)).CPU("2").Memory("32Gi").Obj())
		}
		s.added(mk.Node("best").CPU("64").Memory("32Gi").Obj(), mk.Pod("web").CPU("1").Obj())
		if d := s.decide()[0]; (d.Node == "best") != best {
			t.Errorf("at %d %% the pod is on %s after %d examined nodes", percentage, d.Node, d.Examined)
		}
	}
}
