package playback

import (
	"fmt"
	"io"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

// Options are how a trace is opened.
type Options struct {
	// Name is the displayed name of the recording.
	Name string
	// Follower, if not nil, makes the engine's follower.
	Follower func(*engine.Engine) play.Follower
	// Adjust, if not nil, changes the engine's options before it is made.
	Adjust func(*engine.Options)
	// Plugins are third-party plugins that the trace was recorded with.
	Plugins framework.Registry
	// NoReuse computes every verdict and score afresh.
	NoReuse bool
	// Loop restarts the recording at its end. Speed is trace time per real time; zero is 1.
	Loop  bool
	Speed float64
	// Progress, if not nil, is called now and then with the bytes read so far.
	Progress func(offset int64)
}

// Recording plays one trace.
type Recording struct {
	name      string
	player    *play.Player
	marks     []trace.MarkAt
	histogram histogram

	now     time.Time // of the trace; between two records, the time since the first of them
	playing bool
	speed   float64
	loop    bool
	behind  bool
	err     error

	// growing says that records are added, and following that the position is at their end.
	growing, following bool
}

// Open reads a trace, paused at its beginning. A damaged trace plays up to the damage, which Damage returns; the error
// means that nothing can be played.
func Open(r io.Reader, o Options) (*Recording, error) {
	player, err := play.NewPlayer(r, play.Options{
		Follower: o.Follower, Progress: o.Progress,
		Adjust: func(e *engine.Options) {
			e.Plugins, e.NoReuse = o.Plugins, o.NoReuse
			if o.Adjust != nil {
				o.Adjust(e)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", o.Name, err)
	}
	d := newRecording(o.Name, player)
	d.loop = o.Loop
	if o.Speed != 0 {
		d.SetSpeed(o.Speed)
	}
	return d, nil
}

func newRecording(name string, player *play.Player) *Recording {
	d := &Recording{name: name, player: player, marks: player.Marks(), speed: 1}
	d.now = player.At().Time
	d.histogram = newHistogram(d.Start(), d.End(), player.Records())
	player.Watch(d.histogram.observe)
	return d
}

// Name returns the displayed name of the recording.
func (d *Recording) Name() string { return d.name }

// Header returns the trace's header.
func (d *Recording) Header() trace.Header { return d.player.Header() }

// Engine returns the engine at Now, for reading only. Playing on changes it, and going back replaces it.
func (d *Recording) Engine() *engine.Engine { return d.player.Engine() }

// Follower returns the engine's follower; nil if there is none.
func (d *Recording) Follower() play.Follower { return d.player.Follower() }

// Now is the time in the trace.
func (d *Recording) Now() time.Time { return d.now }

// Start and End are the times between which there is something to see.
func (d *Recording) Start() time.Time { return d.player.Start().Time }

// End is the time of the last record.
func (d *Recording) End() time.Time { return d.player.End().Time }

// Record is how many records were played, of Records. The first that is held may have others before it.
func (d *Recording) Record() int { return d.player.At().Record }

// Records is how many records the trace has.
func (d *Recording) Records() int { return d.player.End().Record }

// Ahead are the records that were not played yet.
func (d *Recording) Ahead() []trace.Record {
	return d.player.Records()[d.player.At().Record-d.player.Start().Record:]
}

// RecordAt is how many records there are up to and with a time.
func (d *Recording) RecordAt(t time.Time) int { return d.player.RecordAt(t) }

// AtEnd reports whether every record was played.
func (d *Recording) AtEnd() bool { return d.Record() == d.Records() }

// Marks are the notable moments, in order.
func (d *Recording) Marks() []trace.MarkAt { return d.marks }

// Report compares the decisions with the recorded ones, as far as the recording was ever played.
func (d *Recording) Report() *play.Report { return d.player.Report() }

// BeforePlacement returns an engine as it was just before a pod was placed, and when that was; see [play.Player.BeforePlacement].
func (d *Recording) BeforePlacement(pod types.UID) (*engine.Engine, time.Time, error) {
	return d.player.BeforePlacement(pod)
}

// Usage returns the last reading of a node's usage up to Now, if there is one.
func (d *Recording) Usage(node string) (trace.Record, bool) { return d.player.Usage(node) }

// Damage returns where the trace became unreadable; nil for a whole one.
func (d *Recording) Damage() *trace.Damage { return d.player.Damage() }

// Err is the error that stops the recording, or nil. The cause is a plugin that cannot be recreated.
func (d *Recording) Err() error { return d.err }

// Fastest is the speed without a limit.
var Fastest = math.Inf(1)
