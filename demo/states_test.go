package demo_test

import (
	"bytes"
	"testing"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/demo"
)

// Every embedded recording can be cut in the middle of what it shows: from the state there, its replay goes on as the whole does.
func TestTraces_GoOnFromAnyState(t *testing.T) {
	const states = 11
	for _, tr := range demo.Traces() {
		t.Run(tr.Name, func(t *testing.T) {
			recording, err := demo.Open(tr.Name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := play.NewPlayer(recording, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range states {
				at := len(p.Records()) * (i + 1) / (states + 1)
				if err := p.SeekRecord(at); err != nil {
					t.Fatal(err)
				}
				state, err := play.StateOf(p.Engine())
				if err != nil {
					t.Fatalf("at record %d: %v", at, err)
				}
				h := p.Header()
				h.Origin, h.Start = trace.FromState, p.Engine().Now()
				var file bytes.Buffer
				w, err := trace.NewWriter(&file, h)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range append([]trace.Record{{At: h.Start, Body: state}}, p.Records()[at:]...) {
					if err := w.Write(r); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if _, report, err := play.Replay(&file, play.Options{}); err != nil || !report.Exact || !report.OK() || report.Damage != nil {
					t.Errorf("from record %d on: %v, %+v", at, err, report)
				}
			}
		})
	}
}
