package play

import (
	"errors"
	"fmt"
	"io"

	"orrery/core/engine"
	"orrery/core/trace"
)

// Options are how a trace is played. The zero value plays it as it was recorded.
type Options struct {
	// Adjust changes the engine's options before it is made: to bring third-party plugins, or to see what another
	// configuration or seed would have decided.
	Adjust func(*engine.Options)
	// Progress, if not nil, is called now and then with how far in the file the replay has come, in bytes.
	Progress func(offset int64)
}

// progressEvery is after how many records Progress is called.
const progressEvery = 256

// engineFor makes the engine that a trace is played to.
func (o Options) engineFor(h trace.Header) (*engine.Engine, error) {
	options, err := OptionsOf(h)
	if err != nil {
		return nil, err
	}
	if o.Adjust != nil {
		o.Adjust(&options)
	}
	e, err := engine.New(options)
	if err != nil {
		return nil, fmt.Errorf("making an engine to replay with: %w", err)
	}
	return e, nil
}

// Replay decides again what a trace says was decided, from its beginning to its end, and compares. The engine is left
// where the trace ends. A trace that is damaged is replayed up to there, which the report says; the error says that it
// could not be replayed at all.
func Replay(from io.Reader, o Options) (*engine.Engine, *Report, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, nil, err
	}
	e, err := o.engineFor(r.Header())
	if err != nil {
		return nil, nil, err
	}
	p := newPerformance(e, r.Header().Base, r.Header().NamesHashed)
	report := &Report{Exact: p.exact()}
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &report.Damage)
			break
		}
		p.play(record, report)
		if o.Progress != nil && report.Records%progressEvery == 0 {
			o.Progress(r.Offset())
		}
	}
	return e, report, nil
}
