package soak

import (
	"encoding/json"
	"fmt"
	"time"

	"orrery/core/safe/printable"
)

// Plan is a whole run as data: [Run] does the same with it every time, and [Reduce] leaves out what a violation does not need.
type Plan struct {
	// Seed decides names, latencies, and which calls and events the Rates strike.
	Seed uint64 `json:"seed"`
	// Hours is how long the run takes. Each begins with steps and faults, and ends at rest.
	Hours int `json:"hours"`
	// Replicas of the scheduler take part in one election. The clock of each is right or in Clocks.
	Replicas int     `json:"replicas"`
	Clocks   []Clock `json:"clocks,omitempty"`
	// Nodes are there from the beginning, shaped by these numbers.
	Nodes []uint64 `json:"nodes"`
	// Zones is over how many the nodes are spread.
	Zones int `json:"zones"`
	// Fragile configures a plugin that refuses, fails and panics; Extender an extender; Gangs pods that are bound together.
	Fragile  bool `json:"fragile,omitempty"`
	Extender bool `json:"extender,omitempty"`
	Gangs    bool `json:"gangs,omitempty"`
	// Records makes each replica record what it decides, in segments on a disk of its own.
	Records bool `json:"records,omitempty"`
	// Hashes makes each process record what it decides from its start on, to be replayed with hashed names.
	Hashes bool `json:"hashes,omitempty"`
	// Latency makes calls and events take their time.
	Latency bool `json:"latency,omitempty"`
	// Rates are the probabilities of the random faults in faultRates, while steps are taken.
	Rates map[string]float64 `json:"rates,omitempty"`
	// Steps happen at their times.
	Steps []Step `json:"steps"`
}

// Clock is that of a machine: how many times as fast as the true one, and how far ahead at first.
type Clock struct {
	Rate  float64 `json:"rate"`
	Ahead Span    `json:"ahead"`
}

// Step is one thing that happens.
type Step struct {
	At Span   `json:"at"`
	Do string `json:"do"`
	// N decides all that the step draws, so that it does the same when other steps are left out.
	N uint64 `json:"n"`
	// Count is how many pods, events, effects or bytes there are, and For how long something lasts, where the step has a use for it.
	Count int  `json:"count,omitempty"`
	For   Span `json:"for,omitempty"`
}

// Span is a duration that is text in a file.
type Span time.Duration

// MarshalText implements encoding.TextMarshaler.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no length of time, such as 1m30s", printable.Line(string(text), 40))
	}
	*s = Span(d)
	return nil
}

func (s Span) truncate() Span { return Span(time.Duration(s).Truncate(time.Millisecond)) }

// The bounds of a plan that is read from a file.
const (
	maxHours    = 10_000
	maxReplicas = 9
	maxNodes    = 5_000
	maxSteps    = 1_000_000
	maxCount    = 10_000_000
	// farthestAhead is how wrong a clock may be.
	farthestAhead = 24 * time.Hour
)

// ReadPlan reads a plan that [Plan.Text] wrote.
func ReadPlan(text []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("reading a plan: %w", err)
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("reading a plan: %w", err)
	}
	return p, nil
}

func (p *Plan) check() error {
	switch {
	case p.Hours < 1 || p.Hours > maxHours:
		return fmt.Errorf("hours is %d, but must be from 1 to %d", p.Hours, maxHours)
	case p.Replicas < 1 || p.Replicas > maxReplicas:
		return fmt.Errorf("replicas is %d, but must be from 1 to %d", p.Replicas, maxReplicas)
	case p.Zones < 1 || p.Zones > maxNodes || len(p.Nodes) > maxNodes || len(p.Steps) > maxSteps:
		return fmt.Errorf("there are %d zones, %d nodes and %d steps, but must be from 1 to %d zones, and at most %d nodes and %d steps", p.Zones, len(p.Nodes), len(p.Steps), maxNodes, maxNodes, maxSteps)
	}
	for _, c := range p.Clocks {
		if !(c.Rate >= slowestClock && c.Rate <= fastestClock) || time.Duration(c.Ahead).Abs() > farthestAhead {
			return fmt.Errorf("a clock runs at a rate of %v and is ahead by %v, but must be from %v to %v, and at most %v", c.Rate, time.Duration(c.Ahead), slowestClock, fastestClock, farthestAhead)
		}
	}
	for name, rate := range p.Rates {
		if _, known := faultRates[name]; !known || !(rate >= 0 && rate <= 1) {
			return fmt.Errorf("there is no random fault %q of rate %v", name, rate)
		}
	}
	for i, s := range p.Steps {
		switch {
		case actions[s.Do] == nil:
			return fmt.Errorf("step %d: there is nothing to do that is called %q", i, s.Do)
		case i > 0 && s.At < p.Steps[i-1].At:
			return fmt.Errorf("step %d is at %v, before the one that it follows", i, time.Duration(s.At))
		case s.At < 0 || s.For < 0 || s.Count < 0 || s.Count > maxCount || time.Duration(s.For) > time.Hour:
			return fmt.Errorf("step %d: a time or a count is out of range", i)
		}
	}
	return nil
}

// Text returns the plan with a line for each step.
func (p Plan) Text() []byte {
	steps := p.Steps
	p.Steps = nil
	head, err := json.Marshal(p)
	if err != nil {
		panic("a plan is plain data: " + err.Error())
	}
	text := head[:len(head)-len("null}")]
	text = append(text, '[')
	for i, s := range steps {
		line, err := json.Marshal(s)
		if err != nil {
			panic("a step is plain data: " + err.Error())
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, '\n'), line...)
	}
	return append(text, "\n]}\n"...)
}

// hour is the number of the hour that a time is in.
func (s Span) hour() int { return int(time.Duration(s) / time.Hour) }
