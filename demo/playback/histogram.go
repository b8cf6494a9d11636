package playback

import (
	"slices"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// Histogram is a trace from end to end, in values that each stand for a Step of its time. The first begins at Start.
type Histogram struct {
	Step time.Duration
	// Decisions is how many decisions were recorded in each step.
	Decisions []float64
	// Pending is the maximum number of pending pods in each step, as far as the trace was ever played; prefetching plays it
	// all.
	Pending []float64
}

// maxSteps is into how many steps a trace is divided: more than a wide screen has columns.
const maxSteps = 960

// minStep is how short a step may be.
const minStep = time.Millisecond

// histogram collects a Histogram.
type histogram struct {
	start       time.Time
	step        time.Duration
	decisions   []float64
	pending     []float64
	lastPending float64 // how many waited after the last record that was played
	complete    bool    // shown has everything
	shown       Histogram
}

func newHistogram(start, end time.Time, records []trace.Record) histogram {
	length := end.Sub(start) // at most 292 years: what comes later is in the last step
	s := histogram{start: start, step: max((length-1)/maxSteps+1, minStep)}
	s.decisions = make([]float64, int(length/s.step)+1)
	s.count(records)
	return s
}

// count counts the decisions among records.
func (s *histogram) count(records []trace.Record) {
	for i := range records {
		if _, ok := records[i].Body.(trace.Decision); ok {
			s.decisions[s.at(records[i].At)]++
			s.complete = false
		}
	}
}

// at is the step that a time lies in.
func (s *histogram) at(t time.Time) int {
	return min(max(int(t.Sub(s.start)/s.step), 0), len(s.decisions)-1)
}

// observe counts the pending pods after a record. Steps without records keep the number of the step before.
func (s *histogram) observe(r trace.Record, e *engine.Engine) {
	at := s.at(r.At)
	for len(s.pending) <= at {
		s.pending = append(s.pending, s.lastPending)
		s.complete = false
	}
	s.lastPending = float64(e.Queue().Len())
	if last := &s.pending[len(s.pending)-1]; s.lastPending > *last {
		*last, s.complete = s.lastPending, false
	}
}

// Histogram returns the trace from end to end. It does not change afterwards.
func (d *Recording) Histogram() Histogram {
	s := &d.histogram
	if !s.complete {
		s.shown = Histogram{Step: s.step, Decisions: slices.Clone(s.decisions), Pending: slices.Clone(s.pending)}
		s.complete = true
	}
	return s.shown
}
