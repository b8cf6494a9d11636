package play

import (
	"io"

	"orrery/core/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// About is what a recording says of itself.
type About struct {
	Program     string
	Description string
	// Hash, if not nil, replaces names.
	Hash *trace.Hash
}

// checkpointEvery is after how many decisions and inputs the digest is recorded. A decision has it too; checkpoints are
// for stretches without any.
const checkpointEvery = 1024

// Recorder writes down an engine's life as it happens; it is an engine.Witness. An error ends the recording and never
// the scheduling: it is kept for Err and Close.
type Recorder struct {
	engine *engine.Engine
	w      *trace.Writer
	look   lookout
	wishes wishes
	rested bool
	since  int // records since the last checkpoint
	err    error
}

// NewRecorder begins a recording of an engine that was made with the given options. An engine that has a past is
// recorded from a snapshot of it on.
func NewRecorder(to io.Writer, e *engine.Engine, o engine.Options, about About) (*Recorder, error) {
	w, err := begin(to, e, o, about)
	if err != nil {
		return nil, err
	}
	return &Recorder{engine: e, w: w, look: newLookout(), wishes: wishes{}}, nil
}

// begin opens a trace of an engine from where it is now on.
func begin(to io.Writer, e *engine.Engine, o engine.Options, about About) (*trace.Writer, error) {
	h, err := HeaderOf(o)
	if err != nil {
		return nil, err
	}
	h.Start, h.Program, h.Description = e.Now(), about.Program, about.Description
	if e.Tally().Inputs > 0 {
		h.Base = trace.FromSnapshot
	}
	var w *trace.Writer
	if about.Hash != nil {
		w, err = trace.NewHashedWriter(to, h, about.Hash)
	} else {
		w, err = trace.NewWriter(to, h)
	}
	if err == nil && h.Base == trace.FromSnapshot {
		err = trace.WriteSnapshot(w, e.Store(), e.Now())
	}
	return w, err
}

// Applied records an input. It implements engine.Witness.
func (r *Recorder) Applied(in world.Input, _ error) {
	r.write(trace.Record{At: in.At, Body: trace.Input{Event: in.Event, Hurried: !r.rested, Answers: r.wishes.answered(in.Event)}})
	r.rested = false
	if m, ok := r.look.input(in.Event); ok {
		r.write(trace.Record{At: in.At, Body: m})
	}
	r.checkpoint()
}

// Stepped records a decision. It implements engine.Witness.
func (r *Recorder) Stepped(d *engine.Decision) {
	if d == nil {
		r.rested = true
		return
	}
	r.rested = false
	entry := decided(d, r.engine.Digest())
	r.write(trace.Record{At: d.At, Body: entry})
	if m, ok := r.look.decision(&entry); ok {
		r.write(trace.Record{At: d.At, Body: m})
	}
	r.checkpoint()
}

// Wanted remembers an effect until its outcome comes. It implements engine.Witness.
func (r *Recorder) Wanted(e world.Effect) { r.wishes.add(e) }

// wishes are the effects whose outcomes have not come.
type wishes map[world.EffectID]trace.Wish

func (all wishes) add(e world.Effect) {
	if world.Answered(e.Act) {
		all[e.ID] = trace.WishOf(e.Act)
	}
}

// answered is the wish that an event is the outcome of.
func (all wishes) answered(e world.Event) trace.Wish {
	ended, ok := e.(world.Ended)
	if !ok {
		return trace.Wish{}
	}
	wish := all[ended.Effect]
	delete(all, ended.Effect)
	return wish
}

// Mark sets a mark at the engine's time.
func (r *Recorder) Mark(text string) {
	r.write(trace.Record{At: r.engine.Now(), Body: trace.Mark{Kind: trace.Note, Text: text}})
}

// Flush writes what was not written yet.
func (r *Recorder) Flush() error {
	if r.err == nil {
		r.err = r.w.Flush()
	}
	return r.err
}

// Err is what ended the recording early, or nil.
func (r *Recorder) Err() error { return r.err }

// Close ends the recording with a last checkpoint.
func (r *Recorder) Close() error {
	r.since = checkpointEvery
	r.checkpoint()
	if r.err != nil {
		return r.err
	}
	return r.w.Close()
}

func (r *Recorder) checkpoint() {
	if r.since < checkpointEvery {
		return
	}
	r.write(trace.Record{At: r.engine.Now(), Body: checkpointOf(r.engine)})
	r.since = 0
}

func checkpointOf(e *engine.Engine) trace.Checkpoint {
	t := e.Tally()
	c := trace.Checkpoint{Digest: uint64(e.Digest()), Inputs: t.Inputs}
	for _, n := range t.Decisions {
		c.Decisions += n
	}
	return c
}

func (r *Recorder) write(record trace.Record) {
	if r.err == nil {
		r.err = r.w.Write(record)
		r.since++
	}
}

// Witnesses are several witnesses in one.
type Witnesses []engine.Witness

// Applied tells all of them of an input.
func (all Witnesses) Applied(in world.Input, err error) {
	for _, w := range all {
		w.Applied(in, err)
	}
}

// Stepped tells all of them of a decision.
func (all Witnesses) Stepped(d *engine.Decision) {
	for _, w := range all {
		w.Stepped(d)
	}
}

// Wanted tells all of them of an effect.
func (all Witnesses) Wanted(e world.Effect) {
	for _, w := range all {
		w.Wanted(e)
	}
}
