package play

import (
	"errors"
	"fmt"
	"io"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/world"
)

// Options say how to replay a trace. The zero value replays it as recorded.
type Options struct {
	// Adjust changes the options before the engine is made: to add third-party plugins, or to compare with another
	// configuration or seed.
	Adjust func(*engine.Options)
	// Kubernetes, if not nil, is the release to decide as, in place of the recorded one. The recorded feature gates that it does not take are
	// at its defaults.
	Kubernetes *release.Release
	// Follower, if not nil, makes the follower before the engine's first input.
	Follower func(e *engine.Engine) Follower
	// Observer, if not nil, makes an observer of the engine before its first input. A fork has none, as it has no Listener.
	Observer func(e *engine.Engine) drive.Observer
	// Until, unless it is zero, ends a player's records with the first one after it.
	Until time.Time
	// Progress, if not nil, is called from time to time with the number of bytes read.
	Progress func(offset int64)
}

// progressEvery is the number of records between calls of Progress.
const progressEvery = 256

// newReplayer makes a replayer for a trace with these first records, if there are any. It begins at the state with which they begin.
func (o Options) newReplayer(h trace.Header, first []trace.Record) (replayer, error) {
	options, err := OptionsOf(h)
	if err != nil {
		return replayer{}, err
	}
	if o.Kubernetes != nil {
		features, _ := options.Config.Features.In(*o.Kubernetes)
		if options.Config, err = options.Config.In(features); err != nil {
			return replayer{}, err
		}
	}
	if o.Adjust != nil {
		o.Adjust(&options)
	}
	if len(first) > 0 && h.Origin == trace.FromState {
		return o.newReplayerAt(options, h, first[0])
	}
	e, err := engine.New(options)
	if err != nil {
		return replayer{}, fmt.Errorf("making an engine to replay with: %w", err)
	}
	var along Follower
	if o.Follower != nil {
		along = o.Follower(e)
	}
	return newReplayer(e, along, o.observer(e), h.Origin, h.NamesHashed), nil
}

func (o Options) observer(e *engine.Engine) drive.Observer {
	if o.Observer == nil {
		return nil
	}
	return o.Observer(e)
}

// newReplayerAt makes a replayer that goes on from a state. The follower and the observer get the objects as lists.
func (o Options) newReplayerAt(options engine.Options, h trace.Header, first trace.Record) (replayer, error) {
	e, err := Restore(options, first)
	if err != nil {
		return replayer{}, err
	}
	var along Follower
	if o.Follower != nil {
		along = o.Follower(e)
	}
	beside := o.observer(e)
	if along != nil || beside != nil {
		for _, list := range trace.Lists(e.Store()) {
			for _, observer := range []drive.Observer{along, beside} {
				if observer != nil {
					observer.Applied(world.Input{At: e.Now(), Event: list}, nil)
				}
			}
		}
	}
	return newReplayer(e, along, beside, h.Origin, h.NamesHashed), nil
}

// Replay decides a whole trace again and compares the decisions with the recorded ones. It returns the engine as of the
// end of the trace. A damaged trace is replayed up to the damage, which the report has; the error is for a trace that
// cannot be replayed at all.
func Replay(from io.Reader, o Options) (*engine.Engine, *Report, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, nil, err
	}
	var begin []trace.Record
	if first, err := r.Next(); err == nil {
		begin = append(begin, first)
	}
	p, err := o.newReplayer(r.Header(), begin)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{Exact: p.exact(), Summary: summaryOf(r.Header())}
	for _, record := range begin {
		report.Summary.Add(record)
		p.playRecord(record, report)
	}
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &report.Damage)
			break
		}
		report.Summary.Add(record)
		p.playRecord(record, report)
		if o.Progress != nil && report.Records%progressEvery == 0 {
			o.Progress(r.Offset())
		}
	}
	return p.engine, report, nil
}
