package playback

import (
	"fmt"
	"io"
	"math"
	"time"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

// Options are how a trace is opened.
type Options struct {
	// Name is what the deck is called where it is shown.
	Name string
	// Companion, if not nil, makes what goes along with the engine.
	Companion func(*engine.Engine) play.Companion
	// Adjust, if not nil, changes the engine's options before it is made.
	Adjust func(*engine.Options)
	// Plugins are third-party plugins that the trace was recorded with.
	Plugins framework.Registry
	// Loop has the deck begin anew at the end. Speed is how fast it plays; zero is as fast as it was.
	Loop  bool
	Speed float64
	// Progress, if not nil, is called now and then while the trace is read, with how many bytes were.
	Progress func(offset int64)
}

// Deck plays one trace.
type Deck struct {
	name   string
	player *play.Player
	marks  []trace.MarkAt
	survey survey

	now     time.Time // of the trace; between two records, the time since the first of them
	playing bool
	speed   float64
	loop    bool
	behind  bool
	err     error
}

// Open reads a trace and stands at its beginning, paused. A trace that is damaged is played up to there, which Damage
// says; the error says that there is nothing to play.
func Open(r io.Reader, o Options) (*Deck, error) {
	player, err := play.NewPlayer(r, play.Options{
		Companion: o.Companion, Progress: o.Progress,
		Adjust: func(e *engine.Options) {
			e.Plugins = o.Plugins
			if o.Adjust != nil {
				o.Adjust(e)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", o.Name, err)
	}
	d := &Deck{name: o.Name, player: player, marks: player.Marks(), loop: o.Loop, speed: 1}
	d.now = player.At().Time
	d.survey = newSurvey(d.Start(), d.End(), player.Records())
	player.Watch(d.survey.hear)
	if o.Speed != 0 {
		d.SetSpeed(o.Speed)
	}
	return d, nil
}

// Name is what the deck is called.
func (d *Deck) Name() string { return d.name }

// Header is what the trace says of itself.
func (d *Deck) Header() trace.Header { return d.player.Header() }

// Engine is the engine at Now, to be read. Playing on changes it, and going backward puts another one in its place.
func (d *Deck) Engine() *engine.Engine { return d.player.Engine() }

// Companion is what goes along with Engine; nil if nothing does.
func (d *Deck) Companion() play.Companion { return d.player.Companion() }

// Now is the time in the trace.
func (d *Deck) Now() time.Time { return d.now }

// Start and End are the times between which there is something to see.
func (d *Deck) Start() time.Time { return d.player.Start().Time }

// End is the time of the last record.
func (d *Deck) End() time.Time { return d.player.End().Time }

// Record is how many records were played, of Records.
func (d *Deck) Record() int { return d.player.At().Record }

// Records is how many records the trace has.
func (d *Deck) Records() int { return d.player.End().Record }

// RecordAt is how many records there are up to and with a time.
func (d *Deck) RecordAt(t time.Time) int { return d.player.RecordAt(t) }

// AtEnd tells whether everything was played.
func (d *Deck) AtEnd() bool { return d.Record() == d.Records() }

// Marks are the notable moments, in order.
func (d *Deck) Marks() []trace.MarkAt { return d.marks }

// Report compares what was decided with what was recorded, as far as the deck has ever come.
func (d *Deck) Report() *play.Report { return d.player.Report() }

// Damage is where the trace could not be read any further; nil for a whole one.
func (d *Deck) Damage() *trace.Damage { return d.player.Damage() }

// Err is what keeps the deck from moving; nil while nothing does. It takes a plugin that cannot be made anew.
func (d *Deck) Err() error { return d.err }

// Fastest is the speed without a limit.
var Fastest = math.Inf(1)
