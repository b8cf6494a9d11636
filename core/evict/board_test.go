package evict_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ref(name string) world.Ref {
	return world.Ref{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}
}

func TestTheBoardShowsWhatComesNextFirst(t *testing.T) {
	b := evict.NewBoard()
	for _, name := range []string{"late", "soon", "open"} {
		d := evict.Departure{Pod: ref(name), Cause: evict.Taint, Phase: evict.Counting}
		switch name {
		case "late":
			d.Deadline = noon.Add(time.Hour)
		case "soon":
			d.Deadline = noon.Add(time.Minute)
		}
		b.Write(d)
	}
	want := []string{"soon", "late", "open"}
	for i, d := range b.Open() {
		if d.Pod.Name != want[i] {
			t.Errorf("place %d is %s, want %s", i, d.Pod.Name, want[i])
		}
	}
}

func TestADepartureKeepsWhenItWasNoticedAndClosesOnce(t *testing.T) {
	b := evict.NewBoard()
	d := evict.Departure{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Counting, Noticed: noon, Deadline: noon.Add(time.Minute)}
	b.Write(d)
	d.Phase, d.Noticed = evict.Leaving, noon.Add(time.Minute)
	b.Write(d)
	if got, ok := b.Find(d.Pod.UID, evict.Taint); !ok || !got.Noticed.Equal(noon) || got.Phase != evict.Leaving {
		t.Errorf("the board says %+v, want leaving and noticed at noon", got)
	}
	fork := b.Fork()
	d.Phase, d.Ended = evict.Left, noon.Add(2*time.Minute)
	b.Write(d)
	if len(b.Open()) != 0 || len(b.Ended()) != 1 {
		t.Errorf("%d open and %d ended, want 0 and 1", len(b.Open()), len(b.Ended()))
	}
	if len(fork.Open()) != 1 {
		t.Error("the fork heard of what happened after it")
	}
}

func TestOnePodMayLeaveForTwoCauses(t *testing.T) {
	b := evict.NewBoard()
	b.Write(evict.Departure{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Counting})
	b.Write(evict.Departure{Pod: ref("a"), Cause: evict.NodePressure, Phase: evict.Forecast})
	if n := len(b.Open()); n != 2 {
		t.Errorf("%d departures, want 2", n)
	}
}
