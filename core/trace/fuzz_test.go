package trace_test

import (
	"bytes"
	"os"
	"testing"

	"orrery/core/fuzz"
	"orrery/core/trace"
	"orrery/core/world"
)

// FuzzRead reads recordings: files, standard input, and the stream of a running scheduler.
//
//orrery:reads core/trace
func FuzzRead(f *testing.F) {
	f.Add(written(f, trace.Header{Start: start}, manyRecords(2)...))
	f.Add(written(f, trace.Header{Start: start, Origin: trace.FromState}, manyStates(2)...))
	f.Add([]byte("ORRERYT\x01"))
	f.Add([]byte{3, 6, 0, 0, 0})
	if golden, err := os.ReadFile("testdata/v2.trace"); err == nil {
		f.Add(golden)
	}
	for _, file := range hostileFiles() {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, trace.FileOfEntries(trace.FromStart, data), trace.FileOfEntries(trace.FromState, data)} {
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
