package play

import (
	"errors"
	"io"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// About describes a recording in its header.
type About struct {
	Program     string
	Description string
	// NamesHashed says that the engine sees hashes in place of names.
	NamesHashed bool
	// Kubelet is the configuration of the nodes' kubelets where what they use is recorded; see trace.Header.
	Kubelet []byte

	packFaster bool
}

// checkpointEvery is the number of records between checkpoints. A decision has the digest too; checkpoints cover
// stretches without decisions.
const checkpointEvery = 1024

// Recorder writes an engine's inputs and decisions to a trace; it is a drive.Observer. An error ends the recording and
// not the scheduling: Err and Close return it.
type Recorder struct {
	engine          *engine.Engine
	w               *trace.Writer
	open            func() (*trace.Writer, error) // nil once the trace is open
	marks           markDetector
	pending         pendingEffects
	atRest          bool
	sinceCheckpoint int // records since the last checkpoint
	err             error
}

// NewRecorder starts recording an engine made with the given options. If the engine already has inputs, the trace begins with its
// state; see [State]. In the middle of a scheduling cycle, which waits for extenders, it begins once the cycle is over.
func NewRecorder(to io.Writer, e *engine.Engine, o engine.Options, about About) (*Recorder, error) {
	r := &Recorder{engine: e, marks: newMarkDetector(), pending: pendingEffects{}}
	r.open = func() (*trace.Writer, error) { return openTrace(to, e, o, about) }
	if r.begin(); r.err != nil {
		return nil, r.err
	}
	return r, nil
}

// begin opens the trace, unless the engine is in the middle of something.
func (r *Recorder) begin() {
	w, err := r.open()
	if errors.Is(err, engine.ErrUnsettled) {
		return
	}
	r.w, r.err, r.open = w, err, nil
	if err == nil && w.Header().Origin == trace.FromState {
		r.pending.addPendingIn(r.engine)
	}
}

// Applied records an input. It implements drive.Observer.
func (r *Recorder) Applied(in world.Input, _ error) {
	if r.open != nil {
		r.atRest = false
		r.begin()
		return
	}
	r.write(trace.Record{At: in.At, Body: trace.Input{Event: in.Event, BeforeRest: !r.atRest, Effect: r.pending.take(in.Event)}})
	r.atRest = false
	if m, ok := r.marks.input(in.Event); ok {
		r.write(trace.Record{At: in.At, Body: m})
	}
	r.checkpoint()
}

// Stepped records a decision. It implements drive.Observer.
func (r *Recorder) Stepped(d *engine.Decision) {
	if d == nil {
		r.atRest = true
		return
	}
	r.atRest = false
	if r.open != nil {
		r.begin()
		return
	}
	entry := traceDecision(d, r.engine.Digest())
	r.write(trace.Record{At: d.At, Body: entry})
	if m, ok := r.marks.decision(&entry); ok {
		r.write(trace.Record{At: d.At, Body: m})
	}
	r.checkpoint()
}

// State records the engine's state: another replay can begin there, and a cut. Only a trace that begins with a state can have others;
// in the middle of a scheduling cycle the error is engine.ErrUnsettled, and nothing is recorded.
func (r *Recorder) State() error {
	state, err := StateOf(r.engine)
	if err == nil {
		r.write(trace.Record{At: r.engine.Now(), Body: state})
		err = r.err
	}
	return err
}

// Emitted stores an effect until its outcome arrives. It implements drive.Observer.
func (r *Recorder) Emitted(e world.Effect) { r.pending.add(e) }

// pendingEffects are the effects without an outcome.
type pendingEffects map[world.EffectID]trace.EffectKey

// addPendingIn adds the effects whose outcomes an engine waits for.
func (all pendingEffects) addPendingIn(e *engine.Engine) {
	for _, one := range e.PendingEffects() {
		all[one.Effect] = trace.EffectKeyOf(one.Act)
	}
}

func (all pendingEffects) add(e world.Effect) {
	if world.HasOutcome(e.Action) {
		all[e.ID] = trace.EffectKeyOf(e.Action)
	}
}

// take removes and returns the key of the effect that an event is the outcome of.
func (all pendingEffects) take(e world.Event) trace.EffectKey {
	ended, ok := e.(world.EffectDone)
	if !ok {
		return trace.EffectKey{}
	}
	wish := all[ended.Effect]
	delete(all, ended.Effect)
	return wish
}

// Mark sets a note at the engine's time.
func (r *Recorder) Mark(text string) { r.AddMark(trace.Mark{Kind: trace.Note, Text: text}) }

// AddMark sets a mark at the engine's time.
func (r *Recorder) AddMark(m trace.Mark) { r.write(trace.Record{At: r.engine.Now(), Body: m}) }

// Usage records what nodes use, at some time that is not before the engine's.
func (r *Recorder) Usage(at time.Time, u trace.Usage) { r.write(trace.Record{At: at, Body: u}) }

// Flush writes the buffered records.
func (r *Recorder) Flush() error {
	if r.err == nil && r.w != nil {
		r.err = r.w.Flush()
	}
	return r.err
}

// Err returns the error that ended the recording early, or nil.
func (r *Recorder) Err() error { return r.err }

// Close ends the recording with a last checkpoint, unless the engine is in the middle of a cycle.
func (r *Recorder) Close() error {
	r.sinceCheckpoint = checkpointEvery
	r.checkpoint()
	if r.err != nil || r.w == nil {
		return r.err
	}
	return r.w.Close()
}

// checkpoint writes a checkpoint if one is due. In the middle of a cycle that waits for extenders there is none, since a replay has not
// begun that cycle yet.
func (r *Recorder) checkpoint() {
	if r.sinceCheckpoint < checkpointEvery || !r.engine.Settled() {
		return
	}
	r.write(trace.Record{At: r.engine.Now(), Body: checkpointOf(r.engine)})
	r.sinceCheckpoint = 0
}

func checkpointOf(e held) trace.Checkpoint {
	t := e.Counters()
	c := trace.Checkpoint{Digest: uint64(e.Digest()), Inputs: t.Inputs}
	for _, n := range t.Decisions {
		c.Decisions += n
	}
	return c
}

func (r *Recorder) write(record trace.Record) {
	if r.err == nil && r.w != nil {
		r.err = r.w.Write(record)
		r.sinceCheckpoint++
	}
}
