package play

import (
	"errors"
	"io"
	"time"

	"orrery/core/trace"
)

// Summary is which part of a scheduler's life a trace has. Two traces of one scheduler are contiguous if one begins with the input
// after the last of the other.
type Summary struct {
	// Seed tells schedulers apart: each process draws its own.
	Seed uint64 `json:"seed"`
	// Start and End are the times of the beginning and of the latest record.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Begin is what the scheduler had counted at the beginning; Counted is false for a trace that begins with a snapshot, which does not say.
	Begin   trace.Checkpoint `json:"begin"`
	Counted bool             `json:"counted"`
	// Inputs and Decisions count the records.
	Inputs    uint64 `json:"inputs"`
	Decisions uint64 `json:"decisions"`
}

// Add counts a record.
func (s *Summary) Add(r trace.Record) {
	if r.At.After(s.End) {
		s.End = r.At
	}
	switch b := r.Body.(type) {
	case trace.Input:
		s.Inputs++
	case trace.Decision:
		s.Decisions++
	case trace.State:
		if s.Inputs == 0 && s.Decisions == 0 {
			s.Begin, s.Counted = b.Checkpoint, true
		}
	}
}

// summaryOf begins the summary of a trace.
func summaryOf(h trace.Header) Summary {
	return Summary{Seed: h.Seed, Start: h.Start, End: h.Start, Counted: h.Origin == trace.FromStart}
}

// Follows reports whether a trace has every input since those of an earlier one. If one of them was not counted, it goes by the times.
func (s *Summary) Follows(earlier *Summary) bool {
	if !s.Counted || !earlier.Counted {
		return s.Seed == earlier.Seed && !s.Start.After(earlier.End)
	}
	return s.Seed == earlier.Seed && s.Begin.Inputs <= earlier.Begin.Inputs+earlier.Inputs && s.Begin.Decisions <= earlier.Begin.Decisions+earlier.Decisions
}

// Shared returns how many inputs and decisions at the beginning of a trace are those of an earlier one that it follows.
func (s *Summary) Shared(earlier *Summary) (inputs, decisions uint64) {
	if !s.Follows(earlier) || !s.Counted || !earlier.Counted {
		return 0, 0
	}
	inputs, decisions = earlier.Begin.Inputs+earlier.Inputs-s.Begin.Inputs, earlier.Begin.Decisions+earlier.Decisions-s.Begin.Decisions
	return min(inputs, earlier.Inputs), min(decisions, earlier.Decisions)
}

// Summarize reads a trace to its end, or to the damage that it returns. The error reports a file that is not a readable trace.
func Summarize(from io.Reader) (Summary, *trace.Damage, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return Summary{}, nil, err
	}
	s := summaryOf(r.Header())
	var damage *trace.Damage
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &damage)
			break
		}
		s.Add(record)
	}
	return s, damage, nil
}
