package play

import (
	"errors"
	"fmt"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// FlightRecorder keeps the latest inputs and decisions of an engine in memory, cheaply enough to run always. It is a
// drive.Observer.
//
// It keeps inputs as they are, sharing their objects with the engine, and a fork of the engine from before them:
//
//	fork ── inputs ─────────────── fork ── inputs ────── now
//	     └─ previous segment ────┘      └─ current ────┘
//
// When the current segment fills half of the bound, it becomes the previous one and a new segment begins. The recorder
// so keeps between half of the bound and all of it. The bound excludes the engine's own memory; the two forks share all
// unchanged state with the engine.
type FlightRecorder struct {
	engine   *engine.Engine
	options  engine.Options
	bound    int64 // as given
	maxBytes int64 // of it, what may be used now
	previous segment
	current  segment
	pending  pendingEffects
	atRest   bool
	err      error
}

// segment is the records since one fork of the engine.
type segment struct {
	base       *engine.Engine
	entries    []flightEntry
	decisions  []trace.Decision
	effectKeys []trace.EffectKey // for each outcome among the entries
	bytes      int64
	lent       bool // a subscriber reads it, so that its memory cannot be reused
}

// heldFlight is what a flight recorder held at some moment, oldest first. It may be read on another goroutine.
type heldFlight []segment

// flightEntry is an input, or a decision if there is no event.
type flightEntry struct {
	at         time.Time
	event      world.Event
	beforeRest bool
}

// DefaultFlightRecorderBytes holds some minutes of a busy cluster.
//
//orrery:limit recordings; records that an attached screen holds, in bytes; the older half goes
const DefaultFlightRecorderBytes = 64 << 20

// NewFlightRecorder starts recording an engine within about so many bytes; zero means DefaultFlightRecorderBytes.
func NewFlightRecorder(e *engine.Engine, o engine.Options, bytes int64) (*FlightRecorder, error) {
	if bytes == 0 {
		bytes = DefaultFlightRecorderBytes
	}
	f := &FlightRecorder{engine: e, options: o, bound: bytes, maxBytes: bytes, pending: pendingEffects{}}
	base, err := e.ForkToKeep()
	if err != nil {
		return nil, fmt.Errorf("starting the flight recorder: %w", err)
	}
	f.current.base = base
	return f, nil
}

// The size of an entry, of a decision and of the usage of a pod, in bytes.
const (
	entryBytes    = 64
	decisionBytes = 256
	usedPodBytes  = 1024
)

// Applied records an input. It implements drive.Observer.
func (f *FlightRecorder) Applied(in world.Input, _ error) {
	f.current.entries = append(f.current.entries, flightEntry{in.At, in.Event, !f.atRest})
	f.current.bytes += entryBytes + eventBytes(in.Event)
	if _, outcome := in.Event.(world.EffectDone); outcome {
		f.current.effectKeys = append(f.current.effectKeys, f.pending.take(in.Event))
	}
	f.atRest = false
	f.rotate()
}

// rotate begins a new segment if the current one is full.
func (f *FlightRecorder) rotate() {
	if f.current.bytes > f.maxBytes/2 && (f.engine.Settled() || f.current.bytes > f.maxBytes) {
		f.nextSegment()
	}
}

// Shrink leaves the recorder a share of its bound: all for 0, a half for 1, a quarter for 2, and so on. If what it holds takes more, the
// older part goes at once. It is called between two inputs.
func (f *FlightRecorder) Shrink(halvings int) {
	f.maxBytes = f.bound >> halvings
	if f.Bytes() <= f.maxBytes {
		return
	}
	f.previous = segment{}
	if f.current.bytes > f.maxBytes {
		f.nextSegment()
		f.previous = segment{}
	}
}

// Stepped records a decision. It implements drive.Observer.
func (f *FlightRecorder) Stepped(d *engine.Decision) {
	f.atRest = d == nil
	if d == nil {
		return
	}
	f.current.entries = append(f.current.entries, flightEntry{at: d.At})
	f.current.decisions = append(f.current.decisions, traceDecision(d, f.engine.Digest()))
	f.current.bytes += entryBytes + decisionBytes
}

// Emitted stores an effect until its outcome arrives. It implements drive.Observer.
func (f *FlightRecorder) Emitted(e world.Effect) { f.pending.add(e) }

// nextSegment drops the previous segment and reuses its memory.
func (f *FlightRecorder) nextSegment() {
	base, err := f.engine.ForkToKeep()
	if err != nil {
		f.err = fmt.Errorf("the flight recorder cannot fork the engine: %w", err)
		return
	}
	old := f.previous
	if old.lent {
		old = segment{}
	}
	f.previous = f.current
	clear(old.entries)
	clear(old.decisions)
	clear(old.effectKeys)
	f.current = segment{base: base, entries: old.entries[:0], decisions: old.decisions[:0], effectKeys: old.effectKeys[:0]}
}

// Bytes returns about how much memory the records take.
func (f *FlightRecorder) Bytes() int64 { return f.previous.bytes + f.current.bytes }

// Since returns the time of the oldest fork; all later records are kept.
func (f *FlightRecorder) Since() time.Time { return f.oldest().base.Now() }

// Err returns the error of the last failed fork, or nil. After one, the recorder exceeds its bound.
func (f *FlightRecorder) Err() error { return f.err }

func (f *FlightRecorder) oldest() *segment {
	if f.previous.base != nil {
		return &f.previous
	}
	return &f.current
}

// Save writes the kept records as a trace. If they do not begin with the engine's first input, the trace begins with its state there; or
// with a snapshot, if the state there could not be written.
func (f *FlightRecorder) Save(to io.Writer, about About) error {
	base := f.oldest().base
	w, err := openTrace(to, base, f.options, about)
	if errors.Is(err, engine.ErrUnsettled) {
		w, err = openTraceOf(to, base, f.options, about, trace.FromSnapshot)
	}
	if err != nil {
		return err
	}
	look := newMarkDetector()
	for _, r := range f.held().records() {
		if err := w.Write(r); err != nil {
			return err
		}
		if m, ok := look.record(r.Body); ok {
			if err := w.Write(trace.Record{At: r.At, Body: m}); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// Player returns a player of the kept records. It starts from a fork of the engine and so is always exact.
func (f *FlightRecorder) Player() (*Player, error) {
	base, err := f.oldest().base.Fork()
	if err != nil {
		return nil, err
	}
	return newPlayer(newReplayer(base, nil, nil, trace.FromStart, false), f.held().records()), nil
}

// heldSince lends what is held from some time on, or everything, and the engine's fork from before it.
func (f *FlightRecorder) heldSince(since time.Time) (heldFlight, *engine.Engine) {
	if f.previous.base == nil || !f.current.base.Now().After(since) {
		f.current.lent = true
		return heldFlight{f.current}, f.current.base
	}
	f.previous.lent, f.current.lent = true, true
	return f.held(), f.previous.base
}

func (f *FlightRecorder) held() heldFlight { return heldFlight{f.previous, f.current} }

func (h heldFlight) records() []trace.Record {
	n := 0
	for i := range h {
		n += len(h[i].entries)
	}
	records := make([]trace.Record, 0, n)
	for _, l := range h {
		decisions, answered := l.decisions, l.effectKeys
		for _, m := range l.entries {
			r := trace.Record{At: m.at, Number: uint64(len(records))}
			if m.event == nil {
				r.Body, decisions = decisions[0], decisions[1:]
				records = append(records, r)
				continue
			}
			in := trace.Input{Event: m.event, BeforeRest: m.beforeRest}
			if _, outcome := m.event.(world.EffectDone); outcome {
				in.Effect, answered = answered[0], answered[1:]
			}
			r.Body = in
			records = append(records, r)
		}
	}
	return records
}

// eventBytes estimates an event's memory, in bytes. It errs high: most objects are shared with the engine until they
// change.
func eventBytes(e world.Event) int64 {
	switch ev := e.(type) {
	case world.Changed:
		return objectBytes(ev.Object)
	case world.Listed:
		var sum int64
		for _, o := range ev.Objects {
			sum += objectBytes(o)
		}
		return sum
	case world.ActivateRequest:
		return int64(32 * len(ev.Activate))
	case world.EffectDone:
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
