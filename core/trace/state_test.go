package trace_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// manyStates returns states with objects and data that fill several blocks, and inputs between them.
func manyStates(n int) []trace.Record {
	var records []trace.Record
	for i := range n {
		state := trace.State{Checkpoint: trace.Checkpoint{Digest: uint64(i + 1), Inputs: 7, Decisions: 3}, Data: bytes.Repeat([]byte{byte(i), 1, 2}, 100_000)}
		for range 3 {
			state.Objects = append(state.Objects, mk.Pod("web").Obj(), mk.Node("n1").Obj())
		}
		at := start.Add(time.Duration(i) * time.Second)
		records = append(records, trace.Record{At: at, Body: state}, trace.Record{At: at, Body: trace.Input{Event: world.Tick{}}})
	}
	return records
}

func TestState_IsReadAsWritten(t *testing.T) {
	want := manyStates(2)
	file := written(t, trace.Header{Start: start, Origin: trace.FromState}, want...)
	got, damage := read(t, file)
	if damage != nil || len(got) != len(want) {
		t.Fatalf("%d of %d records are read: %v", len(got), len(want), damage)
	}
	for i := range want {
		if diff := cmp.Diff(want[i], withoutPosition(got[i])); diff != "" {
			t.Errorf("record %d (-written +read):\n%s", i, diff)
		}
	}
	info, err := trace.ReadInfo(bytes.NewReader(file))
	if err != nil || info.States != 2 || info.Objects != 12 || info.Digest != 2 {
		t.Errorf("the file has %d states with %d objects and ends in %x, %v", info.States, info.Objects, info.Digest, err)
	}
}

func TestState_IsRefused(t *testing.T) {
	state := manyStates(1)[0]
	w, err := trace.NewWriter(&bytes.Buffer{}, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(state); err == nil || !strings.Contains(err.Error(), "only a trace that begins with one has others") {
		t.Errorf("a state in a trace from the start: %v", err)
	}
	whole := written(t, trace.Header{Start: start, Origin: trace.FromState}, state)
	header := trace.Header{Start: start, Origin: trace.FromState}
	for name, row := range map[string]struct {
		file []byte
		want string
	}{
		"a trace that begins otherwise": {written(t, header, trace.Record{At: start, Body: trace.Input{Event: world.Tick{}}}), "damaged at record 1, in the block at byte"},
		"a state without its end":       {trace.FileOfEntries(trace.FromState, []byte{15, 10, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 9, 4, 6, 0, 0, 0}), "a state ends before what it should hold"},
		"a state with too many objects": {trace.FileOfEntries(trace.FromState, []byte{18, 10, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0xff, 0xff, 0xff, 0x7f, 9}), "at most 4194304"},
		"a state in another trace":      {trace.FileOfEntries(trace.FromStart, []byte{15, 10, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 9}), "the trace does not begin with one"},
		"data without a state":          {trace.FileOfEntries(trace.FromStart, []byte{2, 11, 0}), "comes without its beginning"},
	} {
		if _, damage := read(t, row.file); damage == nil || !strings.Contains(damage.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, damage, row.want)
		}
	}
	older := bytes.Clone(whole)
	older[7] = 2
	if _, err := trace.NewReader(bytes.NewReader(older)); err == nil || !strings.Contains(err.Error(), "is not of version 2") {
		t.Errorf("a state in a file of version 2: %v", err)
	}
}

// Of a trace that is damaged before its first state nothing can be read, and nothing is written.
func TestCut_NeedsTheFirstState(t *testing.T) {
	file := written(t, trace.Header{Start: start, Origin: trace.FromState}, manyStates(1)...)
	contents, err := trace.ContentsOf(file)
	if err != nil {
		t.Fatal(err)
	}
	var copied bytes.Buffer
	err = trace.Cut(bytes.NewReader(trace.FileOfEntries(trace.FromState, contents[:1000])), &copied, start, start.Add(time.Hour))
	var damage *trace.Damage
	if err == nil || errors.As(err, &damage) || copied.Len() > 0 {
		t.Errorf("%d bytes are written, with the error %v", copied.Len(), err)
	}
}

// liveMeter measures what is live at the first write after it is told to.
type liveMeter struct {
	wanted bool
	live   uint64
}

func (m *liveMeter) Write(b []byte) (int, error) {
	if m.wanted {
		m.wanted, m.live = false, live()
	}
	return len(b), nil
}

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A reader that takes long for its state keeps what is live then for as long.
func TestState_TakesLittleMemoryWhileItIsWritten(t *testing.T) {
	state := trace.State{}
	for range 20_000 {
		state.Objects = append(state.Objects, mk.Pod("web").Label("app", "web").CPU("1").Obj())
	}
	to := &liveMeter{}
	w, err := trace.NewWriter(to, trace.Header{Start: start, Origin: trace.FromState})
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	to.wanted = true
	if err := errors.Join(w.Write(trace.Record{At: start, Body: state}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	const most = 4 << 20 // trimmed beforehand, the pods take 30
	if to.live > before+most {
		t.Errorf("%d KiB are live that were not before, of %d objects; at most %d may be", (to.live-before)>>10, len(state.Objects), most>>10)
	}
	runtime.KeepAlive(state)
}
