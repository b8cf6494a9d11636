package trace_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"orrery/core/testing/fuzz"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// FuzzRead reads recordings: files, standard input, and the stream of a running scheduler.
//
//orrery:reads core/trace
func FuzzRead(f *testing.F) {
	f.Add(written(f, trace.Header{Start: start}, manyRecords(2)...))
	f.Add(written(f, trace.Header{Start: start, Origin: trace.FromState}, manyStates(2)...))
	readings := written(f, trace.Header{Start: start, Kubelet: kubelet}, usageOf("n1", start), usageOf("n2", start.Add(time.Second)))
	f.Add(readings)
	if contents, err := trace.ContentsOf(readings); err == nil {
		f.Add(contents)
	}
	f.Add([]byte("ORRERYT\x01"))
	f.Add([]byte{3, 6, 0, 0, 0})
	if golden, err := os.ReadFile("testdata/v2.trace"); err == nil {
		f.Add(golden)
	}
	for _, file := range hostileFiles() {
		if len(file) <= fuzz.MaxSeed {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, trace.FileOfEntries(trace.FromStart, data), trace.FileOfEntries(trace.FromState, data), trace.FileOfReadings(data)} {
			var took uint64
			fuzz.Cost(t, len(file), func() { took = allocated(func() { consume(t, file) }) })
			if most := 3 * trace.MostMemory(len(file)); took > uint64(most) {
				t.Errorf("reading %d bytes allocates %d", len(file), took)
			}
		}
	})
}

func consume(t *testing.T, file []byte) {
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		fuzz.Error(t, err)
		return
	}
	for record := range r.All() {
		if input, ok := record.Body.(trace.Input); ok {
			if c, ok := input.Event.(world.Changed); ok {
				_ = c.Object.GetName() // every change has an object
			}
		}
	}
}

// recordedEntries returns the first contents of recordings of a scheduler: from its start, and from a state.
func recordedEntries(f *testing.F) (fromStart, fromState []byte) {
	f.Helper()
	golden, err := os.ReadFile("testdata/v2.trace")
	if err != nil {
		f.Fatal(err)
	}
	states := written(f, trace.Header{Start: start, Origin: trace.FromState}, manyStates(1)...)
	fromStart, err = trace.ContentsOf(golden)
	if err == nil {
		fromState, err = trace.ContentsOf(states)
	}
	if err != nil {
		f.Fatal(err)
	}
	return fromStart[:min(len(fromStart), fuzz.MaxSeed)], fromState[:min(len(fromState), fuzz.MaxSeed)]
}

// FuzzReplay reads recordings and replays them, so that an engine gets inputs that no cluster would send.
//
//orrery:reads core/trace core/trace/play core/scheduler/devices core/scheduler/gangs core/scheduler/volumes core/scheduler/plugins/dynamicresources core/scheduler/plugins/noderesources
func FuzzReplay(f *testing.F) {
	fromStart, fromState := recordedEntries(f)
	f.Add(fromStart, false)
	f.Add(fromState, true)
	recorded, err := trace.ContentsOf(written(f, trace.Header{Start: start}, manyRecords(3)...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(recorded, false)
	f.Add(recorded[:len(recorded)/2], false)
	f.Fuzz(func(t *testing.T, entries []byte, state bool) {
		origin := trace.FromStart
		if state {
			origin = trace.FromState
		}
		file := trace.FileOfEntries(origin, entries)
		fuzz.Cost(t, len(file), func() {
			_, report, err := play.Replay(bytes.NewReader(file), play.Options{})
			switch {
			case err != nil:
				fuzz.Error(t, err)
			case report.Damage != nil:
				fuzz.Error(t, report.Damage)
			}
		})
	})
}

// FuzzRewrite reads recordings and writes them anew: a part of one, and one whose names are hashed.
//
//orrery:reads core/trace core/scheduler/store
func FuzzRewrite(f *testing.F) {
	fromStart, fromState := recordedEntries(f)
	f.Add(fromStart, false, int64(time.Minute), int64(time.Hour))
	f.Add(fromState, true, int64(0), int64(1))
	f.Add(fromStart[:len(fromStart)/2], false, int64(-1), int64(1<<62))
	if readings, err := trace.ContentsOf(written(f, trace.Header{Start: start, Kubelet: kubelet}, usageOf("n1", start), usageOf("n1", start.Add(time.Second)))); err == nil {
		f.Add(readings, false, int64(time.Second), int64(time.Hour))
	}
	f.Fuzz(func(t *testing.T, entries []byte, state bool, after, length int64) {
		file, first := trace.FileOfReadings(entries), start.Add(time.Duration(after))
		if state {
			file = trace.FileOfEntries(trace.FromState, entries)
		}
		hash, err := trace.NewNameHasher([]byte("some salt of my own"))
		if err != nil {
			t.Fatal(err)
		}
		fuzz.Cost(t, 2*len(file), func() {
			var part, hashed bytes.Buffer
			checkWritten(t, "cut", &part, trace.Cut(bytes.NewReader(file), &part, first, first.Add(time.Duration(length))))
			checkWritten(t, "hashed", &hashed, trace.HashNames(bytes.NewReader(file), &hashed, hash))
		})
	})
}

// checkWritten checks that what was written of a recording is whole, though it may be of a damaged one, or is nothing.
func checkWritten(t *testing.T, how string, to *bytes.Buffer, err error) {
	t.Helper()
	var damage *trace.Damage
	if err != nil {
		fuzz.Error(t, err)
	}
	if err != nil && !errors.As(err, &damage) || to.Len() == 0 {
		return
	}
	r, err := trace.NewReader(to)
	if err != nil {
		t.Errorf("%s: what was written is not read: %v", how, err)
		return
	}
	for _, err := range r.All() {
		if err != nil {
			t.Errorf("%s: what was written is damaged: %v", how, err)
		}
	}
}
