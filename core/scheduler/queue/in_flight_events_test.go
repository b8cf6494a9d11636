package queue

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/testing/mk"
)

// The list of in-flight events stays bounded while attempts overlap without an end.
func TestInFlightEvents_ReleaseSeenEvents(t *testing.T) {
	q := New(Options{})
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var last *Pod
	for i := range 10_000 {
		q.Add(mk.Pod(fmt.Sprint("p", i)).Obj(), now)
		p, _ := q.Pop(now)
		q.Move(EventForceActivate, nil, nil, now, nil)
		if last != nil {
			q.Done(last.Pod().UID)
		}
		last = p
	}
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	if n := len(q.inFlightEvents.list); n > 10 {
		t.Errorf("one pod is in flight, and %d entries are kept", n)
	}
}
