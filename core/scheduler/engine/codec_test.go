package engine_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// One long run after another, on an engine and on one that is restored now and then from the state of the first: both decide, ask for
// and count the same, and their states stay the same byte for byte.
func TestState_GoesOnTheSame(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		seed       uint64
		configured string
	}{
		"many kinds of pods": {3, twoProfiles},
		"extenders":          {7, threeExtenders},
		"other draws":        {11, twoProfiles},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLongRun(t, run.seed, run.configured)
			states := 0
			for r.cycles < *cycles/10 && !t.Failed() {
				r.change()
				r.decideSome(r.draw.IntN(12))
				if r.restore() {
					states++
				}
				r.decide()
				r.compareStates()
			}
			if states < r.cycles/30 {
				t.Errorf("the engine was restored %d times only", states)
			}
		})
	}
}

// decideSome has the engines decide on some pods and carries out nothing, so that the state is taken in the middle.
func (r *longRun) decideSome(n int) {
	for range n {
		want, more := r.engines[0].Step()
		for i, e := range r.engines[1:] {
			if got, alsoMore := e.Step(); more && alsoMore {
				r.compare(i+1, want, got)
			}
		}
		if !more {
			return
		}
		r.cycles++
	}
}

// restore replaces the second engine by one that has the state of the first. It reports whether the state could be written.
func (r *longRun) restore() bool {
	state, err := r.engines[0].State()
	if err != nil {
		return false
	}
	r.engines[1] = restoredFrom(r.t, r.engines[0], state)
	return true
}

func (r *longRun) compareStates() {
	want, err := r.engines[0].State()
	got, gotErr := r.engines[1].State()
	if err != nil || gotErr != nil || !bytes.Equal(got.Data, want.Data) {
		r.t.Errorf("cycle %d: the restored engine has another state (%v, %v)", r.cycles, err, gotErr)
	}
}

// restoredFrom returns an engine with the state of another, of which the bytes and the objects are again the same.
func restoredFrom(t *testing.T, from *engine.Engine, state codec.State) *engine.Engine {
	t.Helper()
	restored, err := engine.New(from.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := restored.Restore(state); err != nil {
		t.Fatal(err)
	}
	again, err := restored.State()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(state.Data, again.Data) || !slices.Equal(state.Objects, again.Objects) {
		t.Error("the state of the restored engine has other bytes, or other objects")
	}
	if restored.Digest() != from.Digest() || restored.Counters() != from.Counters() || !restored.Now().Equal(from.Now()) {
		t.Errorf("the restored engine has the digest %v and the counters %+v, not %v and %+v", restored.Digest(), restored.Counters(), from.Digest(), from.Counters())
	}
	return restored
}

// The state of a fork, and of a frozen engine, is written on a goroutine of its own while the engine goes on, and is that of the moment.
func TestState_IsWrittenElsewhere(t *testing.T) {
	for name, copied := range map[string]func(*engine.Engine) (writable, error){
		"fork":   func(e *engine.Engine) (writable, error) { return e.Fork() },
		"frozen": func(e *engine.Engine) (writable, error) { return e.Freeze() },
	} {
		t.Run(name, func(t *testing.T) {
			checkWrittenElsewhere(t, copied)
		})
	}
}

type writable interface {
	State() (codec.State, error)
}

func checkWrittenElsewhere(t *testing.T, copied func(*engine.Engine) (writable, error)) {
	t.Helper()
	r := newLongRun(t, 5, twoProfiles)
	for r.cycles < 200 {
		r.change()
		r.decide()
	}
	for range 20 {
		want, err := r.engines[0].State()
		if err != nil {
			t.Fatal(err)
		}
		held, err := copied(r.engines[0])
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan codec.State)
		go func() {
			state, _ := held.State()
			written <- state
		}()
		r.change()
		r.decide()
		if got := <-written; !bytes.Equal(got.Data, want.Data) || !slices.Equal(got.Objects, want.Objects) {
			t.Fatalf("cycle %d: the state is not the engine's", r.cycles)
		}
	}
}

