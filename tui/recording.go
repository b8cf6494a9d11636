package tui

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/operator/usage"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
)

// Recording is a recording as a Source.
type Recording struct {
	*playback.Recording
	// Trace is the recording's name on the command line; empty if it has none.
	Trace string
	title string
	// opened is how long after the start OpenAt began.
	opened time.Duration
	marks  []views.Mark
	// opening is a mark of the screen's own, where a scheduler's recording begins; its text is empty if there is none.
	opening views.Mark
}

// maxTitle bounds the first line of a recording's description, in characters.
//
//orrery:limit text; the title of a recording, in characters; cut off
const maxTitle = 200

// OpenRecording opens a recording with a history as its follower. The stopwatch measures every plugin call; it may be
// nil.
func OpenRecording(r io.Reader, o playback.Options, stopwatch func() time.Duration) (*Recording, error) {
	replay := Followed(stopwatch, o.Adjust)()
	o.Adjust, o.Follower = replay.Adjust, replay.Follower
	d, err := playback.Open(r, o)
	if err != nil {
		return nil, err
	}
	shown := newRecording(d)
	for i := range shown.marks {
		shown.marks[i].News = d.Marks()[i].Mark.Kind == trace.LeaderChange && i > 0 // that there is a leader at first is no news
	}
	return shown, nil
}

// Followed returns how an engine is made whose history is its follower. Every call of the result is for one engine. The stopwatch measures
// every plugin call; it may be nil, as may adjust.
func Followed(stopwatch func() time.Duration, adjust func(*engine.Options)) func() play.Options {
	return func() play.Options {
		var history *collect.History // the options come before the engine, and its follower after
		return play.Options{
			Follower: func(*engine.Engine) play.Follower { return history },
			Adjust: func(e *engine.Options) {
				if adjust != nil {
					adjust(e)
				}
				history = collect.HistoryFor(e)
				e.Stopwatch, e.OnTiming = stopwatch, history.ObserveTiming
			},
		}
	}
}

func newRecording(d *playback.Recording) *Recording {
	title, _, _ := strings.Cut(d.Header().Description, "\n")
	r := &Recording{Recording: d, title: printable.Line(title, maxTitle)}
	for _, m := range d.Marks() {
		r.marks = append(r.marks, newMark(m))
	}
	return r
}

// grow adds records at the end.
func (d *Recording) grow(records []trace.Record) {
	dropped, added := d.Append(records...)
	d.marks = d.marks[dropped:]
	all := d.Marks()
	for _, m := range all[len(all)-added:] {
		d.marks = append(d.marks, newMark(m))
	}
}

var (
	_ Source   = (*Recording)(nil)
	_ Playback = (*Recording)(nil)
)

// Mode is Demo: a recording changes no cluster.
func (d *Recording) Mode() views.Mode { return views.Demo }

// Moving reports whether the recording plays or its survey is incomplete; the survey goes on while paused.
func (d *Recording) Moving() bool { return d.Playing() || !d.surveyComplete() }

// surveyComplete reports whether every record was replayed once, so that seeks are short and the curves complete.
func (d *Recording) surveyComplete() bool {
	return d.Err() != nil || d.Report().Records == uint64(d.Records())
}

// Advance plays on, or continues the survey. It reports a change when the curves have grown.
func (d *Recording) Advance(elapsed time.Duration) (changed bool) {
	known := len(d.Histogram().Pending)
	changed = d.Recording.Advance(elapsed)
	return changed || len(d.Histogram().Pending) != known
}

// History returns the replay's follower.
func (d *Recording) History() *collect.History {
	c, _ := d.Follower().(*collect.History)
	return c
}

// Usage returns the last reading of a node's usage that was recorded; nil if the recording has no usage.
func (d *Recording) Usage(node string) *usage.Reading {
	record, _ := d.Recording.Usage(node)
	return usage.Recorded(d.Header(), node, record)
}

// Annotate sets the header's alert, and adds what a recording beside another scheduler tells of it.
func (d *Recording) Annotate(m *views.Model, q collect.Query) {
	m.Header.Alert = d.alert("this scheduler decides differently from the recorded one: ")
	d.addDifferences(m, q)
}

func (d *Recording) addDifferences(m *views.Model, q collect.Query) {
	if q.Open == views.AgreementPane && d.Header().Shadow {
		collect.AddRecordedDifferences(m, d.Marks(), q)
	}
}

// alert reports that replay failed, that the scheduler decides differently from the recording, which is said with the given words, or, at
// the end, that the rest of the file cannot be read.
func (d *Recording) alert(differs string) string {
	first := d.Report().First
	switch {
	case d.Err() != nil:
		return printable.Line("replay failed: "+d.Err().Error(), 200)
	case first != nil:
		return printable.Line(differs+first.String(), 200)
	case d.AtEnd() && d.Damage() != nil:
		return printable.Line("the recording is damaged from here on: "+d.Damage().Error(), 200)
	}
	return ""
}

