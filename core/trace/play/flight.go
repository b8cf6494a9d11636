package play

import (
	"fmt"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// Flight is a flight recorder: the last of an engine's life, in memory, at a cost that lets it run always. It is an
// engine.Witness.
//
// It keeps inputs as they are, objects shared with the engine, and a fork of the engine from before them:
//
//	fork ── inputs ─────────────── fork ── inputs ────── now
//	     └─ the leg before ──────┘      └─ this leg ───┘
//
// When this leg has half of the bound, it becomes the leg before and a new one begins. So what is kept is between a half
// and the whole of the bound, and the bound concerns what is kept beyond the engine's own memory. Two forks share with
// the engine what has not changed since.
type Flight struct {
	engine  *engine.Engine
	options engine.Options
	bound   int64
	before  leg
	current leg
	wishes  wishes
	rested  bool
	err     error
}

// leg is a stretch of a flight.
type leg struct {
	base      *engine.Engine
	moments   []moment
	decisions []trace.Decision
	answered  []trace.Wish // by the outcomes among the moments
	bytes     int64
}

// moment is an input, or a decision if there is no event.
type moment struct {
	at      time.Time
	event   world.Event
	hurried bool
}

// DefaultFlightBytes is a bound that holds some minutes of a busy cluster.
const DefaultFlightBytes = 64 << 20

// NewFlight begins to keep an engine's life, in about so many bytes; zero is DefaultFlightBytes.
func NewFlight(e *engine.Engine, o engine.Options, bytes int64) (*Flight, error) {
	if bytes == 0 {
		bytes = DefaultFlightBytes
	}
	f := &Flight{engine: e, options: o, bound: bytes, wishes: wishes{}}
	base, err := e.Fork()
	if err != nil {
		return nil, fmt.Errorf("starting the flight recorder: %w", err)
	}
	f.current.base = base
	return f, nil
}

// What a moment and a decision cost by themselves, in bytes.
const (
	momentBytes   = 64
	decisionBytes = 256
)

// Applied keeps an input. It implements engine.Witness.
func (f *Flight) Applied(in world.Input, _ error) {
	f.current.moments = append(f.current.moments, moment{in.At, in.Event, !f.rested})
	f.current.bytes += momentBytes + held(in.Event)
	if _, outcome := in.Event.(world.Ended); outcome {
		f.current.answered = append(f.current.answered, f.wishes.answered(in.Event))
	}
	f.rested = false
	if f.current.bytes > f.bound/2 {
		f.nextLeg()
	}
}

// Stepped keeps a decision. It implements engine.Witness.
func (f *Flight) Stepped(d *engine.Decision) {
	f.rested = d == nil
	if d == nil {
		return
	}
	f.current.moments = append(f.current.moments, moment{at: d.At})
	f.current.decisions = append(f.current.decisions, decided(d, f.engine.Digest()))
	f.current.bytes += momentBytes + decisionBytes
}

// Wanted remembers an effect until its outcome comes. It implements engine.Witness.
func (f *Flight) Wanted(e world.Effect) { f.wishes.add(e) }

// nextLeg leaves the leg before behind, and takes over its room.
func (f *Flight) nextLeg() {
	base, err := f.engine.Fork()
	if err != nil {
		f.err = fmt.Errorf("the flight recorder cannot fork the engine: %w", err)
		return
	}
	old := f.before
	f.before = f.current
	clear(old.moments)
	clear(old.decisions)
	clear(old.answered)
	f.current = leg{base: base, moments: old.moments[:0], decisions: old.decisions[:0], answered: old.answered[:0]}
}

// Bytes is about how much memory the records take.
func (f *Flight) Bytes() int64 { return f.before.bytes + f.current.bytes }

// Since is the time from which on everything is kept.
func (f *Flight) Since() time.Time { return f.first().base.Now() }

// Err is what is wrong with the flight recorder, or nil. While there is something wrong it keeps more than its bound.
func (f *Flight) Err() error { return f.err }

func (f *Flight) first() *leg {
	if f.before.base != nil {
		return &f.before
	}
	return &f.current
}

// Save writes what is kept as a trace. It is exact if it still reaches back to the engine's first input, and begins
// with a snapshot otherwise.
func (f *Flight) Save(to io.Writer, about About) error {
	w, err := begin(to, f.first().base, f.options, about)
	if err != nil {
		return err
	}
	look := newLookout()
	for _, r := range f.records() {
		if err := w.Write(r); err != nil {
			return err
		}
		if m, ok := look.of(r.Body); ok {
			if err := w.Write(trace.Record{At: r.At, Body: m}); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// Player goes back to what is kept. It knows what the engine knew and so is exact, wherever the flight begins.
func (f *Flight) Player() (*Player, error) {
	base, err := f.first().base.Fork()
	if err != nil {
		return nil, err
	}
	return newPlayer(newPerformance(base, nil, trace.FromStart, false), f.records()), nil
}

func (f *Flight) records() []trace.Record {
	records := make([]trace.Record, 0, len(f.before.moments)+len(f.current.moments))
	for _, l := range []*leg{&f.before, &f.current} {
		decisions, answered := l.decisions, l.answered
		for _, m := range l.moments {
			r := trace.Record{At: m.at, Number: uint64(len(records))}
			if m.event == nil {
				r.Body, decisions = decisions[0], decisions[1:]
				records = append(records, r)
				continue
			}
			in := trace.Input{Event: m.event, Hurried: m.hurried}
			if _, outcome := m.event.(world.Ended); outcome {
				in.Answers, answered = answered[0], answered[1:]
			}
			r.Body = in
			records = append(records, r)
		}
	}
	return records
}

// held is about what an event keeps in memory, in bytes. It is an estimate on the safe side: most objects are shared
// with the engine, at least until they change.
func held(e world.Event) int64 {
	switch ev := e.(type) {
	case world.Changed:
		return objectBytes(ev.Object)
	case world.Listed:
		var sum int64
		for _, o := range ev.Objects {
			sum += objectBytes(o)
		}
		return sum
	case world.Asked:
		return int64(32 * len(ev.Activate))
	case world.Ended:
		return int64(160 + len(ev.Outcome.Message))
	}
	return 0
}

func objectBytes(o world.Object) int64 {
	switch o := o.(type) {
	case *v1.Pod:
		parts := len(o.Spec.Containers) + len(o.Spec.InitContainers) + len(o.Spec.Volumes)
		return int64(1600 + 1000*parts + 100*len(o.Labels) + 120*len(o.Status.Conditions) + 100*len(o.Spec.Tolerations))
	case *v1.Node:
		return int64(1400 + 200*len(o.Status.Images) + 100*len(o.Labels) + 120*len(o.Status.Conditions) + 300*len(o.Status.Allocatable))
	case interface{ Size() int }:
		return int64(1024 + 4*o.Size())
	}
	return 4096
}
