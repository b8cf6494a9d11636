package playback

import (
	"slices"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/play"
)

// OpenGrowing returns a recording to which records are added: what a player, made by play.NewGrowingPlayer, holds of it. It plays, and
// follows the end until it is paused or moved; once it has played up to the end again, it follows that.
func OpenGrowing(name string, player *play.Player) *Recording {
	d := newRecording(name, player)
	d.growing, d.following, d.playing = true, true, true
	return d
}

// Following reports whether the position is at the end of a growing recording, or on the way there as fast as possible.
func (d *Recording) Following() bool { return d.following }

// Follow goes on at the end of a growing recording, as Play does there.
func (d *Recording) Follow() { d.following, d.playing = true, true }

// Append adds records at the end. The oldest ones may be dropped for them: a position among those becomes the first that is held. It
// returns how many marks were dropped, and added.
func (d *Recording) Append(records ...trace.Record) (dropped, added int) {
	if d.err != nil || len(records) == 0 {
		return 0, 0
	}
	had := d.Records()
	d.err = d.player.Append(records...)
	d.histogram.extend(d.End())
	d.histogram.count(records)
	for i, r := range records {
		if m, ok := r.Body.(trace.Mark); ok {
			d.marks = append(d.marks, trace.MarkAt{At: r.At, Record: uint64(had + i + 1), Mark: m})
			added++
		}
	}
	first := d.player.Start()
	d.histogram.dropBefore(first.Time)
	for dropped < len(d.marks) && int(d.marks[dropped].Record) <= first.Record {
		dropped++
	}
	d.marks = d.marks[dropped:]
	if at := d.player.At(); d.now.Before(at.Time) || at == first {
		d.now = at.Time
	}
	return dropped, added
}

// Excerpt returns all that is held now, to be written as a trace.
func (d *Recording) Excerpt() (*play.Excerpt, error) { return d.player.Excerpt() }

// follow plays up to the end, as far as the remaining work allows.
func (d *Recording) follow(left *play.Work) (changed bool) {
	for !d.AtEnd() && *left > 0 && d.err == nil {
		var work play.Work
		work, d.err = d.player.Step()
		*left -= work
		changed = true
	}
	d.behind = !d.AtEnd() && d.err == nil
	d.now = d.player.At().Time
	return changed
}

// extend makes room for a later end. Where that takes too many steps, two become one.
func (s *histogram) extend(end time.Time) {
	for int(end.Sub(s.start)/s.step) >= maxSteps {
		s.step *= 2
		s.decisions = inPairs(s.decisions, func(a, b float64) float64 { return a + b })
		s.pending = inPairs(s.pending, func(a, b float64) float64 { return max(a, b) })
		s.complete = false
	}
	if missing := int(end.Sub(s.start)/s.step) + 1 - len(s.decisions); missing > 0 {
		s.decisions = append(s.decisions, make([]float64, missing)...)
		s.complete = false
	}
}

func inPairs(values []float64, of func(a, b float64) float64) []float64 {
	var pairs []float64
	for pair := range slices.Chunk(values, 2) {
		one := pair[0]
		if len(pair) == 2 {
			one = of(one, pair[1])
		}
		pairs = append(pairs, one)
	}
	return pairs
}

// dropBefore drops the steps that end before a time.
func (s *histogram) dropBefore(t time.Time) {
	n := min(int(t.Sub(s.start)/s.step), len(s.decisions)-1)
	if n <= 0 {
		return
	}
	s.start = s.start.Add(time.Duration(n) * s.step)
	s.decisions, s.pending, s.complete = s.decisions[n:], s.pending[min(n, len(s.pending)):], false
}
