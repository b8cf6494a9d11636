package playback

import (
	"math"
	"slices"
	"sort"
	"time"

	"orrery/core/trace"
)

// Play resumes playing; at the end it starts from the beginning, or follows a growing recording.
func (d *Recording) Play() {
	switch {
	case !d.AtEnd():
	case d.growing:
		d.following = true
	default:
		d.ToStart()
	}
	d.playing = true
}

// Pause stands still.
func (d *Recording) Pause() { d.playing, d.behind, d.following = false, false, false }

// Toggle plays if it does not, and pauses if it does.
func (d *Recording) Toggle() {
	if d.playing {
		d.Pause()
	} else {
		d.Play()
	}
}

// Playing reports whether time passes. Without a loop it ends at the end.
func (d *Recording) Playing() bool { return d.playing }

// SetLoop sets whether the recording restarts at its end.
func (d *Recording) SetLoop(loop bool) { d.loop = loop }

// Loop reports whether the recording loops.
func (d *Recording) Loop() bool { return d.loop }

// speeds are the steps of Faster and Slower.
var speeds = []float64{0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, math.Inf(1)}

// Speed is trace time per real time.
func (d *Recording) Speed() float64 { return d.speed }

// SetSpeed sets the speed, at least 0.1. It ignores NaN.
func (d *Recording) SetSpeed(x float64) {
	if !math.IsNaN(x) {
		d.speed = max(x, speeds[0])
	}
}

// Faster is the next speed.
func (d *Recording) Faster() {
	if i := sort.Search(len(speeds), func(i int) bool { return speeds[i] > d.speed }); i < len(speeds) {
		d.speed = speeds[i]
	}
}

// Slower is the speed before.
func (d *Recording) Slower() {
	if i := sort.SearchFloat64s(speeds, d.speed); i > 0 {
		d.speed = speeds[i-1]
	}
}

// StepDecision pauses, and plays up to and with the next decision. It is false when there was none: then the recording is at
// the end.
func (d *Recording) StepDecision() bool { return d.step(d.player.StepDecision) }

// StepInput pauses and plays the next input of the scheduler.
func (d *Recording) StepInput() bool { return d.step(d.player.StepInput) }

func (d *Recording) step(how func() (trace.Record, bool, error)) bool {
	d.Pause()
	if d.err != nil {
		return false
	}
	_, found, err := how()
	d.syncTime(err)
	return found
}

// BackDecision pauses and seeks to just after the previous decision. It returns false at the beginning if there is none.
func (d *Recording) BackDecision() bool {
	return d.back(func(b trace.Body) bool { _, ok := b.(trace.Decision); return ok })
}

// BackInput pauses and seeks to just after the previous input.
func (d *Recording) BackInput() bool {
	return d.back(func(b trace.Body) bool { _, ok := b.(trace.Input); return ok })
}

// back seeks to just after the previous record of a kind.
func (d *Recording) back(wanted func(trace.Body) bool) bool {
	d.Pause()
	records, first := d.player.Records(), d.player.Start().Record
	for n := d.Record() - 1; n > first; n-- {
		if wanted(records[n-1-first].Body) {
			d.SeekRecord(n)
			return d.err == nil
		}
	}
	d.ToStart()
	return false
}

// SeekTo goes to a time: everything up to and with it has happened. Before the first and after the last record are the
// beginning and the end.
func (d *Recording) SeekTo(t time.Time) {
	switch {
	case !t.After(d.Start()):
		d.ToStart()
	case !t.Before(d.End()):
		d.ToEnd()
	default:
		d.SeekRecord(d.player.RecordAt(t))
		if d.err == nil {
			d.now = t
		}
	}
}

// SeekRecord goes to where so many records were played, or as near as there is.
func (d *Recording) SeekRecord(n int) {
	d.behind, d.following = false, false
	if d.err == nil {
		d.syncTime(d.player.SeekRecord(min(max(n, d.player.Start().Record), d.Records())))
	}
}

// ToStart goes to before the first record.
func (d *Recording) ToStart() { d.SeekRecord(d.player.Start().Record) }

// ToEnd goes to after the last record.
func (d *Recording) ToEnd() { d.SeekRecord(d.Records()) }

// syncTime sets the time to that of the player's position.
func (d *Recording) syncTime(err error) {
	d.err = err
	d.now = d.player.At().Time
}

// NextMark goes to the next mark. It is false when there is none.
func (d *Recording) NextMark() bool {
	return d.seekMark(d.markAfter(d.Record()))
}

// PrevMark seeks to the previous mark. While playing, the mark just passed counts as the current one, so that repeated
// calls go further back.
func (d *Recording) PrevMark() bool {
	here := d.Record()
	if d.playing {
		lately := d.now.Add(-time.Duration(float64(time.Second) * min(d.speed, 100)))
		here = min(here, d.player.RecordAt(lately)+1)
	}
	i := sort.Search(len(d.marks), func(i int) bool { return int(d.marks[i].Record) >= here })
	return d.seekMark(i - 1)
}

func (d *Recording) markAfter(record int) int {
	i, _ := slices.BinarySearchFunc(d.marks, record+1, func(m trace.MarkAt, at int) int { return int(m.Record) - at })
	return i
}

func (d *Recording) seekMark(i int) bool {
	if i < 0 || i >= len(d.marks) {
		return false
	}
	d.SeekRecord(int(d.marks[i].Record))
	return d.err == nil
}
