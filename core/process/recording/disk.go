package recording

import (
	"context"
	"time"

	"orrery/core/trace/segments"
)

// Start begins to record to disk, if the options say so. It is called once the engine's loop runs.
func (r *Recording) Start(ctx context.Context) {
	if r.disk == nil {
		return
	}
	ctx, r.stopDisk = context.WithCancel(context.WithoutCancel(ctx))
	r.diskDone = make(chan struct{})
	go func() {
		defer close(r.diskDone)
		each := time.NewTicker(segments.TickEvery)
		defer each.Stop()
		r.disk.Run(ctx, each.C)
	}()
}

// End ends the recording on disk and waits for that, after the end of the engine's loop, which adds the last records.
func (r *Recording) End() {
	if r.diskDone != nil {
		r.stopDisk()
		<-r.diskDone
	}
}

// Status returns how the recording on disk does; nothing is to be recorded there unless there is one.
func (r *Recording) Status() (s segments.Status, there bool) {
	if r.disk == nil {
		return s, false
	}
	return r.disk.Status(), true
}
