package live

import (
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"orrery/core/world"
)

func TestClock_IgnoresWallClockChanges(t *testing.T) {
	wall := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	elapsed := time.Duration(0)
	c, err := New(Options{Client: fake.NewClientset(), Kinds: []world.Kind{world.Node}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	c.clock = clock{base: wall, wall: func() time.Time { return wall }, elapsed: func() time.Duration { return elapsed }}
	last := time.Time{}
	for _, step := range []struct{ really, wall time.Duration }{
		{time.Minute, time.Minute},
		{time.Minute, -time.Hour}, // set back
		{time.Second, time.Second},
		{time.Minute, 48 * time.Hour}, // set forward
		{time.Minute, time.Minute},
	} {
		elapsed += step.really
		wall = wall.Add(step.wall)
		c.inbox <- world.Tick{}
		in, ok := c.Poll()
		if !ok || in.At.Before(last) {
			t.Fatalf("after %v: an input at %s, the last one was at %s", step, in.At, last)
		}
		if passed := in.At.Sub(last); !last.IsZero() && passed != step.really {
			t.Errorf("the wall clock went by %s: %s passed, want %s", step.wall, passed, step.really)
		}
		last = in.At
	}
	if got := c.Counters().ClockJumps; got != 2 {
		t.Errorf("%d jumps were noticed, want 2", got)
	}
}
