package drive

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// At each reading of a second the share is halved if memory is short and a collection has shown what that freed, and doubled once
// memory has been enough for a minute.
func TestMemoryWatch_FollowsReadings(t *testing.T) {
	const limit = 1000
	for name, row := range map[string]struct {
		used        func(second int) int64
		limit       int64
		collections func(second int) uint64
		want        map[int]int // halvings at some seconds
	}{
		"no limit": {func(int) int64 { return 1 << 40 }, math.MaxInt64, each, map[int]int{1: 0, 300: 0}},
		"enough":   {func(int) int64 { return 700 }, limit, each, map[int]int{1: 0, 300: 0}},
		"short":    {func(int) int64 { return 800 }, limit, each, map[int]int{0: 1, 1: 2, 5: 6, 300: 6}},
		"short, and collected every ten seconds": {
			func(int) int64 { return 800 }, limit, func(s int) uint64 { return uint64(1 + s/10) }, map[int]int{0: 1, 9: 1, 10: 2, 19: 2, 20: 3},
		},
		"short for a second": {func(s int) int64 { return []int64{900, 600}[min(s, 1)] }, limit, each, map[int]int{0: 1, 300: 1}},
		"short, then enough": {func(s int) int64 { return []int64{900, 900, 400}[min(s, 2)] }, limit, each, map[int]int{1: 2, 61: 2, 62: 1, 121: 1, 122: 0, 300: 0}},
		"enough, but not for a minute": {func(s int) int64 { return []int64{900, 400, 400, 400, 700}[s%5] }, limit, func(int) uint64 {
			return 0
		}, map[int]int{5: 1, 300: 1}},
		"no limit any more": {func(int) int64 { return 900 }, 0, each, map[int]int{0: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			second, began := 0, time.Unix(1000, 0)
			w := memoryWatch{read: func() Memory { return Memory{row.used(second), row.limit, 1 + row.collections(second)} }}
			for ; second <= 300; second++ {
				before := w.halvings
				for _, part := range []time.Duration{0, time.Millisecond, 999 * time.Millisecond} {
					_, changed := w.check(began.Add(time.Duration(second)*time.Second + part))
					if changed != (w.halvings != before) {
						t.Errorf("at %d s: %d halvings after %d, and changed %v", second, w.halvings, before, changed)
					}
					before = w.halvings
				}
				if want, ok := row.want[second]; ok && w.halvings != want {
					t.Errorf("at %d s: %d halvings, want %d", second, w.halvings, want)
				}
			}
		})
	}
}

func each(second int) uint64 { return uint64(second) }

// optional is an observer that counts halvings.
type optional struct {
	OnInput
	halvings []int
}

func (o *optional) Shrink(halvings int) { o.halvings = append(o.halvings, halvings) }

// around is an engine with something of its own.
type around struct {
	*engine.Engine
	optional
}

func (a *around) Shrink(halvings int) { a.optional.Shrink(halvings) }

func TestRealTime_ShrinksWhatIsOptional(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := engine.New(engine.Options{Start: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		short := func() Memory { // for five seconds
			m := Memory{Used: 10, Limit: 100, Collections: 1 + uint64(time.Since(began)/(2*time.Second))}
			if time.Since(began) < 5*time.Second {
				m.Used = 90
			}
			return m
		}
		w := &stillCluster{events: make(chan world.Event), synced: make(chan struct{})}
		close(w.synced)
		own, other := &optional{OnInput: func(world.Input, error) {}}, OnInput(func(world.Input, error) {})
		r := NewRealTime(e, w)
		wrapped := &around{Engine: e}
		r.Around, r.Observers, r.Memory, r.Logger = wrapped, []Observer{other, own}, short, logr.Discard()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		var shares []float64 // once a second, as metrics are
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for r.Inspect(ctx, func(*engine.Engine) { shares = append(shares, r.OptionalShare()) }) == nil {
				<-time.After(time.Second)
			}
		}()
		if err := r.Run(ctx); err != nil {
			t.Fatal(err)
		}
		<-ended
		want := []int{1, 2, 3, 2, 1}
		for i, got := range [][]int{own.halvings, wrapped.halvings} {
			if !slices.Equal(got, want) {
				t.Errorf("%d: the halvings are %v, want %v", i, got, want)
			}
		}
		if got := slices.Compact(shares); !slices.Equal(got, []float64{0.5, 0.25, 0.125, 0.25, 0.5}) {
			t.Errorf("the shares are %v", got)
		}
	})
}

// stillCluster is a cluster in which nothing happens.
type stillCluster struct {
	events chan world.Event
	synced chan struct{}
}

func (c *stillCluster) Do(world.Effect)            {}
func (c *stillCluster) Now() time.Time             { return time.Now() }
func (c *stillCluster) Poll() (world.Input, bool)  { return world.Input{}, false }
func (c *stillCluster) Events() <-chan world.Event { return c.events }
func (c *stillCluster) Stamp(event world.Event) world.Input {
	return world.Input{At: c.Now(), Event: event}
}
func (c *stillCluster) Synced() <-chan struct{} { return c.synced }
func (c *stillCluster) Idle() bool              { return true }
func (c *stillCluster) Failed() <-chan error    { return nil }
func (c *stillCluster) Kinds() []world.Kind     { return nil }
func (c *stillCluster) List(context.Context, world.Kind) ([]world.Object, error) {
	return nil, nil
}

func TestReadMemory_IsOfThisProcess(t *testing.T) {
	m := ReadMemory()
	if m.Used < 1<<20 || m.Used > 1<<40 || m.Limit <= 0 {
		t.Errorf("read %+v", m)
	}
}
