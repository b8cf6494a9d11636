package playback

import (
	"math"
	"time"

	"orrery/core/trace/play"
)

// workPerAdvance bounds the work of one Advance.
const workPerAdvance play.Work = 4000

// Advance plays on for an amount of real time. It reports whether something visible changed, which while playing is always
// so: the time. While paused it spends its work on prefetching. A caller that plays as fast as possible calls again at once
// while the recording is Behind.
func (d *Recording) Advance(elapsed time.Duration) (changed bool) {
	if d.err != nil {
		return false
	}
	left := workPerAdvance
	switch {
	case d.following:
		changed = d.follow(&left)
	case d.playing && elapsed > 0:
		changed = d.playFor(elapsed, &left)
	}
	for more := true; more && left > 0 && d.err == nil; {
		var work play.Work
		work, more, d.err = d.player.Prefetch()
		left -= work
	}
	return changed
}

// playFor plays the records of the elapsed time, as far as the remaining work allows.
func (d *Recording) playFor(elapsed time.Duration, left *play.Work) bool {
	if d.AtEnd() && d.loop {
		d.ToStart()
	}
	to := d.timeAfter(elapsed)
	end := d.player.RecordAt(to)
	for d.Record() < end && *left > 0 && d.err == nil {
		var work play.Work
		work, d.err = d.player.Step()
		*left -= work
	}
	if d.behind = d.Record() < end; d.behind {
		to = d.player.At().Time
	}
	d.now = latest(d.now, to)
	switch {
	case !d.AtEnd():
	case d.growing:
		d.following = true
	case !d.loop:
		d.Pause()
	}
	return true
}

// timeAfter is when it is in the trace after so much real time.
func (d *Recording) timeAfter(elapsed time.Duration) time.Time {
	ahead := float64(elapsed) * d.speed
	if ahead >= float64(d.End().Sub(d.now)) {
		return latest(d.End(), d.now)
	}
	return d.now.Add(time.Duration(math.Ceil(ahead)))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Behind reports whether the last Advance ran out of work.
func (d *Recording) Behind() bool { return d.behind }
