package clerk_test

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

// checks is a line for each departure of which something was foretold.
func checks(b *evict.Board, now time.Time) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		if check := d.Check(now); check != "" {
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

func TestWhatWasForetoldIsHeldAgainstWhatHappened(t *testing.T) {
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
		{"before its time", func(s *script) { begin(s) }, 11 * time.Second, "a counting; taint: foretold 12:00:40"},
		{
			"due, and nothing is seen yet", func(s *script) { begin(s).at(41 * time.Second).node(tainted("repair")) }, 43 * time.Second,
			"a leaving; taint: foretold 12:00:40, still here after 3s",
		},
		{
			"nobody acts", func(s *script) { begin(s).at(75 * time.Second).node(tainted("repair")) }, 80 * time.Second,
			"a leaving; taint: foretold 12:00:40, still here after 40s: is taint eviction running?",
		},
		{
			"kept", func(s *script) { begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)) }, 41 * time.Second,
			"a leaving; taint: foretold 12:00:40, asked to leave 12:00:40 (+200ms)",
		},
		{"kept, however long the pod takes to go", func(s *script) {
			begin(s).at(40200 * time.Millisecond).changed(waiting(byTaint)).at(65 * time.Second).gone(waiting(byTaint, deleted))
		}, 70 * time.Second, "a left; taint: foretold 12:00:40, asked to leave 12:00:40 (+200ms)"},
		{
			"late", func(s *script) { begin(s).at(52 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a leaving; taint: foretold 12:00:40, asked to leave 12:00:52 (+12s)",
		},
		{
			"sooner: the timer had begun before", func(s *script) { begin(s).at(20 * time.Second).changed(waiting(byTaint)) }, 60 * time.Second,
			"a leaving; taint: foretold 12:00:40, asked to leave 12:00:20 (-20s)",
		},
		{
			"the taint goes", func(s *script) { begin(s).at(20 * time.Second).node() }, 60 * time.Second,
			"a cancelled; taint: foretold 12:00:40, called off before",
		},
		{
			"the taint goes when nobody has acted", func(s *script) { begin(s).at(100 * time.Second).node() }, 110 * time.Second,
			"a cancelled; taint: foretold 12:00:40, not asked in 1m0s, then it was let stay",
		},
		{"a drain is first", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(byDrain, deleted)).at(30 * time.Second).gone(waiting(byDrain, deleted))
		}, 60 * time.Second, "a cancelled; taint: foretold 12:00:40, but it left for another cause: eviction API first"},
		{
			"somebody deletes it", func(s *script) { begin(s).at(20 * time.Second).gone(waiting(deleted)) }, 60 * time.Second,
			"a cancelled; taint: foretold 12:00:40, but somebody deleted it first",
		},
		{
			"somebody deletes it in the end, as nobody acted", func(s *script) { begin(s).at(90 * time.Second).gone(waiting(deleted)) }, 100 * time.Second,
			"a cancelled; taint: foretold 12:00:40, not asked in 50s, then somebody deleted it",
		},
		{"it ends by itself", func(s *script) {
			begin(s).at(20 * time.Second).changed(waiting(func(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }))
		}, 60 * time.Second, "a cancelled; taint: foretold 12:00:40, but it ran to its end first"},
		{
			"it goes while nobody looks, before its time", func(s *script) { begin(s).at(20 * time.Second).listed() }, 60 * time.Second,
			"a cancelled; taint: foretold 12:00:40, but it was gone before",
		},
		{
			"it goes while nobody looks, about then", func(s *script) { begin(s).at(60 * time.Second).listed() }, 61 * time.Second,
			"a left; taint: foretold 12:00:40, gone about then; nobody saw for what",
		},
		{"a second taint does not make due anew what is due", func(s *script) {
			begin(s).at(50*time.Second).node(tainted("repair"), tainted("other"))
		}, 80 * time.Second, "a leaving; taint: foretold 12:00:40, still here after 40s: is taint eviction running?"},
		{"a second taint in the moment in which it is due does not either", func(s *script) {
			begin(s).at(40*time.Second).node(tainted("repair"), v1.Taint{Key: "repair", Value: "again", Effect: v1.TaintEffectNoExecute}).changed(waiting(byTaint, deleted))
		}, 41 * time.Second, "a leaving; taint: foretold 12:00:40, asked to leave 12:00:41 (+1s)"},
		{"a taint it does not tolerate at all makes it due at once", func(s *script) {
			begin(s).at(20*time.Second).node(tainted("repair"), tainted("other"))
		}, 21 * time.Second, "a leaving; taint: foretold 12:00:20, still here after 1s"},
		{"called off and begun anew are two", func(s *script) {
			begin(s).at(20 * time.Second).node().at(30 * time.Second).node(tainted("repair"))
		}, 31 * time.Second, `
			a counting; taint: foretold 12:01:00
			a cancelled; taint: foretold 12:00:40, called off before`},
		{"a pod that was marked before is foretold nothing", func(s *script) {
			s.node(tainted("repair")).added(waiting(byTaint, deleted))
		}, 10 * time.Second, ""},
		{
			"a budget lets it go", func(s *script) { s.pdb(1).added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second,
			"a leaving; eviction API: allowed, as foretold",
		},
		{
			"a budget lets it go, and says so first", func(s *script) { s.pdb(1).added(waiting()).pdb(0, "a").changed(waiting(byDrain)) }, 10 * time.Second,
			"a leaving; eviction API: allowed, as foretold",
		},
		{
			"a budget should not have let it go", func(s *script) { s.pdb(0).added(waiting(ready)).changed(waiting(ready, byDrain)) }, 10 * time.Second,
			"a leaving; eviction API: allowed, though it was foretold to be refused",
		},
		{"no budget has a say", func(s *script) { s.added(waiting()).changed(waiting(byDrain)) }, 10 * time.Second, ""},
		{"a budget holds it", func(s *script) {
			s.pdb(0).added(waiting(ready))
			s.Refused(s.now, world.RefOf(waiting()), "you", "The disruption budget web needs 1 healthy pods and has 1 currently")
		}, 10 * time.Second, "a cancelled; eviction API: refused, as foretold"},
		{"a budget holds it though it should not", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.Refused(s.now, world.RefOf(waiting()), "you", "no")
		}, 10 * time.Second, "a cancelled; eviction API: refused, though it was foretold to be allowed"},
		{"a refusal about another pod of that name is nobody's", func(s *script) {
			s.pdb(1).added(waiting(ready))
			s.Refused(s.now, world.Ref{Namespace: "default", Name: "a", UID: "other"}, "you", "no")
		}, 10 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.play(s)
			if diff := cmp.Diff(trim(tt.want), checks(s.Board(), noon.Add(tt.now))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func ready(pod *v1.Pod) {
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue})
}

