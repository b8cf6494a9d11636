package trace_test

import (
	"bytes"
	"testing"

	"orrery/core/trace"
)

// A heart-beat writes what there is, or a block without records; a reader passes over that.
func TestWriter_Heartbeat(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	mark := trace.Record{At: start, Body: trace.Mark{Text: "here"}}
	sizes := []int{file.Len()}
	for i := range 6 {
		if i%3 == 0 {
			if err := w.Write(mark); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Heartbeat(); err != nil {
			t.Fatal(err)
		}
		if sizes = append(sizes, file.Len()); sizes[i+1] <= sizes[i] {
			t.Fatalf("heart-beat %d wrote nothing", i)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, damage := read(t, file.Bytes())
	if len(records) != 2 || damage != nil {
		t.Errorf("read %d records, %v; want 2", len(records), damage)
	}
	if err := w.Heartbeat(); err == nil {
		t.Error("a closed trace has a heart-beat")
	}
}
