package play

import (
	"errors"
	"fmt"
	"io"
	"time"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/store"
	"orrery/core/trace"
)

// held is what a trace can begin with: an engine, or a frozen one.
type held interface {
	State() (codec.State, error)
	Store() store.View
	Now() time.Time
	Digest() engine.Digest
	Counters() engine.Counters
	Shadows() bool
	ExtendersUnasked() bool
}

// openTrace opens a trace that begins with what an engine holds: nothing, if it has had no input yet, or its state. Where that cannot be
// written, as names are to be replaced or a plugin that is not Orrery's own takes part in a binding, it begins with a snapshot. The
// error is engine.ErrUnsettled if the state cannot be written yet.
func openTrace(to io.Writer, e held, o engine.Options, about About) (*trace.Writer, error) {
	if e.Counters().Inputs == 0 {
		return openTraceOf(to, e, o, about, trace.FromStart)
	}
	state, err := StateOf(e)
	switch {
	case errors.Is(err, engine.ErrUnsettled):
		return nil, err
	case err != nil:
		return openTraceOf(to, e, o, about, trace.FromSnapshot)
	}
	w, err := openTraceOf(to, e, o, about, trace.FromState)
	if err == nil {
		err = w.Write(trace.Record{At: e.Now(), Body: state})
	}
	return w, err
}

// openTraceOf opens a trace of an origin, with the lists that it begins with if that is a snapshot.
func openTraceOf(to io.Writer, e held, o engine.Options, about About, origin trace.Origin) (*trace.Writer, error) {
	h, err := HeaderOf(o)
	if err != nil {
		return nil, err
	}
	h.Origin, h.Start, h.Program, h.Description, h.Shadow = origin, e.Now(), about.Program, about.Description, e.Shadows()
	h.ExtendersUnasked, h.NamesHashed, h.Kubelet = e.ExtendersUnasked(), about.NamesHashed, about.Kubelet
	w, err := newWriter(to, h, about)
	if err == nil && origin == trace.FromSnapshot {
		err = trace.WriteSnapshot(w, e.Store(), e.Now())
	}
	return w, err
}

func newWriter(to io.Writer, h trace.Header, about About) (*trace.Writer, error) {
	w, err := trace.NewWriter(to, h)
	if err == nil && about.packFaster {
		w.PackFaster()
	}
	return w, err
}

// StateOf returns an engine's state for a trace. A fork's, and a frozen engine's, can be written on a goroutine of its own.
func StateOf(e held) (trace.State, error) {
	state, err := e.State()
	return trace.State{Checkpoint: checkpointOf(e), Objects: state.Objects, Data: state.Data}, err
}

// Restore makes an engine with the options of a trace that goes on from one of the trace's states.
func Restore(o engine.Options, r trace.Record) (*engine.Engine, error) {
	state, ok := r.Body.(trace.State)
	if !ok {
		return nil, fmt.Errorf("record %d is no state to begin with", r.Number)
	}
	e, err := engine.New(o)
	if err != nil {
		return nil, fmt.Errorf("making an engine to replay with: %w", err)
	}
	if err := e.Restore(codec.State{Objects: state.Objects, Data: state.Data}); err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Number, err)
	}
	if checkpointOf(e) != state.Checkpoint {
		return nil, fmt.Errorf("record %d: the state is of another moment than it says", r.Number)
	}
	return e, nil
}
