package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
)

// flightRecorderBytes bounds the flight recorder, which always runs. In a cluster of 5,000 nodes and 10,000 pods it
// takes some 30 MB: two minutes at 40 pods a second.
//
//orrery:limit scheduler; the flight recorder, in bytes; the older half goes; less under GOMEMLIMIT
const flightRecorderBytes = 32 << 20

// Options configure a Recording.
type Options struct {
	// Engine was made with EngineOptions.
	Engine        *engine.Engine
	EngineOptions engine.Options
	// Disk says where segments are written; without a directory nothing is recorded on disk.
	Disk segments.Options
	// Program names the command in what Save writes, as in "orrery run".
	Program string
	// Inspect runs a function between two inputs of the engine. It is first called after the engine's loop has started.
	Inspect func(ctx context.Context, read func(*engine.Engine)) error
}

// Recording is what a process keeps of its engine.
type Recording struct {
	options Options
	flight  *play.FlightRecorder
	feed    *play.Feed
	disk    *segments.Recorder // nil without a directory

	stopDisk context.CancelFunc
	diskDone chan struct{} // closed when the last segment is ended; nil unless Start was called
}

// New returns a recording of an engine that has had no input.
func New(o Options) (*Recording, error) {
	r := &Recording{options: o}
	var err error
	if r.flight, err = play.NewFlightRecorder(o.Engine, o.EngineOptions, flightRecorderBytes); err != nil {
		return nil, fmt.Errorf("starting the flight recorder: %w", err)
	}
	r.feed = play.NewFeed(o.Engine, o.EngineOptions, r.flight)
	if o.Disk.Directory != "" {
		r.disk = segments.NewRecorder(o.Disk, r)
	}
	return r, nil
}

// Observers are those of the engine, in their order: the feed reads the flight recorder.
func (r *Recording) Observers() []drive.Observer { return []drive.Observer{r.flight, r.feed} }

// FlightRecorder returns the last minutes.
func (r *Recording) FlightRecorder() *play.FlightRecorder { return r.flight }

// Feed returns what hands the records to subscribers.
func (r *Recording) Feed() *play.Feed { return r.feed }

// Refresh tells subscribers that the engine goes on, and whether its records reach the disk. It is called between two inputs.
func (r *Recording) Refresh(now time.Time) {
	if r.disk != nil {
		r.feed.SetOutage(r.disk.Status().Outage(now))
	}
	r.feed.Checkpoint()
}

// Subscribe begins to hand the engine's records, and its state before them, to a subscriber. It fails at the end of the context, and
// when the engine's loop has stopped or has not started.
func (r *Recording) Subscribe(ctx context.Context, o play.SubscriptionOptions) (s *play.Subscriber, err error) {
	err = r.options.Inspect(ctx, func(*engine.Engine) { s = r.feed.Subscribe(o) })
	return s, err
}

// Unsubscribe ends a subscription.
func (r *Recording) Unsubscribe(ctx context.Context, s *play.Subscriber) error {
	return r.options.Inspect(ctx, func(*engine.Engine) { r.feed.Unsubscribe(s) })
}

// SaveFlightRecorder writes the last minutes as a trace.
func (r *Recording) SaveFlightRecorder(ctx context.Context, to io.Writer) error {
	var saved error
	looked := r.options.Inspect(ctx, func(*engine.Engine) {
		saved = r.flight.Save(to, play.About{Program: r.options.Program, Description: "what the flight recorder held"})
	})
	return errors.Join(looked, saved)
}
