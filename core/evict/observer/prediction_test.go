package observer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// checks is a line for each eviction of which something was predicted.
func checks(b *evict.Record, now time.Time) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		if check := d.PredictionText(now); check != "" {
			fmt.Fprintf(&text, "%s %s; %s: %s\n", d.Pod.Name, d.Phase, d.Cause, check)
		}
	}
	return text.String()
}

// at moves the script's clock to a time since noon.
func (s *script) at(d time.Duration) *script {
	s.now = noon.Add(d)
	return s
}

func (s *script) node(taints ...v1.Taint) *script {
	node := mk.Node("n1").Obj()
	node.Spec.Taints = taints
	return s.tell(world.Changed{Op: world.Modified, Object: s.stamp(node)})
}

func (s *script) pdb(allowed int32, disrupted ...string) *script {
	b := pdb("web", 1)
	b.Status = policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: 1, DesiredHealthy: 1}
	for _, name := range disrupted {
		b.Status.DisruptedPods = map[string]metav1.Time{name: {Time: s.now}}
	}
	return s.tell(world.Changed{Op: world.Modified, Object: s.stamp(b)})
}

// waiting is a pod on n1 that tolerates the taint for half a minute.
func waiting(changes ...func(*v1.Pod)) *v1.Pod {
	pod := patient("a", 30)
	pod.Spec.NodeName, pod.UID = "n1", "uid-a"
	pod.Status.Phase = v1.PodRunning
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func TestObserver_PredictionOutcomes(t *testing.T) {
	byTaint := marked("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
	byDrain := marked("EvictionByEvictionAPI", "Eviction API: evicting")
	// In each story the pod is due at 12:00:40.
	begin := func(s *script) *script { return s.node().added(waiting()).at(10 * time.Second).node(tainted("repair")) }
	tests := []struct {
		name string
		play func(*script)
		now  time.Duration
		want string
	}{
		{"before its time", func(s *script) { begin(s) }, 11 * time.Second, "a counting down; taint: predicted 12:00:40"},
		{
			"due, and nothing is seen yet", func(s *script) { begin(s).at(41 * time.Second).node(tainted("repair")) }, 43 * time.Second,
			"a terminating; taint: predicted 12:00:40, overdue by 3s",
		},
		{
			"nobody acts", func(s *script) { begin(s).at(75 * time.Second).node(tainted("repair")) }, 80 * time.Second,
			"a terminating; taint: predicted 12:00:40, overdue by 40s: is taint eviction running?",
		},
		{
			"kept", func(s *script) { begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)) }, 41 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:40 (+200ms)",
		},
		{"kept, however long the pod takes to go", func(s *script) {
			begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)).at(65 * time.Second).gone(waiting(byTaint, deleted))
		}, 70 * time.Second, "a evicted; taint: predicted 12:00:40, evicted 12:00:40 (+200ms)"},
		{
			"late", func(s *script) { begin(s).at(52 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:52 (+12s)",
		},
		{
			"sooner: the timer had begun before", func(s *script) { begin(s).at(20 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:20 (-20s)",
		},
		{
			"the taint goes", func(s *script) { begin(s).at(20 * time.Second).node() }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, cancelled before",
		},
		{
			"the taint goes when nobody has acted", func(s *script) { begin(s).at(100 * time.Second).node() }, 110 * time.Second,
			"a cancelled; taint: predicted 12:00:40, not evicted within 1m0s: cancelled",
		},
		{"a drain is first", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(byDrain, deleted)).at(30 * time.Second).gone(waiting(byDrain, deleted))
		}, 60 * time.Second, "a cancelled; taint: predicted 12:00:40, superseded: evicted for another cause: eviction API"},
		{
			"somebody deletes it", func(s *script) { begin(s).at(20 * time.Second).gone(waiting(deleted)) }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, superseded: deleted for another reason",
		},
		{
			"somebody deletes it in the end, as nobody acted", func(s *script) { begin(s).at(90 * time.Second).gone(waiting(deleted)) }, 100 * time.Second,
			"a cancelled; taint: predicted 12:00:40, not evicted within 50s: deleted for another reason",
		},
		{"it ends by itself", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(func(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }))
		}, 60 * time.Second, "a cancelled; taint: predicted 12:00:40, superseded: the pod succeeded"},
		{
			"it goes while nobody looks, before its time", func(s *script) { begin(s).at(20 * time.Second).listed() }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, superseded: deleted before",
		},
		{
			"it goes while nobody looks, about then", func(s *script) { begin(s).at(60 * time.Second).listed() }, 61 * time.Second,
			"a evicted; taint: predicted 12:00:40, deleted unobserved about then",
		},
		{"a second taint does not make due anew what is due", func(s *script) {
			begin(s).at(50*time.Second).node(tainted("repair"), tainted("other"))
		}, 80 * time.Second, "a terminating; taint: predicted 12:00:40, overdue by 40s: is taint eviction running?"},
		{"a second taint in the moment in which it is due does not either", func(s *script) {
			begin(s).at(40*time.Second).node(tainted("repair"), v1.Taint{Key: "repair", Value: "again", Effect: v1.TaintEffectNoExecute}).changed(waiting(byTaint, deleted))
		}, 41 * time.Second, "a terminating; taint: predicted 12:00:40, evicted 12:00:41 (+1s)"},
		{"a taint it does not tolerate at all makes it due at once", func(s *script) {
			begin(s).at(20*time.Second).node(tainted("repair"), tainted("other"))
		}, 21 * time.Second, "a terminating; taint: predicted 12:00:20, overdue by 1s"},
		{"called off and begun anew are two", func(s *script) {
			begin(s).at(20 * time.Second).node().at(30 * time.Second).node(tainted("repair"))
		}, 31 * time.Second, `
			a counting down; taint: predicted 12:01:00
			a cancelled; taint: predicted 12:00:40, cancelled before`},
		{"a pod that was marked before is foretold nothing", func(s *script) {
			s.node(tainted("repair")).added(waiting(byTaint, deleted))
		}, 10 * time.Second, ""},
		{
			"a budget lets it go", func(s *script) { s.pdb(1).added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, as predicted",
		},
		{
			"a budget lets it go, and says so first", func(s *script) { s.pdb(1).added(waiting()).pdb(0, "a").changed(waiting(byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, as predicted",
		},
		{
			"a budget should not have let it go", func(s *script) { s.pdb(0).added(waiting(ready)).changed(waiting(ready, byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, predicted: refused",
		},
		{"no budget has a say", func(s *script) { s.added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second, ""},
		{"a budget holds it", func(s *script) {
			s.pdb(0).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRefOf(waiting()), "you", "The disruption budget web needs 1 healthy pods and has 1 currently")
		}, 10 * time.Second, "a cancelled; eviction API: refused, as predicted"},
		{"a budget holds it though it should not", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRefOf(waiting()), "you", "no")
		}, 10 * time.Second, "a cancelled; eviction API: refused, predicted: allowed"},
		{"a refusal about another pod of that name is nobody's", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRef{Namespace: "default", Name: "a", UID: "other"}, "you", "no")
		}, 10 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.play(s)
			if diff := cmp.Diff(trim(tt.want), checks(s.Record(), noon.Add(tt.now))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func ready(pod *v1.Pod) {
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue})
}

func TestObserver_DeviceTaintPrediction(t *testing.T) {
	s := newStage(t)
	s.create(node("n1"), slice(), claim("a"))
	s.create(claiming("a"))
	s.until(time.Second)
	s.reserve("a")
	s.do(10*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(deviceRule(20 * time.Second))
		return err
	})
	s.until(11 * time.Second)
	if diff := cmp.Diff("a counting down; device taint: predicted 12:00:20\n", checks(s.clerk.Record(), s.Now())); diff != "" {
		t.Error(diff)
	}
	s.until(time.Minute)
	if diff := cmp.Diff("a evicted; device taint: predicted 12:00:20, evicted 12:00:20 (+0s)\n", checks(s.clerk.Record(), s.Now())); diff != "" {
		t.Error(diff)
	}
}

// Where the controllers act and nothing is lost on the way, all that is predicted comes to pass, is called off or overtaken.
// Each prediction has one outcome when its eviction is over, and the sums are those of the outcomes.
func TestObserver_OneOutcomePerPrediction(t *testing.T) {
	seen := evict.OutcomeCounts{}
	rapid.Check(t, func(rt *rapid.T) {
		calm := rapid.Bool().Draw(rt, "calm")
		s := newStage(t, func(o *memory.Options) {
			o.Seed = rapid.Uint64().Draw(rt, "seed")
			if !calm {
				o.Latency = memory.TypicalLatency()
				o.Faults.Watch = map[world.Kind]memory.WatchFaults{
					"": {Break: 0.05, RelistAfter: memory.Delay{Base: 20 * time.Second}, Duplicate: 0.1},
				}
			}
		})
		for i := range 3 {
			s.create(node(fmt.Sprint("n", i)))
		}
		s.create(pdb("web", 2))
		acts := allActs
		if calm {
			acts = calmActs // on a lost node a pod may be on its way for so long that it is asked twice
		}
		for i := range rapid.IntRange(5, 25).Draw(rt, "acts") {
			drawAct(rt, s, acts, time.Duration(i)*10*time.Millisecond) // at one moment, either of two may have come first
		}
		for at := 10 * time.Second; at <= 6*time.Minute; at += 10 * time.Second {
			s.until(at)
			oneOutcomeEach(rt, s.clerk.Record())
		}
		all := s.clerk.Record().Outcomes()
		if calm && all.Count(evict.Late)+all.Count(evict.Early)+all.Count(evict.Missed)+all.Count(evict.Unobserved)+all.Count(evict.Mispredicted) > 0 {
			rt.Errorf("nothing was lost, and yet:\n%s", checks(s.clerk.Record(), s.Now()))
		}
		for o, n := range all {
			seen[o] += n
		}
	})
	if seen.Count(evict.OnTime) == 0 {
		t.Error("nothing that was foretold ever came to pass: this test looks at too little")
	}
}

func oneOutcomeEach(rt *rapid.T, b *evict.Record) {
	var count evict.OutcomeCounts
	for i, d := range append(b.Open(), b.Ended()...) {
		f := d.Prediction
		if f.Outcome != evict.Pending {
			count[f.Outcome]++
		}
		over := i >= len(b.Open())
		switch {
		case over && !f.PredictedAt.IsZero() && f.Outcome == evict.Pending:
			rt.Errorf("%+v is over, and nobody says what came of what was foretold", d)
		case f.Outcome != evict.Pending && f.PredictedAt.IsZero() && f.PredictedAnswer == evict.NoAnswer:
			rt.Errorf("%+v has an outcome, and nothing was foretold", d)
		case (f.Outcome == evict.OnTime || f.Outcome == evict.Late || f.Outcome == evict.Early) && f.ObservedAt.IsZero():
			rt.Errorf("%+v was never asked to leave", d)
		}
	}
	if got := b.Outcomes(); got != count {
		rt.Errorf("the board counts %v, and its departures are %v", got, count)
	}
}

func TestObserver_ForkCountsApart(t *testing.T) {
	s := newScript()
	s.node().added(waiting()).at(10 * time.Second).node(tainted("repair"))
	fork := s.Fork()
	s.at(20 * time.Second).node()
	if mine, forks := s.Record().Outcomes(), fork.Record().Outcomes(); mine.Count(evict.OutcomeCancelled) != 1 || forks.Any() {
		t.Errorf("%v, and of the fork %v", mine, forks)
	}
}
