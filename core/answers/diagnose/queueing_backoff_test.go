package diagnose_test

import (
	"testing"
	"time"

	"orrery/core/answers/diagnose"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// An event while the pod's back-off runs moves it to backoffQ, and the end of the back-off to activeQ.
func TestQueueingOf_BackoffEndsTheWait(t *testing.T) {
	pod := mk.Pod("web").CPU("9").Obj()
	e := engineWith(t, node("small", "4").Obj(), pod)
	if err := e.Apply(world.Input{At: start.Add(100 * time.Millisecond), Event: world.Changed{Op: world.Added, Object: node("large", "16").Obj()}}); err != nil {
		t.Fatal(err)
	}
	q := diagnose.QueueingOf(e, pod)
	if q == nil || q.State != "backoff" || q.Attempts != 1 || len(q.RequeuesOn) > 0 {
		t.Fatalf("it is %+v, want one attempt and the back-off", q)
	}
	if q.RetryBy.Before(start.Add(time.Second)) || q.RetryBy.After(start.Add(2*time.Second)) {
		t.Errorf("it is tried again at %s, want the end of a back-off of one second", q.RetryBy)
	}
	if err := e.Apply(world.Input{At: q.RetryBy, Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
	if q := diagnose.QueueingOf(e, pod); q == nil || q.State != "active" || len(q.Facts()) > 0 {
		t.Errorf("then it is %+v, want it in activeQ with nothing to wait for", q)
	}
}
