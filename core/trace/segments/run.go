package segments

import (
	"context"
	"time"

	"orrery/core/safe/panics"
)

// TickEvery is the time between two ticks. A crash loses what came since the last one, and what was being written then.
const TickEvery = 500 * time.Millisecond

// closing is how many ticks a disk gets to take the rest once the process ends.
const closing = 6

// Run records until the context ends; each tick is a step. It returns when the recording is ended, or soon after if the disk hangs: then the
// goroutine that writes stays, and the process may end with it.
func (r *Recorder) Run(ctx context.Context, ticks <-chan time.Time) {
	steps, done := make(chan time.Time), make(chan struct{})
	r.ticks = steps
	go func() {
		defer close(done)
		if err := panics.Call("recording", func() { r.work(ctx, steps) }); err != nil {
			r.update(func(s *Status) { s.Recording = false })
			r.options.Logger.Error(err, "Nothing is recorded any more; scheduling goes on", "directory", r.options.Directory)
		}
	}()
	w := watch{recorder: r}
	for ctx.Err() == nil {
		select {
		case now := <-ticks:
			select {
			case steps <- now:
				w.since = now
			default:
				w.check(now)
			}
		case <-ctx.Done():
		}
	}
	close(steps)
	for range closing {
		select {
		case <-done:
			return
		case <-ticks:
		}
	}
}

func (r *Recorder) work(ctx context.Context, steps <-chan time.Time) {
	var last time.Time
	for last = range steps {
		r.Step(ctx, last)
	}
	r.Finish(last)
}

// watch reports a step that does not end.
type watch struct {
	recorder *Recorder
	since    time.Time // when the step began
	reported time.Time // the beginning of the last step that was reported
}

func (w *watch) check(now time.Time) {
	if now.Sub(w.since) < stalled || w.reported.Equal(w.since) {
		return
	}
	w.reported = w.since
	w.recorder.options.Logger.Error(nil, "Recording stands still: the disk does not answer; scheduling goes on",
		"directory", w.recorder.options.Directory, "since", w.since)
}
