package playback

import (
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/trace"
)

// Survey is a trace from end to end, in values that each stand for a Step of its time. The first begins at Start.
type Survey struct {
	Step time.Duration
	// Decided is how many decisions were recorded in each step.
	Decided []float64
	// Waiting is how many pods waited at most in each step, as far as the trace was ever played, which the scout sees to.
	Waiting []float64
}

// surveyed is into how many steps a trace is divided: more than a wide screen has columns.
const surveyed = 960

// leastStep is how short a step may be.
const leastStep = time.Millisecond

// survey is a Survey that is being made.
type survey struct {
	start    time.Time
	step     time.Duration
	decided  []float64
	waiting  []float64
	latest   float64   // how many waited after the last record that was played
	complete bool      // every step that has begun is in shown
	shown    []float64 // a copy of waiting that was handed out
}

func newSurvey(start, end time.Time, records []trace.Record) survey {
	s := survey{start: start, step: max((end.Sub(start)+surveyed-1)/surveyed, leastStep)}
	s.decided = make([]float64, int(end.Sub(start)/s.step)+1)
	for i := range records {
		if _, ok := records[i].Body.(trace.Decision); ok {
			s.decided[s.at(records[i].At)]++
		}
	}
	return s
}

// at is the step that a time lies in.
func (s *survey) at(t time.Time) int {
	return min(max(int(t.Sub(s.start)/s.step), 0), len(s.decided)-1)
}

// hear takes how many pods wait after a record. Steps in which nothing happened are as the one before ended.
func (s *survey) hear(r trace.Record, e *engine.Engine) {
	at := s.at(r.At)
	for len(s.waiting) <= at {
		s.waiting = append(s.waiting, s.latest)
		s.complete = false
	}
	s.latest = float64(e.Queue().Len())
	if last := &s.waiting[len(s.waiting)-1]; s.latest > *last {
		*last, s.complete = s.latest, false
	}
}

// Survey is the trace from end to end. What was handed out is not changed any more.
func (d *Deck) Survey() Survey {
	s := &d.survey
	if !s.complete {
		s.shown, s.complete = slices.Clone(s.waiting), true
	}
	return Survey{Step: s.step, Decided: s.decided, Waiting: s.shown}
}
