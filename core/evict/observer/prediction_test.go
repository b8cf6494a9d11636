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
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// predictions is a line for each predicted eviction.
func predictions(b *evict.Record, now time.Time) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		if prediction := d.PredictionText(now); prediction != "" {
			fmt.Fprintf(&text, "%s %s; %s: %s\n", d.Pod.Name, d.Phase, d.Cause, prediction)
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
	return s.apply(world.Changed{Op: world.Modified, Object: s.withVersion(node)})
}

func (s *script) pdb(allowed int32, disrupted ...string) *script {
	b := pdb("web", 1)
	b.Status = policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: 1, DesiredHealthy: 1}
	for _, name := range disrupted {
		b.Status.DisruptedPods = map[string]metav1.Time{name: {Time: s.now}}
	}
	return s.apply(world.Changed{Op: world.Modified, Object: s.withVersion(b)})
}

// waiting is a pod on n1 that tolerates the taint for half a minute.
func waiting(changes ...func(*v1.Pod)) *v1.Pod {
	pod := tolerating("a", 30)
	pod.Spec.NodeName, pod.UID = "n1", "uid-a"
	pod.Status.Phase = v1.PodRunning
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func TestObserver_PredictionOutcomes(t *testing.T) {
	byTaint := withCondition("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
	byDrain := withCondition("EvictionByEvictionAPI", "Eviction API: evicting")
	// begin makes the pod due at 12:00:40.
	begin := func(s *script) *script { return s.node().added(waiting()).at(10 * time.Second).node(tainted("repair")) }
	tests := []struct {
		name string
		play func(*script)
		now  time.Duration
		want string
	}{
		{"before the predicted time", func(s *script) { begin(s) }, 11 * time.Second, "a counting down; taint: predicted 12:00:40"},
		{
			"due, and not evicted yet", func(s *script) { begin(s).at(41 * time.Second).node(tainted("repair")) }, 43 * time.Second,
			"a terminating; taint: predicted 12:00:40, overdue by 3s",
		},
		{
			"no controller evicts it", func(s *script) { begin(s).at(75 * time.Second).node(tainted("repair")) }, 80 * time.Second,
			"a terminating; taint: predicted 12:00:40, overdue by 40s: is taint eviction running?",
		},
		{
			"evicted on time", func(s *script) { begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)) }, 41 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:40 (+200ms)",
		},
		{"evicted on time, though the pod takes long to stop", func(s *script) {
			begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)).at(65 * time.Second).deleted(waiting(byTaint, terminating))
		}, 70 * time.Second, "a evicted; taint: predicted 12:00:40, evicted 12:00:40 (+200ms)"},
		{
			"evicted late", func(s *script) { begin(s).at(52 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:52 (+12s)",
		},
		{
			"evicted early: the timer started before", func(s *script) { begin(s).at(20 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a terminating; taint: predicted 12:00:40, evicted 12:00:20 (-20s)",
		},
		{
			"the taint is removed", func(s *script) { begin(s).at(20 * time.Second).node() }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, cancelled before",
		},
		{
			"the taint is removed when the eviction is overdue", func(s *script) { begin(s).at(100 * time.Second).node() }, 110 * time.Second,
			"a cancelled; taint: predicted 12:00:40, not evicted within 1m0s: cancelled",
		},
		{"a drain evicts it first", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(byDrain, terminating)).at(30 * time.Second).deleted(waiting(byDrain, terminating))
		}, 60 * time.Second, "a cancelled; taint: predicted 12:00:40, superseded: evicted for another cause: eviction API"},
		{
			"deleted by another", func(s *script) { begin(s).at(20 * time.Second).deleted(waiting(terminating)) }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, superseded: deleted for another reason",
		},
		{
			"deleted by another when the eviction is overdue", func(s *script) { begin(s).at(90 * time.Second).deleted(waiting(terminating)) }, 100 * time.Second,
			"a cancelled; taint: predicted 12:00:40, not evicted within 50s: deleted for another reason",
		},
		{"the pod succeeds", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(func(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }))
		}, 60 * time.Second, "a cancelled; taint: predicted 12:00:40, superseded: the pod succeeded"},
		{
			"deleted unobserved, before the predicted time", func(s *script) { begin(s).at(20 * time.Second).listed() }, 60 * time.Second,
			"a cancelled; taint: predicted 12:00:40, superseded: deleted before",
		},
		{
			"deleted unobserved, about the predicted time", func(s *script) { begin(s).at(60 * time.Second).listed() }, 61 * time.Second,
			"a evicted; taint: predicted 12:00:40, deleted unobserved about then",
		},
		{"a second taint keeps the predicted time of an eviction that is due", func(s *script) {
			begin(s).at(50*time.Second).node(tainted("repair"), tainted("other"))
		}, 80 * time.Second, "a terminating; taint: predicted 12:00:40, overdue by 40s: is taint eviction running?"},
		{"a second taint at the predicted time keeps it", func(s *script) {
			begin(s).at(40*time.Second).node(tainted("repair"), v1.Taint{Key: "repair", Value: "again", Effect: v1.TaintEffectNoExecute}).changed(waiting(byTaint, terminating))
		}, 41 * time.Second, "a terminating; taint: predicted 12:00:40, evicted 12:00:41 (+1s)"},
		{"an untolerated taint makes it due at once", func(s *script) {
			begin(s).at(20*time.Second).node(tainted("repair"), tainted("other"))
		}, 21 * time.Second, "a terminating; taint: predicted 12:00:20, overdue by 1s"},
		{"an eviction that was cancelled and predicted again is two", func(s *script) {
			begin(s).at(20 * time.Second).node().at(30 * time.Second).node(tainted("repair"))
		}, 31 * time.Second, `
			a counting down; taint: predicted 12:01:00
			a cancelled; taint: predicted 12:00:40, cancelled before`},
		{"a pod with the condition gets no prediction", func(s *script) {
			s.node(tainted("repair")).added(waiting(byTaint, terminating))
		}, 10 * time.Second, ""},
		{
			"a budget allows it", func(s *script) { s.pdb(1).added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, as predicted",
		},
		{
			"a budget allows it, and its status changes first", func(s *script) { s.pdb(1).added(waiting()).pdb(0, "a").changed(waiting(byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, as predicted",
		},
		{
			"a budget allows it against the prediction", func(s *script) { s.pdb(0).added(waiting(ready)).changed(waiting(ready, byDrain)) }, 10 * time.Second,
			"a terminating; eviction API: allowed, predicted: refused",
		},
		{"no budget selects it", func(s *script) { s.added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second, ""},
		{"a budget refuses it", func(s *script) {
			s.pdb(0).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRefOf(waiting()), "you", "The disruption budget web needs 1 healthy pods and has 1 currently")
		}, 10 * time.Second, "a cancelled; eviction API: refused, as predicted"},
		{"a budget refuses it against the prediction", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRefOf(waiting()), "you", "no")
		}, 10 * time.Second, "a cancelled; eviction API: refused, predicted: allowed"},
		{"a refusal for another pod of that name is ignored", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.EvictionRefused(s.now, world.PodRef{Namespace: "default", Name: "a", UID: "other"}, "you", "no")
		}, 10 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.play(s)
			if diff := cmp.Diff(trim(tt.want), predictions(s.Record(), noon.Add(tt.now))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func ready(pod *v1.Pod) {
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue})
}

func TestObserver_DeviceTaintPrediction(t *testing.T) {
	s := newSimulation(t)
	s.create(node("n1"), slice(), claim("a"))
	s.create(claiming("a"))
	s.until(time.Second)
	s.reserve("a")
	s.do(10*time.Second, func(c *memory.Cluster) error {
		_, err := c.Create(deviceRule(20 * time.Second))
		return err
	})
	s.until(11 * time.Second)
	if diff := cmp.Diff("a counting down; device taint: predicted 12:00:20\n", predictions(s.observer.Record(), s.Now())); diff != "" {
		t.Error(diff)
	}
	s.until(time.Minute)
	if diff := cmp.Diff("a evicted; device taint: predicted 12:00:20, evicted 12:00:20 (+0s)\n", predictions(s.observer.Record(), s.Now())); diff != "" {
		t.Error(diff)
	}
}

// Where the controllers act and no event is lost, every prediction is on time, cancelled or superseded. Each prediction has
// one outcome when its eviction has ended, and the counts are those of the outcomes.
func TestObserver_OneOutcomePerPrediction(t *testing.T) {
	seen := evict.OutcomeCounts{}
	rapid.Check(t, func(rt *rapid.T) {
		calm := rapid.Bool().Draw(rt, "calm")
		s := newSimulation(t, func(o *memory.Options) {
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
		actions := allActions
		if calm {
			actions = calmActions // on a lost node a pod may terminate for so long that it is evicted twice
		}
		for i := range rapid.IntRange(5, 25).Draw(rt, "actions") {
			scheduleAction(rt, s, actions, time.Duration(i)*10*time.Millisecond) // at one time, two actions have no order
		}
		for at := 10 * time.Second; at <= 6*time.Minute; at += 10 * time.Second {
			s.until(at)
			checkOutcomes(rt, s.observer.Record())
		}
		all := s.observer.Record().Outcomes()
		if calm && all.Count(evict.Late)+all.Count(evict.Early)+all.Count(evict.Missed)+all.Count(evict.Unobserved)+all.Count(evict.Mispredicted) > 0 {
			rt.Errorf("without lost events:\n%s", predictions(s.observer.Record(), s.Now()))
		}
		for o, n := range all {
			seen[o] += n
		}
	})
	if seen.Count(evict.OnTime) == 0 {
		t.Error("no prediction was on time: this test covers too little")
	}
}

func checkOutcomes(rt *rapid.T, b *evict.Record) {
	var count evict.OutcomeCounts
	for i, d := range append(b.Open(), b.Ended()...) {
		f := d.Prediction
		if f.Outcome != evict.Pending {
			count[f.Outcome]++
		}
		ended := i >= len(b.Open())
		switch {
		case ended && !f.PredictedAt.IsZero() && f.Outcome == evict.Pending:
			rt.Errorf("%+v has ended, and its prediction has no outcome", d)
		case f.Outcome != evict.Pending && f.PredictedAt.IsZero() && f.PredictedAnswer == evict.NoAnswer:
			rt.Errorf("%+v has an outcome, and nothing was predicted", d)
		case (f.Outcome == evict.OnTime || f.Outcome == evict.Late || f.Outcome == evict.Early) && f.ObservedAt.IsZero():
			rt.Errorf("%+v has no time of its eviction", d)
		}
	}
	if got := b.Outcomes(); got != count {
		rt.Errorf("the record counts %v, and its evictions have %v", got, count)
	}
}

func TestObserver_ForkCountsApart(t *testing.T) {
	s := newScript()
	s.node().added(waiting()).at(10 * time.Second).node(tainted("repair"))
	fork := s.Fork()
	s.at(20 * time.Second).node()
	if original, forked := s.Record().Outcomes(), fork.Record().Outcomes(); original.Count(evict.OutcomeCancelled) != 1 || forked.Any() {
		t.Errorf("outcomes %v, and of the fork %v", original, forked)
	}
}
