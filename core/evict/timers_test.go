package evict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/evict"
)

// plainTimers is a model of Timers: a list in the order in which the timers were set.
type plainTimers []plainTimer

type plainTimer struct {
	key string
	at  time.Time
}

func (p *plainTimers) stop(key string) bool {
	before := len(*p)
	*p = slices.DeleteFunc(*p, func(t plainTimer) bool { return t.key == key })
	return len(*p) < before
}

func (p *plainTimers) pop(now time.Time) (string, bool) {
	if len(*p) == 0 {
		return "", false
	}
	first := slices.MinFunc(*p, func(a, b plainTimer) int { return a.at.Compare(b.at) }) // the first of equal times
	if first.at.After(now) {
		return "", false
	}
	p.stop(first.key)
	return first.key, true
}

func TestTimers_Order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timers, plain := evict.NewTimers[string](), plainTimers{}
		drawTime := func() time.Time { return noon.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "at")) * time.Second) }
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				at := drawTime()
				timers.Set(key, at)
				plain.stop(key)
				plain = append(plain, plainTimer{key, at})
			case 2:
				at := drawTime()
				had, runs := timers.At(key)
				if timers.SetNoLater(key, at); !runs || at.Before(had) {
					plain.stop(key)
					plain = append(plain, plainTimer{key, at})
				}
			case 3:
				if got, want := timers.Stop(key), plain.stop(key); got != want {
					t.Fatalf("Stop(%s) returned %v, want %v", key, got, want)
				}
			case 4:
				now := drawTime()
				got, _, _ := timers.Pop(now)
				if want, _ := plain.pop(now); got != want {
					t.Fatalf("at %v, %q fires, want %q", now, got, want)
				}
			}
			if timers.Len() != len(plain) {
				t.Fatalf("%d timers run, want %d", timers.Len(), len(plain))
			}
		}
		clone := timers.Clone()
		timers.Set("new", noon)
		if _, runs := clone.At("new"); runs {
			t.Fatal("a timer set after Clone runs in the clone")
		}
	})
}

func TestDurationHistogram_Buckets(t *testing.T) {
	var d evict.DurationHistogram
	for _, took := range []time.Duration{0, 5 * time.Millisecond, 6 * time.Millisecond, time.Second, 240 * time.Second, time.Hour} {
		d.Observe(took)
	}
	want := evict.DurationHistogram{Count: 6, Sum: time.Hour + 241*time.Second + 11*time.Millisecond}
	want.Buckets = [13]uint64{0: 2, 1: 1, 4: 1, 11: 1, 12: 1}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("histogram (-want +got):\n%s", diff)
	}
}
