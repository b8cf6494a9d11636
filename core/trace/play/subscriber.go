package play

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// ErrFellBehind ends a subscription whose records were not written as fast as they came.
var ErrFellBehind = errors.New("the reader fell behind by more than it may")

// ErrReplaced says that another subscription has the records from here on.
var ErrReplaced = errors.New("another subscription goes on from here")

// errUnsubscribed ends a subscription by Unsubscribe.
var errUnsubscribed = errors.New("unsubscribed")

// SubscriptionOptions are what a subscription begins with, and its bound.
type SubscriptionOptions struct {
	About About
	// MaxBytes bounds the records that wait to be written; zero means DefaultFlightRecorderBytes.
	MaxBytes int64
	// Since, unless it is zero, begins with what the flight recorder holds from then on, or with all that it holds.
	Since time.Time
	// Replaces is told by ErrReplaced, after the last record before those of this subscription. It goes on until it is stopped, so that
	// nothing is lost if this one fails to begin.
	Replaces *Subscriber
}

// Subscriber writes the records of a [Feed] as a trace. Its methods may be called on one goroutine, which need not be the loop's.
type Subscriber struct {
	about    About
	options  engine.Options
	maxBytes int64
	since    time.Time
	replaces *Subscriber
	ready    chan struct{}

	mu      sync.Mutex
	base    *engine.Frozen // until the trace is begun
	begun   bool
	summary Summary
	earlier heldFlight // the flight recorder's records after base
	records []trace.Record
	bytes   int64
	// kept are the records before those of a subscription that replaces this one, until Copy has told so, and keptBytes their size.
	kept      int
	keptBytes int64
	replaced  bool
	err       error // why it ended

	// Of the writing goroutine.
	w     *trace.Writer
	marks markDetector
	spare []trace.Record
}

func newSubscriber(engineOptions engine.Options, o SubscriptionOptions) *Subscriber {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultFlightRecorderBytes
	}
	o.About.packFaster = true
	return &Subscriber{
		about: o.About, options: engineOptions, maxBytes: o.MaxBytes, since: o.Since, replaces: o.Replaces,
		ready: make(chan struct{}, 1), marks: newMarkDetector(),
	}
}

// begin joins at this moment of an engine.
func (s *Subscriber) begin(e *engine.Engine, flight *FlightRecorder) {
	if s.ended() {
		return
	}
	var earlier heldFlight
	if !s.since.IsZero() && flight != nil {
		earlier, e = flight.heldSince(s.since)
	}
	base, err := e.Freeze()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base, s.earlier = base, earlier
	if err != nil {
		s.err = fmt.Errorf("beginning to read the scheduler: %w", err)
	} else {
		s.begun, s.summary = true, Summary{Seed: s.options.Seed, Start: base.Now(), End: base.Now(), Counted: true}
		if base.Counters().Inputs > 0 { // otherwise the trace has no state
			s.summary.Begin = checkpointOf(base)
		}
	}
	s.signal()
}

// append adds a record. It reports whether the subscription goes on.
func (s *Subscriber) append(r trace.Record, bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return false
	}
	if s.bytes += bytes; s.bytes > s.maxBytes {
		s.err, s.records = ErrFellBehind, nil
	} else {
		s.records = append(s.records, r)
	}
	s.signal()
	return s.err == nil
}

// replace marks where another subscription has begun.
func (s *Subscriber) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.keptBytes, s.replaced = len(s.records), s.bytes, true
	s.signal()
}

// end ends the subscription; the first reason stays.
func (s *Subscriber) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = why
	}
	s.signal()
}

func (s *Subscriber) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

func (s *Subscriber) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// Ready receives when there is something to write, and when the subscription has ended.
func (s *Subscriber) Ready() <-chan struct{} { return s.ready }

// Copy writes the records that have come since the last call, of which it returns the number. The first one writes the state that the
// trace begins with, which takes about a second with 5,000 nodes and 100,000 pods. What is written stays in the trace's buffer until
// Flush. The error is ErrReplaced once before the records that another subscription has, too. After the last record it is io.EOF if the
// subscription was ended, and ErrFellBehind if records are missing.
func (s *Subscriber) Copy(to io.Writer) (int, error) {
	base, earlier, records, ended := s.take()
	n := 0
	if base != nil {
		if err := s.open(to, base); err != nil {
			return 0, err
		}
		old := earlier.records()
		n += len(old)
		if err := s.write(old); err != nil {
			return 0, err
		}
	}
	if err := s.write(records); err != nil {
		return n, err
	}
	n += len(records)
	clear(records)
	s.spare = records
	if errors.Is(ended, errUnsubscribed) {
		return n, io.EOF
	}
	return n, ended
}

// take returns what is to be written next, and why it is not all.
func (s *Subscriber) take() (base *engine.Frozen, earlier heldFlight, records []trace.Record, ended error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	base, earlier, records, ended = s.base, s.earlier, s.records, s.err
	s.base, s.earlier, s.records, s.bytes = nil, nil, s.spare[:0], s.bytes-s.keptBytes
	if s.replaced && !errors.Is(ended, ErrFellBehind) {
		s.records = append(s.records, records[s.kept:]...)
		records, ended = records[:s.kept], ErrReplaced
	} else {
		s.bytes = 0
	}
	s.kept, s.keptBytes, s.replaced = 0, 0, false
	return base, earlier, records, ended
}

func (s *Subscriber) open(to io.Writer, base *engine.Frozen) (err error) {
	s.w, err = openTrace(to, base, s.options, s.about)
	if errors.Is(err, engine.ErrUnsettled) {
		s.w, err = openTraceOf(to, base, s.options, s.about, trace.FromSnapshot)
	}
	return err
}

func (s *Subscriber) write(records []trace.Record) error {
	for _, r := range records {
		if err := s.w.Write(r); err != nil {
			return err
		}
		s.summary.Add(r)
		m, ok := s.marks.record(r.Body)
		if !ok {
			continue
		}
		if err := s.w.Write(trace.Record{At: r.At, Body: m}); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the subscription on the side that writes it, and drops what is not written yet. It does not wait for the loop.
func (s *Subscriber) Stop() {
	s.end(errUnsubscribed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base, s.earlier, s.records = nil, nil, nil
}

// Heartbeat writes the trace's buffer, or an empty block; before the first Copy, nothing.
func (s *Subscriber) Heartbeat() error {
	if s.w == nil {
		return nil
	}
	return s.w.Heartbeat()
}

// Begun returns what is written so far, once the engine's state is known with which the trace begins.
func (s *Subscriber) Begun() (Summary, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary, s.begun
}

// Flush writes the trace's buffer.
func (s *Subscriber) Flush() error {
	if s.w == nil {
		return nil
	}
	return s.w.Flush()
}

// Close ends the trace.
func (s *Subscriber) Close() error {
	if s.w == nil {
		return nil
	}
	return s.w.Close()
}
