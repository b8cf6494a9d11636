package play

import (
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// Feed hands the records of an engine to subscribers, each of which writes them as a trace on a goroutine of its own. It is a
// drive.Observer. All its methods belong to the loop that drives the engine: call them between two inputs.
//
//	loop: Applied, Stepped ──► Feed ──► the subscriber's records, bounded ──┊──► Subscriber.Copy ──► trace
//	      Subscribe ──────────────────► the engine, frozen ─────────────────┊──► its state, the trace's first record
//
// The loop pays for a frozen engine, and for each record that it appends. Without subscribers it pays nothing.
type Feed struct {
	engine      *engine.Engine
	options     engine.Options
	flight      *FlightRecorder
	subscribers []*Subscriber
	joining     []*Subscriber // that wait for the engine to settle
	pending     pendingEffects
	atRest      bool
	outage      string // why nothing is recorded on disk; empty while it is, or is not to be
	behind      string // why the engine lags behind the cluster; empty while it does not
}

// NewFeed returns a feed of an engine made with the given options. The flight recorder, which observes the same engine before the feed does,
// provides the records from before a subscription; it may be nil.
func NewFeed(e *engine.Engine, o engine.Options, flight *FlightRecorder) *Feed {
	return &Feed{engine: e, options: o, flight: flight}
}

// Subscribe begins a subscription: with the engine's state of this moment, or of the first one at which it can be written.
func (f *Feed) Subscribe(o SubscriptionOptions) *Subscriber {
	s := newSubscriber(f.options, o)
	f.joining = append(f.joining, s)
	f.join()
	return s
}

// Unsubscribe ends a subscription. The subscriber still writes what it has.
func (f *Feed) Unsubscribe(s *Subscriber) {
	is := func(other *Subscriber) bool { return other == s }
	f.joining = slices.DeleteFunc(f.joining, is)
	f.subscribers = slices.DeleteFunc(f.subscribers, is)
	s.end(errUnsubscribed)
}

// Checkpoint appends the engine's digest. Regular ones tell a reader of a quiet stream that it is alive. In the middle of a cycle that waits
// for extenders there is none, since a replay has not begun that cycle yet.
func (f *Feed) Checkpoint() {
	if len(f.subscribers) > 0 && f.engine.Settled() {
		f.append(trace.Record{At: f.engine.Now(), Body: checkpointOf(f.engine)}, entryBytes)
	}
}

// SetOutage tells the subscribers by a mark why the scheduler's recording on disk has stopped, or, with an empty text, that it goes on. Later
// subscribers get it immediately.
func (f *Feed) SetOutage(why string) {
	if why == f.outage {
		return
	}
	f.outage = why
	f.append(trace.Record{At: f.engine.Now(), Body: f.outageMark()}, entryBytes)
}

func (f *Feed) outageMark() trace.Mark {
	if f.outage == "" {
		return trace.Mark{Kind: trace.RecordingResumed, Text: "recording on disk goes on"}
	}
	return trace.Mark{Kind: trace.RecordingStopped, Text: f.outage}
}

// SetBehind tells the subscribers by a mark why the engine lags behind the cluster, or, with an empty text, that it no longer does.
func (f *Feed) SetBehind(why string) {
	if (why == "") == (f.behind == "") { // how far behind it is changes all the time
		return
	}
	f.behind = why
	f.append(trace.Record{At: f.engine.Now(), Body: f.behindMark()}, entryBytes)
}

func (f *Feed) behindMark() trace.Mark {
	if f.behind == "" {
		return trace.Mark{Kind: trace.CaughtUp, Text: "up to date with the cluster again"}
	}
	return trace.Mark{Kind: trace.FellBehind, Text: f.behind}
}

// AddMark appends a mark.
func (f *Feed) AddMark(m trace.Mark) {
	f.append(trace.Record{At: f.engine.Now(), Body: m}, entryBytes+int64(len(m.Text)))
}

// Applied appends an input. It implements drive.Observer.
func (f *Feed) Applied(in world.Input, _ error) {
	if len(f.subscribers) > 0 {
		body := trace.Input{Event: in.Event, BeforeRest: !f.atRest, Effect: f.pending.take(in.Event)}
		f.append(trace.Record{At: in.At, Body: body}, entryBytes+f.heldBytes(in.Event))
	}
	f.atRest = false
	f.join()
}

// listItemBytes is a pointer to an object.
const listItemBytes = 16

// heldBytes estimates what an event that waits keeps in memory. Of a list it leaves out what the engine holds anyway: the first list of a
// large cluster would else end every subscription.
func (f *Feed) heldBytes(e world.Event) int64 {
	list, ok := e.(world.Listed)
	if !ok {
		return eventBytes(e)
	}
	sum := int64(listItemBytes * len(list.Objects))
	for _, o := range list.Objects {
		if o == nil || f.engine.Store().Object(list.Kind, o.GetNamespace(), o.GetName()) != o {
			sum += objectBytes(o)
		}
	}
	return sum
}

// Stepped appends a decision. It implements drive.Observer.
func (f *Feed) Stepped(d *engine.Decision) {
	if f.atRest = d == nil; f.atRest {
		return
	}
	if len(f.subscribers) > 0 {
		f.append(trace.Record{At: d.At, Body: traceDecision(d, f.engine.Digest())}, entryBytes+decisionBytes)
	}
	f.join()
}

// Emitted stores an effect until its outcome arrives. It implements drive.Observer.
func (f *Feed) Emitted(e world.Effect) {
	if len(f.subscribers) > 0 {
		f.pending.add(e)
	}
}

func (f *Feed) append(r trace.Record, bytes int64) {
	f.subscribers = slices.DeleteFunc(f.subscribers, func(s *Subscriber) bool { return !s.append(r, bytes) })
}

// join lets the subscribers join that wait, unless the engine is in the middle of something.
func (f *Feed) join() {
	if len(f.joining) == 0 || !f.engine.Settled() {
		return
	}
	if len(f.subscribers) == 0 {
		f.pending = pendingEffects{}
		f.pending.addPendingIn(f.engine)
	}
	for _, s := range f.joining {
		if s.begin(f.engine, f.flight); s.ended() {
			continue
		}
		if f.outage != "" {
			s.append(trace.Record{At: f.engine.Now(), Body: f.outageMark()}, entryBytes)
		}
		if f.behind != "" {
			s.append(trace.Record{At: f.engine.Now(), Body: f.behindMark()}, entryBytes)
		}
		f.subscribers = append(f.subscribers, s)
		if s.replaces != nil {
			s.replaces.replace()
			s.replaces = nil // else each subscription would hold all before it
		}
	}
	f.joining = nil
}
