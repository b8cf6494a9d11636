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
	// Companion, if not nil, makes what goes along with the engine, before the engine is told anything.
	Companion func(e *engine.Engine) Companion
	// Progress, if not nil, is called now and then with how far in the file the replay has come, in bytes.
	Progress func(offset int64)
}

// progressEvery is after how many records Progress is called.
const progressEvery = 256

// perform begins a performance of a trace.
func (o Options) perform(h trace.Header) (performance, error) {
	options, err := OptionsOf(h)
	if err != nil {
		return performance{}, err
	}
	if o.Adjust != nil {
		o.Adjust(&options)
	}
	e, err := engine.New(options)
	if err != nil {
		return performance{}, fmt.Errorf("making an engine to replay with: %w", err)
	}
	var along Companion
	if o.Companion != nil {
		along = o.Companion(e)
	}
	return newPerformance(e, along, h.Base, h.NamesHashed), nil
}

// Replay decides again what a trace says was decided, from its beginning to its end, and compares. The engine is left
// where the trace ends. A trace that is damaged is replayed up to there, which the report says; the error says that it
// could not be replayed at all.
func Replay(from io.Reader, o Options) (*engine.Engine, *Report, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, nil, err
	}
	p, err := o.perform(r.Header())
	if err != nil {
		return nil, nil, err
	}
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
	return p.engine, report, nil
}
