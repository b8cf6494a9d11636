package journey

import (
	"io"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
)

// Read replays a recording, or one segment of it, and tells the tracker what happens up to a time; zero is its end. Further segments may
// follow; after the last one, call [Tracker.Finish]. An observer of the options is told before the tracker is. It returns the engine as of the end.
func (t *Tracker) Read(from io.Reader, o play.Options, until time.Time) (*engine.Engine, *play.Report, error) {
	adjust := o.Adjust
	o.Adjust = func(options *engine.Options) {
		if adjust != nil {
			adjust(options)
		}
		options.Listener = t
	}
	beside := o.Observer
	o.Observer = func(e *engine.Engine) drive.Observer {
		t.follow(e, until)
		if beside == nil {
			return t
		}
		return drive.Observers{beside(e), t}
	}
	return play.Replay(from, o)
}
