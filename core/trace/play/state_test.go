package play_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/fuzz"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// A recording may begin at any time: its replay is as exact as that of the whole.
func TestRecorder_BeginsAtAnyTime(t *testing.T) {
	for name, scene := range map[string]struct {
		of    func(seed uint64) (engine.Options, *memory.Cluster)
		every time.Duration
	}{
		"pods and nodes": {func(seed uint64) (engine.Options, *memory.Cluster) { return options(seed), simulatedCluster(seed, 80) }, 12 * time.Second},
		"extenders":      {func(seed uint64) (engine.Options, *memory.Cluster) { return extenderScene(t, seed) }, 4 * time.Second},
	} {
		for seed := range uint64(12) {
			o, c := scene.of(seed)
			e := newEngine(t, o)
			from := start.Add(time.Duration(seed+1) * scene.every)
			drive.Run(c, from, drive.NewScheduler(e))
			var file bytes.Buffer
			r, err := play.NewRecorder(&file, e, o, play.About{})
			if err != nil {
				t.Fatal(err)
			}
			drive.Run(c, start.Add(sceneLength+time.Minute), drive.NewScheduler(e, r))
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			again, report := replay(t, file.Bytes(), play.Options{})
			if !report.Exact || !report.OK() || report.Damage != nil || report.Decisions == 0 || again.Digest() != e.Digest() {
				t.Errorf("%s, scene %d: the replay from %v on ends in %v, not in %v: %+v", name, seed, from.Sub(start), again.Digest(), e.Digest(), report)
			}
		}
	}
}