// A scheduler that is replaced now and then by one with its state ends as one that is not: with volumes, with devices, and with
// preemption, each with faults.
func TestState_RestoredInCluster(t *testing.T) {
	t.Parallel()
	for name, cluster := range map[string]struct {
		make func(*testing.T, uint64) *engine.Engine
		of   func(seed uint64) *memory.Cluster
		tail time.Duration
	}{
		"pods and nodes": {newEngine, func(seed uint64) *memory.Cluster { return scenario(seed, allFaults()) }, scenarioTail},
		"volumes":        {newStorageEngine, func(seed uint64) *memory.Cluster { return storageScenario(seed, storageFaults()) }, storageTail},
		"devices":        {newEngine, func(seed uint64) *memory.Cluster { return deviceScenario(seed, deviceFaults()) }, deviceTail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := start.Add(scenarioLength + cluster.tail)
			for seed := range uint64(max(1, *scenarios/8)) {
				whole, c := cluster.make(t, seed), cluster.of(seed)
				run(whole, c, end)
				want := outcomeOf(whole, c)
				r := &restoring{Engine: cluster.make(t, seed), t: t, draw: rand.New(rand.NewPCG(seed, 0x57a7e))}
				c = cluster.of(seed)
				drive.Run(c, end, drive.NewScheduler(r))
				if got := outcomeOf(r.Engine, c); got != want {
					t.Errorf("scenario %d ends in %v, and restored %d times in %v", seed, want, r.times, got)
				}
				if r.times == 0 {
					t.Errorf("scenario %d: the engine was never restored", seed)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// restoring is an engine that is replaced now and then, in any state.
type restoring struct {
	*engine.Engine
	t     *testing.T
	draw  *rand.Rand
	times int
}

func (r *restoring) Apply(in world.Input) error {
	r.maybe()
	return r.Engine.Apply(in)
}

func (r *restoring) Step() (*engine.Decision, bool) {
	r.maybe()
	return r.Engine.Step()
}

func (r *restoring) Effects() []world.Effect {
	r.maybe()
	return r.Engine.Effects()
}

func (r *restoring) maybe() {
	if r.draw.IntN(12) > 0 {
		return
	}
	state, err := r.Engine.State()
	if err != nil {
		r.t.Fatal(err)
	}
	frozen, err := r.Freeze()
	if err != nil {
		r.t.Fatal(err)
	}
	if again, err := frozen.State(); err != nil || !bytes.Equal(again.Data, state.Data) || !slices.Equal(again.Objects, state.Objects) {
		r.t.Errorf("the frozen engine has another state, %v", err)
	}
	r.Engine = restoredFrom(r.t, r.Engine, state)
	r.times++
}

// In every story, each command is run on an engine restored before it, too: it gets the same digest and the same state. A story whose
// own plugins take part in bindings cannot be written meanwhile.
func TestState_Stories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	restored := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			story, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &storyRun{t: t, now: start, objects: map[string]world.Object{}, restores: true}
			for line := range strings.Lines(string(story)) {
				if words := strings.Fields(line); !strings.HasPrefix(line, "  ") && len(words) > 0 && words[0] != "#" {
					s.runLine(words[0], words[1:])
				}
			}
			restored += s.restored
		})
	}
	if restored < 500 {
		t.Errorf("only %d commands were run on a restored engine", restored)
	}
}

// restoredPlayer returns a player whose engine has the state of the first one's; nil if that cannot be written.
func (s *storyRun) restoredPlayer() *player {
	first := s.players[0]
	state, err := first.State()
	if err != nil {
		return nil
	}
	p := &player{effects: maps.Clone(first.effects)}
	s.building = p
	if p.Engine, err = engine.New(first.Options()); err != nil {
		s.t.Fatal(err)
	}
	if err := p.Restore(state); err != nil {
		s.t.Fatalf("%v", err)
	}
	s.restored++
	return p
}

// compareRestored compares a restored engine with the first one after a command.
func (s *storyRun) compareRestored(p *player) {
	first := s.players[0]
	want, wantErr := first.State()
	got, err := p.State()
	if p.Digest() != first.Digest() || (err == nil) != (wantErr == nil) || !bytes.Equal(got.Data, want.Data) {
		s.t.Errorf("the restored engine has the digest %v, not %v, or another state:\n%s\nnot\n%s", p.Digest(), first.Digest(),
			strings.Join(p.log, "\n"), strings.Join(first.log, "\n"))
	}
}
