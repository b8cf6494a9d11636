package playback

import (
	"math"
	"time"

	"orrery/core/trace/play"
)

// portion is the most work of one Advance.
const portion play.Work = 4000

// Advance plays on for so much real time. It tells whether there is something else to see, and while the deck plays there
// is: the time. While it is paused all of the portion goes to the scout. Whoever wants to see a deck go as fast as it can
// calls again at once while it is Behind.
func (d *Deck) Advance(real time.Duration) (changed bool) {
	if d.err != nil {
		return false
	}
	left := portion
	if d.playing && real > 0 {
		changed = d.playOn(real, &left)
	}
	for more := true; more && left > 0 && d.err == nil; {
		var work play.Work
		work, more, d.err = d.player.Scout()
		left -= work
	}
	return changed
}

// playOn plays what happened in the time that passed, or as much of it as there is work left for.
func (d *Deck) playOn(real time.Duration, left *play.Work) bool {
	if d.AtEnd() && d.loop {
		d.ToStart()
	}
	to := d.after(real)
	end := d.player.RecordAt(to)
	for d.Record() < end && *left > 0 && d.err == nil {
		var work play.Work
		work, d.err = d.player.Step()
		*left -= work
	}
	if d.behind = d.Record() < end; d.behind {
		to = d.player.At().Time
	}
	d.now = later(d.now, to)
	if d.AtEnd() && !d.loop {
		d.Pause()
	}
	return true
}

// after is when it is in the trace after so much real time.
func (d *Deck) after(real time.Duration) time.Time {
	ahead := float64(real) * d.speed
	if ahead >= float64(d.End().Sub(d.now)) {
		return later(d.End(), d.now)
	}
	return d.now.Add(time.Duration(math.Ceil(ahead)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Behind tells whether there was more to play in the last Advance than one does.
func (d *Deck) Behind() bool { return d.behind }
