package trace_test

import (
	"bytes"
	"os"
	"testing"

	"orrery/core/trace"
	"orrery/core/world"
)

// FuzzRead reads arbitrary bytes. Checksums reject most changes, so it also fuzzes the entries behind them: it reads
// the bytes once as a file and once as the contents of a valid block.
func FuzzRead(f *testing.F) {
	f.Add(written(f, trace.Header{Start: start}, manyRecords(2)...))
	f.Add([]byte("ORRERYT\x01"))
	f.Add([]byte{3, 6, 0, 0, 0})
	if golden, err := os.ReadFile("testdata/v2.trace"); err == nil {
		f.Add(golden)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		consume(data)
		consume(trace.FileOfEntries(data))
	})
}

func consume(file []byte) {
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
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
