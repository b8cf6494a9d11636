package demo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/scheduler/gangs"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

// gangDeadlock is the recording of that name.
type gangDeadlock struct {
	*testing.T
	player *play.Player
	began  time.Time
}

func openGangDeadlock(t *testing.T) *gangDeadlock {
	t.Helper()
	p, err := play.NewPlayer(bytes.NewReader(bytesOf(t, "gang-deadlock")), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &gangDeadlock{t, p, p.Engine().Now()}
}

// gang diagnoses a gang at a time.
func (d *gangDeadlock) gang(at time.Duration, workload string) *diagnose.Gang {
	d.Helper()
	if err := d.player.Seek(d.began.Add(at)); err != nil {
		d.Fatal(err)
	}
	g, err := diagnose.GangOf(d.player.Engine(), gangs.Key{Namespace: "default", Workload: workload, Group: "pods"})
	if err != nil || g == nil {
		d.Fatalf("at %v gang %s is %v, %v", at, workload, g, err)
	}
	return g
}

// deadlocks are the two in the recording, each with the moments at which it holds.
var deadlocks = map[[2]string][]time.Duration{
	{"vision", "speech"}: {13 * time.Second, 5*time.Minute + 7*time.Second},
	{"maps", "music"}:    {6*time.Minute + 8*time.Second, 6*time.Minute + 19*time.Second},
}

// Two gangs of twelve have eight places each of sixteen, and each fits without those of the other. To delete the other one lets it
// go, and so do more nodes. Shows GANG-01 and GANG-06.
func TestGangDeadlock_HoldEachOthersRoom(t *testing.T) {
	d := openGangDeadlock(t)
	for pair, moments := range deadlocks {
		for _, at := range moments {
			for i, workload := range pair {
				g, other := d.gang(at, workload), "default/"+pair[1-i]+"/pods"
				if g.State != gangs.Waiting || g.Placed != 8 || g.MinCount != 12 || g.Trial.Needed != 4 || g.Trial.Placed != 0 {
					t.Errorf("at %v %s is %s with %d of %d places: %+v", at, workload, g.State, g.Placed, g.MinCount, g.Trial)
				}
				if len(g.Rivals) != 1 || !g.Rivals[0].Deadlock() || g.Rivals[0].Name != other || g.Rivals[0].Holding != 8 {
					t.Errorf("at %v the rivals of %s are %+v, want a deadlock with %s", at, workload, g.Rivals, other)
				}
				var remedies []string
				for _, r := range fix.OfGang(d.player.Engine(), g) {
					remedies = append(remedies, change.Words(r.Changes))
				}
				nodes := func(words string) bool { return strings.HasPrefix(words, "add ") }
				if !slices.Contains(remedies, "delete gang "+other) || !slices.ContainsFunc(remedies, nodes) {
					t.Errorf("at %v what lets %s go is %q", at, workload, remedies)
				}
			}
		}
	}
}

// All of a gang wait until the deadline of the first of them. It gives back its places then, and the other one goes. Shows GANG-09
// and QUEUE-31.
func TestGangDeadlock_Deadline(t *testing.T) {
	w, d := observe(t, "gang-deadlock"), openGangDeadlock(t)
	first := w.decisions[slices.IndexFunc(w.decisions, isOf("vision"))]
	deadline := d.gang(20*time.Second, "vision").Deadline
	if !deadline.Equal(first.At.Add(gangs.Timeout)) {
		t.Errorf("the deadline is %v, and the first was placed at %v", deadline, first.At)
	}
	after := deadline.Sub(d.began) + time.Second
	if g := d.gang(after, "vision"); !g.Held() || g.Placed != 4 || !g.Deadline.After(deadline.Add(gangs.Timeout-time.Second)) {
		t.Errorf("a second later vision is %s with %d places until %v", g.State, g.Placed, g.Deadline)
	}
	if g := d.gang(after, "speech"); g.Held() || g.Placed != 12 {
		t.Errorf("a second later speech is %s with %d places", g.State, g.Placed)
	}
}

// With more nodes both go within a few seconds, and every run has its turn in the end. Shows GANG-08.
func TestGangDeadlock_NodesLetBothGo(t *testing.T) {
	w, d := observe(t, "gang-deadlock"), openGangDeadlock(t)
	added := w.eventsOf(t, trace.Note, "with four nodes more both go")
	for _, workload := range []string{"maps", "music"} {
		if g := d.gang(added+5*time.Second, workload); g.Held() || g.Placed != 12 {
			t.Errorf("five seconds later %s is %s with %d places", workload, g.State, g.Placed)
		}
	}
	if g := d.gang(w.eventsOf(t, trace.Note, "vision goes")+time.Second, "vision"); g.Held() {
		t.Errorf("when speech is over vision is %s with %d places", g.State, g.Placed)
	}
	if waits := w.pendingReasons(); len(waits) > 0 {
		t.Errorf("pending at the end: %v", waits)
	}
}
