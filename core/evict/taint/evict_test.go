package taint_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/taint"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestController_ConditionDeleteAndEvent(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	got := s.play(`
		0 pod a n1 bad/60
		0 pod b n1 bad/60
		0 node n1 bad
		30 pod b n1 bad
		99 wait`)
	want := `30s Cancelling deletion of Pod default/b
60s Marking for deletion Pod default/a
60s a DisruptionTarget
60s a deleted
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if counters := s.c.Counters(); counters.Evicted != 1 || counters.Cancelled != 1 || counters.Failed != 0 {
		t.Errorf("counters %+v, want 1 evicted and 1 cancelled", counters)
	}
}

func TestController_Condition(t *testing.T) {
	c := taint.New(taint.Options{Act: true, FirstEffect: 70})
	c.Apply(world.Input{At: noon, Event: world.Changed{Object: mk.Node("n1").Taint("bad", "", v1.TaintEffectNoExecute).Obj()}})
	pod := mk.Pod("a").Node("n1").Obj()
	pod.Generation = 4
	c.Apply(world.Input{At: noon, Event: world.Changed{Object: pod}})
	want := []world.Effect{
		{ID: 70, At: noon, Action: world.EmitEvent{
			Regarding: world.PodRefOf(pod), Type: "Normal", Reason: "TaintManagerEviction",
			Note: "Marking for deletion Pod default/a", Controller: "taint-eviction-controller",
		}},
		{ID: 71, At: noon, Action: world.PatchStatus{Pod: world.PodRefOf(pod), Condition: &v1.PodCondition{
			Type: "DisruptionTarget", Status: "True", Reason: "DeletionByTaintManager",
			Message: "Taint manager: deleting due to NoExecute taint", ObservedGeneration: 4,
		}}},
	}
	if diff := cmp.Diff(want, c.Effects()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

func TestController_RetryDelays(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	calls := 0
	s.outcome = func(e world.Effect) world.Outcome {
		if _, isEvent := e.Action.(world.EmitEvent); isEvent {
			return world.Outcome{}
		}
		if calls++; calls > 11 {
			return world.Outcome{}
		}
		return outage(metav1.StatusReasonServiceUnavailable)
	}
	got := s.play(`
		0 pod a n1
		0 node n1 bad
		99 wait`)
	want := `0s Marking for deletion Pod default/a
0s a DisruptionTarget fails
0.01s a DisruptionTarget fails
0.02s a DisruptionTarget fails
0.03s a DisruptionTarget fails
0.04s a DisruptionTarget fails
1.04s a DisruptionTarget fails
1.05s a DisruptionTarget fails
1.06s a DisruptionTarget fails
1.07s a DisruptionTarget fails
1.08s a DisruptionTarget fails
3.08s a DisruptionTarget fails
3.09s a DisruptionTarget
3.09s a deleted
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	counters := s.c.Counters()
	if counters.Failed != 11 || counters.Evicted != 1 || counters.Latency.Sum != 3090*time.Millisecond {
		t.Errorf("counters %+v, want 11 failures and a deletion after 3.09 s", counters)
	}
}

func TestController_ConditionOnce(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	failures := 1
	s.outcome = func(e world.Effect) world.Outcome {
		if _, deletes := e.Action.(world.Delete); deletes && failures > 0 {
			failures--
			return outage(metav1.StatusReasonTimeout)
		}
		return world.Outcome{}
	}
	got := s.play("0 pod a n1\n 0 node n1 bad\n 9 wait")
	want := `0s Marking for deletion Pod default/a
0s a DisruptionTarget
0s a deleted fails
0.01s a deleted
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestController_NoRetryForMissingPod(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	s.outcome = func(world.Effect) world.Outcome { return outage(metav1.StatusReasonNotFound) }
	s.play("0 pod a n1\n 0 node n1 bad\n 9 wait")
	if counters := s.c.Counters(); counters.Failed != 0 || counters.Evicted != 0 {
		t.Errorf("counters %+v, want none failed and none evicted", counters)
	}
	if at, waits := s.c.NextWake(); waits {
		t.Errorf("a timer runs until %v", at)
	}
}

func TestController_CancelBetweenAttempts(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	s.outcome = func(world.Effect) world.Outcome { return outage(metav1.StatusReasonServiceUnavailable) }
	s.play("0 pod a n1\n 0 node n1 bad\n 0.5 node n1\n")
	s.outcome = func(world.Effect) world.Outcome { return world.Outcome{} }
	s.play("99 wait")
	if s.pods["a"] == nil {
		t.Error("the pod was deleted although the taint was removed")
	}
}

func TestController_RecordsEviction(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, taint.Options{Act: true, Record: b})
	s.play(`
		0 pod a n1 bad/60
		0 pod b n1 bad/90
		0 pod c n1 bad
		0 pod d n1
		5 node n1 bad=1`)
	want := `a on n1: counting down, 65s, bad=1, tolerated for 1m0s
b on n1: counting down, 95s, bad=1, tolerated for 1m30s
d on n1: evicted, 5s, bad=1:NoExecute is not tolerated
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("after the taint (-want +got):\n%s", diff)
	}
	s.play("70 wait\n 80 node n1")
	want = `d on n1: evicted, 5s, bad=1:NoExecute is not tolerated
a on n1: evicted, 65s, bad=1, tolerated for 1m0s
b on n1: cancelled, 95s, the taints were removed
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

func TestController_PredictsOnly(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, taint.Options{Record: b})
	done := s.play(`
		0 pod a n1 bad/60
		0 pod b n1 bad/60
		0 node n1 bad
		61 wait`)
	if done != "" {
		t.Errorf("effects of a controller that only predicts: %s", done)
	}
	want := `a on n1: terminating, 60s, bad, tolerated for 1m0s
b on n1: terminating, 60s, bad, tolerated for 1m0s
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("after the deadline (-want +got):\n%s", diff)
	}
	for _, d := range b.Open() {
		if !d.Predicted {
			t.Errorf("the eviction of %s is not marked as predicted", d.Pod)
		}
	}
	terminating := s.pods["a"].DeepCopy()
	terminating.DeletionTimestamp = &metav1.Time{Time: noon.Add(91 * time.Second)}
	terminating.ResourceVersion = s.next()
	s.apply(s.now, world.Changed{Op: world.Modified, Object: terminating})
	s.play("70 node n1\n 91 delete pod a")
	want = `b on n1: cancelled, 60s, the taints were removed
a on n1: evicted, 91s, bad, tolerated for 1m0s
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("after another controller deleted one of them (-want +got):\n%s", diff)
	}
}

func TestController_PodDeletedForOtherReason(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, taint.Options{Act: true, Record: b})
	s.play("0 pod a n1 bad/60\n 0 node n1 bad\n 10 delete pod a")
	want := "a on n1: cancelled, 60s, deleted for another reason\n"
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestController_IgnoresTerminalPod(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	s.play("0 pod a n1 bad/60\n 0 node n1 bad")
	finished := s.pods["a"].DeepCopy()
	finished.Status.Phase, finished.ResourceVersion = v1.PodSucceeded, s.next()
	s.apply(s.now, world.Changed{Op: world.Modified, Object: finished})
	if _, runs := s.c.NextWake(); runs {
		t.Error("a timer runs for a pod that has succeeded")
	}
}

func TestController_PodDeletedBetweenAttempts(t *testing.T) {
	s := newFixture(t, taint.Options{Act: true})
	s.outcome = func(world.Effect) world.Outcome { return outage(metav1.StatusReasonServiceUnavailable) }
	s.play("0 pod a n1\n 0 node n1 bad\n 0.5 delete pod a\n 99 wait")
	if counters := s.c.Counters(); counters.Failed != 5 || counters.Evicted != 0 {
		t.Errorf("counters %+v, want the five attempts before its deletion", counters)
	}
}