func TestDeviceTaintsAreForetoldAndChecked(t *testing.T) {
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
	if diff := cmp.Diff("a counting; device taint: foretold 12:00:20\n", checks(s.clerk.Board(), s.Now())); diff != "" {
		t.Error(diff)
	}
	s.until(time.Minute)
	if diff := cmp.Diff("a left; device taint: foretold 12:00:20, asked to leave 12:00:20 (+0s)\n", checks(s.clerk.Board(), s.Now())); diff != "" {
		t.Error(diff)
	}
}

// Where the controllers act and nothing is lost on the way, all that is foretold comes to pass, is called off or overtaken.
// Each prediction has one outcome when its departure is over, and the sums are those of the outcomes.
func TestEveryPredictionEndsInOneOutcome(t *testing.T) {
	seen := evict.Outcomes{}
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
			oneOutcomeEach(rt, s.clerk.Board())
		}
		all := s.clerk.Board().Outcomes()
		if calm && all.Of(evict.Late)+all.Of(evict.Early)+all.Of(evict.Missed)+all.Of(evict.Unseen)+all.Of(evict.Contradicted) > 0 {
			rt.Errorf("nothing was lost, and yet:\n%s", checks(s.clerk.Board(), s.Now()))
		}
		for o, n := range all {
			seen[o] += n
		}
	})
	if seen.Of(evict.Kept) == 0 {
		t.Error("nothing that was foretold ever came to pass: this test looks at too little")
	}
}

func oneOutcomeEach(rt *rapid.T, b *evict.Board) {
	var count evict.Outcomes
	for i, d := range append(b.Open(), b.Ended()...) {
		f := d.Foretold
		if f.Outcome != evict.Pending {
			count[f.Outcome]++
		}
		over := i >= len(b.Open())
		switch {
		case over && !f.Due.IsZero() && f.Outcome == evict.Pending:
			rt.Errorf("%+v is over, and nobody says what came of what was foretold", d)
		case f.Outcome != evict.Pending && f.Due.IsZero() && f.Judged == evict.Unjudged:
			rt.Errorf("%+v has an outcome, and nothing was foretold", d)
		case (f.Outcome == evict.Kept || f.Outcome == evict.Late || f.Outcome == evict.Early) && f.Asked.IsZero():
			rt.Errorf("%+v was never asked to leave", d)
		}
	}
	if got := b.Outcomes(); got != count {
		rt.Errorf("the board counts %v, and its departures are %v", got, count)
	}
}

func TestAForkCountsForItself(t *testing.T) {
	s := newScript()
	s.node().added(waiting()).at(10 * time.Second).node(tainted("repair"))
	fork := s.Fork()
	s.at(20 * time.Second).node()
	if mine, forks := s.Board().Outcomes(), fork.Board().Outcomes(); mine.Of(evict.CalledOff) != 1 || forks.Any() {
		t.Errorf("%v, and of the fork %v", mine, forks)
	}
}