// In the middle of a cycle that waits for extenders, a recording begins when it is over.
func TestRecorder_BeginsAfterTheCycle(t *testing.T) {
	o, c := extenderScene(t, 3)
	e := newEngine(t, o)
	waiting := false
	var file bytes.Buffer
	var r *play.Recorder
	late := drive.Observers{&lateRecorder{begin: func() drive.Observer {
		if _, err := e.State(); err == nil || r != nil {
			return nil
		}
		waiting = true
		var err error
		if r, err = play.NewRecorder(&file, e, o, play.About{}); err != nil {
			t.Fatal(err)
		}
		if file.Len() > 0 {
			t.Error("the recording begins in the middle of a cycle")
		}
		return r
	}}}
	drive.Run(c, start.Add(sceneLength), drive.NewScheduler(e, late))
	if !waiting {
		t.Fatal("no cycle waited for extenders")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, report := replay(t, file.Bytes(), play.Options{})
	if !report.Exact || !report.OK() || report.Decisions == 0 || again.Digest() != e.Digest() {
		t.Errorf("the replay ends in %v, not in %v: %+v", again.Digest(), e.Digest(), report)
	}
}

// lateRecorder begins to record once begin returns a recorder.
type lateRecorder struct {
	begin    func() drive.Observer
	recorder drive.Observer
}

func (l *lateRecorder) Applied(in world.Input, err error) {
	if l.recorder != nil {
		l.recorder.Applied(in, err)
	} else {
		l.recorder = l.begin()
	}
}

func (l *lateRecorder) Stepped(d *engine.Decision) {
	if l.recorder != nil {
		l.recorder.Stepped(d)
	}
}

func (l *lateRecorder) Emitted(e world.Effect) {
	if l.recorder != nil {
		l.recorder.Emitted(e)
	}
}

// A cut of a recording with several states begins with the last one before it, and is replayed as the whole is.
func TestCut_BeginsWithState(t *testing.T) {
	for seed := range uint64(6) {
		e, file, states := recordedWithStates(t, seed)
		for i, at := range states {
			from := at.Add(time.Second)
			part := cut(t, file, from)
			info := infoOf(t, part)
			if i+1 < len(states) && states[i+1].After(from) && (info.Header.Origin != trace.FromState || !info.First.Equal(at)) {
				t.Errorf("scene %d: the cut from %v on begins with a %s at %v, not at %v", seed, from, info.Header.Origin, info.First, at)
			}
			again, report := replay(t, part, play.Options{})
			if !report.Exact || !report.OK() || again.Digest() != e.Digest() {
				t.Errorf("scene %d: the cut from %v on ends in %v, not in %v: %+v", seed, from, again.Digest(), e.Digest(), report)
			}
		}
	}
}

// recordedWithStates returns the recording of a scene that begins with a state and has others, and when these are.
func recordedWithStates(t *testing.T, seed uint64) (*engine.Engine, []byte, []time.Time) {
	t.Helper()
	o, c := options(seed), simulatedCluster(seed, 80)
	e := newEngine(t, o)
	drive.Run(c, start.Add(20*time.Second), drive.NewScheduler(e))
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	states, draw := []time.Time{e.Now()}, rand.New(rand.NewPCG(seed, 1))
	for range 4 {
		drive.Run(c, e.Now().Add(time.Duration(10+draw.IntN(20))*time.Second), drive.NewScheduler(e, r))
		if err := r.State(); err != nil {
			t.Fatal(err)
		}
		states = append(states, e.Now())
	}
	drive.Run(c, start.Add(sceneLength+time.Minute), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if info := infoOf(t, file.Bytes()); info.States != uint64(len(states)) {
		t.Errorf("the recording has %d states, want %d", info.States, len(states))
	}
	return e, file.Bytes(), states
}

// A player of such a recording goes to every place in it, and begins where the state is.
func TestPlayer_SeeksInTraceFromState(t *testing.T) {
	_, file, states := recordedWithStates(t, 2)
	p := player(t, file)
	if got := p.Engine().Now(); !got.Equal(states[0]) || p.Engine().Store().Len(world.Pod) == 0 {
		t.Errorf("the player begins at %v with %d pods, want the state at %v", got, p.Engine().Store().Len(world.Pod), states[0])
	}
	for _, at := range []time.Duration{150 * time.Second, 30 * time.Second, 90 * time.Second, 0, 200 * time.Second} {
		if err := p.Seek(start.Add(at)); err != nil {
			t.Fatal(err)
		}
	}
	if report := p.Report(); !report.Exact || !report.OK() {
		t.Errorf("the replay differs: %+v", report)
	}
}

// A follower learns from lists what was there before.
func TestFollower_GetsTheObjectsOfAState(t *testing.T) {
	_, file, _ := recordedWithStates(t, 2)
	seen := &listed{}
	p, err := play.NewPlayer(bytes.NewReader(file), play.Options{Follower: func(*engine.Engine) play.Follower { return seen }})
	if err != nil {
		t.Fatal(err)
	}
	if pods := p.Engine().Store().Len(world.Pod); seen.pods != pods || pods == 0 {
		t.Errorf("the follower got %d pods of %d", seen.pods, pods)
	}
}

// listed is a follower that counts the pods of lists.
type listed struct{ pods int }

func (l *listed) Applied(in world.Input, _ error) {
	if list, ok := in.Event.(world.Listed); ok && list.Kind == world.Pod {
		l.pods += len(list.Objects)
	}
}
func (*listed) Stepped(*engine.Decision) {}
func (*listed) Emitted(world.Effect)     {}
func (l *listed) Fork() play.Follower    { twin := *l; return &twin }

func TestHashNames_RefusesState(t *testing.T) {
	hash, err := trace.NewNameHasher([]byte("salt and pepper"))
	if err != nil {
		t.Fatal(err)
	}
	_, whole, _ := recordedWithStates(t, 4)
	if err := trace.HashNames(bytes.NewReader(whole), &bytes.Buffer{}, hash); err == nil || !strings.Contains(err.Error(), "a scheduler's state, in which names cannot be replaced") {
		t.Errorf("hashing the names in a state: %v", err)
	}
}

// What is wrong with a state is said with the number of its record.
func TestReplay_RefusesBrokenState(t *testing.T) {
	_, file, _ := recordedWithStates(t, 1)
	records, h := readRecords(t, file)
	state := records[0].Body.(trace.State)
	for name, row := range map[string]struct {
		change func(*trace.State)
		want   string
	}{
		"data that end early":         {func(s *trace.State) { s.Data = s.Data[:len(s.Data)/2] }, "record 0: restoring an engine's state: the state ends before"},
		"an object that is missing":   {func(s *trace.State) { s.Objects = s.Objects[:len(s.Objects)-1] }, "record 0: restoring an engine's state: there is no object"},
		"the digest of another state": {func(s *trace.State) { s.Digest++ }, "record 0: the state is of another moment than it says"},
	} {
		broken := state
		row.change(&broken)
		var changed bytes.Buffer
		w, err := trace.NewWriter(&changed, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(trace.Record{At: records[0].At, Body: broken}); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		if _, _, err := play.Replay(&changed, play.Options{}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func readRecords(t testing.TB, file []byte) ([]trace.Record, trace.Header) {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var records []trace.Record
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records, r.Header()
}

// goOn restores an engine from data that may be hostile, and has it go on if it begins. It reports whether it did.
func goOn(t testing.TB, o engine.Options, state codec.State) bool {
	t.Helper()
	e := newEngine(t, o)
	if err := e.Restore(state); err != nil {
		return false
	}
	for i := range 20 {
		_ = e.Apply(world.Input{At: e.Now().Add(time.Duration(i) * time.Second), Event: world.Tick{}})
		for _, one := range e.PendingEffects() {
			_ = e.Apply(world.Input{At: e.Now(), Event: world.EffectDone{Effect: one.Effect}})
		}
		for range 5 {
			e.Step()
		}
		e.Effects()
	}
	return true
}

// statesOf returns states of a scene.
func statesOf(t testing.TB, o engine.Options, c *memory.Cluster) []codec.State {
	t.Helper()
	e := newEngine(t, o)
	var states []codec.State
	for at := 7 * time.Second; at < time.Minute; at += 7 * time.Second {
		drive.Run(c, start.Add(at), drive.NewScheduler(e))
		state, err := e.State()
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, state)
	}
	return states
}

// Whichever bytes of a state are others, it is refused, or another engine goes on; nothing panics.
func TestRestore_HostileData(t *testing.T) {
	o := options(5)
	states, draw, went := statesOf(t, o, simulatedCluster(5, 40)), rand.New(rand.NewPCG(1, 2)), 0
	for range 600 {
		state := states[draw.IntN(len(states))]
		state.Data = bytes.Clone(state.Data)
		for range 1 + draw.IntN(3) {
			state.Data[draw.IntN(len(state.Data))] = byte(draw.IntN(256))
		}
		if goOn(t, o, state) {
			went++
		}
	}
	if went < 30 {
		t.Errorf("only %d changed states were gone on from", went)
	}
}

// FuzzRestore reads the state of an engine in a recording.
//
//orrery:reads core/scheduler/codec
func FuzzRestore(f *testing.F) {
	o := options(5)
	states := statesOf(f, o, simulatedCluster(5, 40))
	for _, state := range states {
		f.Add(state.Data)
	}
	objects := states[len(states)-1].Objects
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzz.Cost(t, len(data), func() { goOn(t, o, codec.State{Objects: objects, Data: data}) })
	})
}
