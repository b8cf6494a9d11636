package evict_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ref(name string) world.PodRef {
	return world.PodRef{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}
}

func TestRecord_OpenByDeadline(t *testing.T) {
	b := evict.NewRecord()
	for _, name := range []string{"late", "soon", "open"} {
		d := evict.Eviction{Pod: ref(name), Cause: evict.Taint, Phase: evict.CountingDown}
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
			t.Errorf("open eviction %d is of %s, want %s", i, d.Pod.Name, want[i])
		}
	}
}

func TestRecord_FirstSeenAndEnd(t *testing.T) {
	b := evict.NewRecord()
	d := evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.CountingDown, FirstSeen: noon, Deadline: noon.Add(time.Minute)}
	b.Write(d)
	d.Phase, d.FirstSeen = evict.Terminating, noon.Add(time.Minute)
	b.Write(d)
	if got, ok := b.Find(d.Pod.UID, evict.Taint); !ok || !got.FirstSeen.Equal(noon) || got.Phase != evict.Terminating {
		t.Errorf("the record has %+v, want Terminating, first seen at noon", got)
	}
	fork := b.Fork()
	d.Phase, d.Ended = evict.Evicted, noon.Add(2*time.Minute)
	b.Write(d)
	if len(b.Open()) != 0 || len(b.Ended()) != 1 {
		t.Errorf("%d open and %d ended, want 0 and 1", len(b.Open()), len(b.Ended()))
	}
	if len(fork.Open()) != 1 {
		t.Error("a change of the original after the fork changed the fork")
	}
}

func TestRecord_TwoCauses(t *testing.T) {
	b := evict.NewRecord()
	b.Write(evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.CountingDown})
	b.Write(evict.Eviction{Pod: ref("a"), Cause: evict.NodePressure, Phase: evict.AtRisk})
	if n := len(b.Open()); n != 2 {
		t.Errorf("%d evictions, want 2", n)
	}
}
