package playback

import (
	"math"
	"slices"
	"sort"
	"time"

	"orrery/core/trace"
)

// Play plays on, and at the end from the beginning.
func (d *Deck) Play() {
	if d.AtEnd() {
		d.ToStart()
	}
	d.playing = true
}

// Pause stands still.
func (d *Deck) Pause() { d.playing, d.behind = false, false }

// Toggle plays if it does not, and pauses if it does.
func (d *Deck) Toggle() {
	if d.playing {
		d.Pause()
	} else {
		d.Play()
	}
}

// Playing tells whether time passes. It ends at the end, unless the deck loops.
func (d *Deck) Playing() bool { return d.playing }

// SetLoop says whether the deck begins anew at its end.
func (d *Deck) SetLoop(loop bool) { d.loop = loop }

// Loop tells whether it does.
func (d *Deck) Loop() bool { return d.loop }

// speeds are what Faster and Slower go through.
var speeds = []float64{0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, math.Inf(1)}

// Speed is how much of the trace passes in the time that passes.
func (d *Deck) Speed() float64 { return d.speed }

// SetSpeed takes what lies between 0.1 and Fastest, or the nearest to it. What is no number leaves it as it is.
func (d *Deck) SetSpeed(x float64) {
	if !math.IsNaN(x) {
		d.speed = max(x, speeds[0])
	}
}

// Faster is the next speed.
func (d *Deck) Faster() {
	if i := sort.Search(len(speeds), func(i int) bool { return speeds[i] > d.speed }); i < len(speeds) {
		d.speed = speeds[i]
	}
}

// Slower is the speed before.
func (d *Deck) Slower() {
	if i := sort.SearchFloat64s(speeds, d.speed); i > 0 {
		d.speed = speeds[i-1]
	}
}

// StepDecision pauses, and plays up to and with the next decision. It is false when there was none: then the deck is at
// the end.
func (d *Deck) StepDecision() bool { return d.step(d.player.StepDecision) }

// StepInput pauses, and plays the next thing that the scheduler was told.
func (d *Deck) StepInput() bool { return d.step(d.player.StepInput) }

func (d *Deck) step(how func() (trace.Record, bool, error)) bool {
	d.Pause()
	if d.err != nil {
		return false
	}
	_, found, err := how()
	d.arrive(err)
	return found
}

// BackDecision pauses, and goes back to where the decision before this one had just been taken. It is false when there
// was none: then the deck is at the beginning.
func (d *Deck) BackDecision() bool {
	return d.back(func(b trace.Body) bool { _, ok := b.(trace.Decision); return ok })
}

// BackInput pauses, and goes back to where what the scheduler was told last before this had just been told.
func (d *Deck) BackInput() bool {
	return d.back(func(b trace.Body) bool { _, ok := b.(trace.Input); return ok })
}

// back goes to just after the last record of a kind before the one that the deck stands behind.
func (d *Deck) back(wanted func(trace.Body) bool) bool {
	d.Pause()
	records := d.player.Records()
	for n := d.Record() - 1; n > 0; n-- {
		if wanted(records[n-1].Body) {
			d.SeekRecord(n)
			return d.err == nil
		}
	}
	d.ToStart()
	return false
}

// SeekTo goes to a time: everything up to and with it has happened. Before the first and after the last record are the
// beginning and the end.
func (d *Deck) SeekTo(t time.Time) {
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

// SeekBy goes so much of the trace's time on, or back.
func (d *Deck) SeekBy(by time.Duration) { d.SeekTo(d.now.Add(by)) }

// SeekRecord goes to where so many records were played, or as near as there is.
func (d *Deck) SeekRecord(n int) {
	d.behind = false
	if d.err == nil {
		d.arrive(d.player.SeekRecord(min(max(n, 0), d.Records())))
	}
}

// ToStart goes to before the first record.
func (d *Deck) ToStart() { d.SeekRecord(0) }

// ToEnd goes to after the last record.
func (d *Deck) ToEnd() { d.SeekRecord(d.Records()) }

// arrive has the time be that of where the player stands.
func (d *Deck) arrive(err error) {
	d.err = err
	d.now = d.player.At().Time
}

// NextMark goes to the next mark. It is false when there is none.
func (d *Deck) NextMark() bool {
	return d.toMark(d.markAfter(d.Record()))
}

// PrevMark goes to the mark before. While the deck plays, the one that it has just come by counts as where it is, so that
// asking again and again goes further and further back.
func (d *Deck) PrevMark() bool {
	here := d.Record()
	if d.playing {
		lately := d.now.Add(-time.Duration(float64(time.Second) * min(d.speed, 100)))
		here = min(here, d.player.RecordAt(lately)+1)
	}
	i := sort.Search(len(d.marks), func(i int) bool { return int(d.marks[i].Record) >= here })
	return d.toMark(i - 1)
}

func (d *Deck) markAfter(record int) int {
	i, _ := slices.BinarySearchFunc(d.marks, record+1, func(m trace.MarkAt, at int) int { return int(m.Record) - at })
	return i
}

func (d *Deck) toMark(i int) bool {
	if i < 0 || i >= len(d.marks) {
		return false
	}
	d.SeekRecord(int(d.marks[i].Record))
	return d.err == nil
}
