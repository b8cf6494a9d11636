package compare_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// Pods that come together wait for the decisions about those before them.
func TestTraces_DecisionsTakeTime(t *testing.T) {
	inputs := []world.Input{nodes("4", "a")}
	for i := range 3 {
		inputs = append(inputs, arrival(1, pod(fmt.Sprint("pod-", i), "1")))
	}
	inputs = append(inputs, world.Input{At: seconds(100), Event: world.Listed{Kind: world.Service}})
	for _, tt := range []struct {
		name    string
		offsets []time.Duration // of the recorded decisions
		want    time.Duration
	}{
		{"a recording without decisions", nil, time.Millisecond},
		{"a clock that stood still", []time.Duration{0, 0, 0}, time.Millisecond},
		{"decisions that took 20ms", []time.Duration{0, 20 * time.Millisecond, 40 * time.Millisecond}, 20 * time.Millisecond},
		{"a gap of minutes", []time.Duration{0, 2 * time.Minute, 4 * time.Minute}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compared(t, withDecisions(t, tt.offsets, inputs...), compare.Options{}, plain("only"))
			if c.Decision != tt.want {
				t.Fatalf("a decision takes %v, want %v", c.Decision, tt.want)
			}
			if p := c.Results[0].Pending; p.Pods != 3 || p.Mean != tt.want || p.Max != 2*tt.want {
				t.Errorf("pending %+v, want three pods that wait for 0, %v and %v", p, tt.want, 2*tt.want)
			}
		})
	}
}

// A pod that comes after the last decision tells nothing of its duration.
func TestTraces_IdleTimeIsNoDecision(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(t, &file)
	write(t, w, nodes("4", "a"))
	for i := range 4 {
		p := pod(fmt.Sprint("pod-", i), "1")
		write(t, w, arrival(10*i, p))
		decide(t, w, seconds(10*i), p.Name)
	}
	closeTrace(t, w)
	if c := compared(t, file.Bytes(), compare.Options{}, plain("only")); c.Decision != time.Millisecond {
		t.Errorf("a decision takes %v, want the default of 1ms", c.Decision)
	}
}

// withDecisions returns a trace with these inputs, and decisions about pod-0, pod-1, ... after the inputs of second 1.
func withDecisions(t testing.TB, offsets []time.Duration, inputs ...world.Input) []byte {
	t.Helper()
	var file bytes.Buffer
	w := newWriter(t, &file)
	for _, in := range inputs {
		if in.At.After(seconds(1)) {
			for i, offset := range offsets {
				decide(t, w, seconds(1).Add(offset), fmt.Sprint("pod-", i))
			}
			in.At = seconds(600)
		}
		write(t, w, in)
	}
	closeTrace(t, w)
	return file.Bytes()
}

func newWriter(t testing.TB, file *bytes.Buffer) *trace.Writer {
	t.Helper()
	h, err := play.HeaderOf(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	w, err := trace.NewWriter(file, h)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t testing.TB, w *trace.Writer, in world.Input) {
	t.Helper()
	if err := w.Write(trace.Record{At: in.At, Body: trace.Input{Event: in.Event}}); err != nil {
		t.Fatal(err)
	}
}

func decide(t testing.TB, w *trace.Writer, at time.Time, name string) {
	t.Helper()
	ref := world.PodRefOf(pod(name, "1"))
	if err := w.Write(trace.Record{At: at, Body: trace.Decision{Pod: ref, Attempt: 1}}); err != nil {
		t.Fatal(err)
	}
}

func closeTrace(t testing.TB, w *trace.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