// Timeline returns the recording's timeline from start to end.
func (d *Recording) Timeline() *views.Timeline {
	survey := d.Histogram()
	rate := make([]float64, len(survey.Decisions))
	for i, n := range survey.Decisions {
		rate[i] = n / survey.Step.Seconds()
	}
	t := &views.Timeline{
		Title: d.title, Opened: d.opened, Start: d.Start(), End: d.End(), At: d.Now(), Speed: formatSpeed(d.Speed()), Paused: !d.Playing(), Marks: d.marks,
		Step: survey.Step, Rate: rate, Depth: survey.Pending,
	}
	if d.Following() {
		t.Speed = "live"
	}
	if d.opening.Label != "" && !d.opening.At.Before(t.Start) {
		t.Marks = append([]views.Mark{d.opening}, d.marks...)
	}
	return t
}

// formatSpeed formats a speed in at most six columns.
func formatSpeed(x float64) string {
	if math.IsInf(x, 1) {
		return "max"
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + "x"
}

var markStyles = [...]struct {
	glyph rune
	bad   bool
}{
	trace.Note: {'◇', false}, trace.Preemption: {'⚑', false}, trace.Eviction: {'▼', true}, trace.LeaderChange: {'♥', false}, trace.FirstFailure: {'✗', true},
	trace.RecordingStopped: {'✗', true}, trace.RecordingResumed: {'◇', false}, trace.Difference: {'≠', true},
	trace.FellBehind: {'✗', true}, trace.CaughtUp: {'◇', false},
}

func newMark(m trace.MarkAt) views.Mark {
	v := views.Mark{At: m.At, Label: printable.Text(m.Mark.Text), Kind: m.Mark.Kind.String(), Glyph: '◆', Annotated: m.Mark.Kind == trace.Note}
	if int(m.Mark.Kind) < len(markStyles) {
		v.Glyph, v.Bad = markStyles[m.Mark.Kind].glyph, markStyles[m.Mark.Kind].bad
	}
	if v.Label == "" {
		v.Label = v.Kind
	}
	return v
}

// Step steps one decision forward or back.
func (d *Recording) Step(back bool) error {
	if back {
		return d.found(d.BackDecision(), "decision before")
	}
	return d.found(d.StepDecision(), "decision after")
}

// found returns why there is nothing to go to, if there is not.
func (d *Recording) found(is bool, what string) error {
	if !is && d.Err() == nil {
		return errors.New("there is no " + what + " this moment")
	}
	return d.Err()
}

// StepInput steps one input event forward or back.
func (d *Recording) StepInput(back bool) error {
	if back {
		return d.found(d.BackInput(), "input event before")
	}
	return d.found(d.Recording.StepInput(), "input event after")
}

// SeekTo seeks to a time.
func (d *Recording) SeekTo(t time.Time) error {
	d.Recording.SeekTo(t)
	return d.Err()
}

// OpenAt goes to where a recording makes its point, so long after its start. The start card says so.
func (d *Recording) OpenAt(after time.Duration) error {
	d.opened = after
	return d.SeekTo(d.Start().Add(after))
}

// Mark seeks to the next or previous mark.
func (d *Recording) Mark(back bool) error {
	if back {
		return d.found(d.PrevMark(), "mark before")
	}
	return d.found(d.NextMark(), "mark after")
}

// Ends seeks to the start or the end.
func (d *Recording) Ends(last bool) error {
	if last {
		d.ToEnd()
	} else {
		d.ToStart()
	}
	return d.Err()
}

// WhatIfCommand returns the current time, and the command that repeats the what-if there. It rounds the time to as few
// digits as reach the same record; if none does, as after a single step, it names the record number. A recording
// without a name on the command line gets a command of the screen instead.
func (d *Recording) WhatIfCommand(changes []change.Change) (time.Time, string) {
	since := d.Now().Sub(d.Start())
	for _, unit := range [...]time.Duration{time.Second, 100 * time.Millisecond, time.Millisecond, time.Microsecond} {
		if round := since.Round(unit); d.RecordAt(d.Start().Add(round)) == d.Record() {
			since = round
			break
		}
	}
	at := d.Start().Add(since)
	if d.Trace == "" {
		return at, ":whatif " + change.Words(changes)
	}
	if d.RecordAt(at) != d.Record() {
		return at, change.CommandAtRecord(d.Trace, d.Record(), changes)
	}
	return at, change.Command(d.Trace, since, changes)
}
