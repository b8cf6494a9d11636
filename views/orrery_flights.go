package views

import (
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// The times of a what-if that is played, for the eye: one pod after the other sets out, all within launchTime, and flies for flightTime.
const (
	launchTime = 1200 * time.Millisecond
	flightTime = 900 * time.Millisecond

	// PlayTime is how long a what-if plays.
	PlayTime = launchTime + flightTime
)

// flightPart returns how far a pod has come on its way, from 0 to 1.
func flightPart(i, n int, played time.Duration) float64 {
	began := launchTime * time.Duration(i) / time.Duration(max(n, 1))
	part := min(max(float64(played-began)/float64(flightTime), 0), 1)
	return part * part * (3 - 2*part) // slowly out, slowly in
}

// flights draws the pods of a what-if on their ways, and where they end: a pod without a place stays outside.
func (o *orreryCtx) flights(sky draw.Area) {
	if o.WhatIf == nil {
		return
	}
	arrived, left, outside := map[*orbit.Body]int{}, map[*orbit.Body]int{}, map[orbit.Point]int{}
	for i := range o.Flights {
		f := &o.Flights[i]
		from, to := o.flightEnds(f, outside)
		part := flightPart(i, len(o.Flights), o.ui.Played)
		if part > 0 && f.From >= 0 {
			left[o.plan.BodyOf(f.From)]++
		}
		style, glyph := themes.Nominated.With(themes.Bold), '●'
		lost := f.To < 0 && !f.New
		if lost {
			style, glyph = themes.Bad.With(themes.Bold), '✗'
		}
		switch {
		case part == 0:
		case part < 1:
			at := between(from, to, part)
			sky.Set(at.X, at.Y, style, glyph)
		case f.To >= 0:
			arrived[o.plan.BodyOf(f.To)]++
		case f.Gone:
		default:
			sky.Set(to.X, to.Y, style, glyph)
		}
	}
	for i := range o.plan.Bodies {
		b := &o.plan.Bodies[i]
		o.tally(sky, b, arrived[b], left[b])
	}
}

// flightEnds returns the cells between which a pod flies. Those that stay outside stand beside each other there.
func (o *orreryCtx) flightEnds(f *Flight, outside map[orbit.Point]int) (from, to orbit.Point) {
	waiting := orbit.Point{X: 0, Y: o.plan.H - 1}
	if a := o.plan.Approach; a != nil {
		waiting = orbit.Point{X: a.Lane.X + a.Lane.W - 1, Y: a.Lane.Y + a.Lane.H/2}
	}
	from, to = waiting, waiting
	if f.From >= 0 {
		from = o.plan.BodyOf(f.From).Point
	}
	switch {
	case f.To >= 0:
		return from, o.plan.BodyOf(f.To).Point
	case f.New:
		return from, orbit.Point{X: o.plan.W - 2, Y: o.plan.Center().Y}
	case f.From >= 0:
		to = o.plan.Outside(from)
		n := outside[to]
		outside[to]++
		row, column := n%3, n/3
		away := 1
		if to.X < o.plan.Center().X {
			away = -1
		}
		to = orbit.Point{X: min(max(to.X+away*column, 0), o.plan.W-1), Y: min(max(to.Y+row, 0), o.plan.H-1)}
	}
	return from, to
}

// between returns the cell on the way from one to another.
func between(from, to orbit.Point, part float64) orbit.Point {
	return orbit.Point{X: from.X + int(float64(to.X-from.X)*part), Y: from.Y + int(float64(to.Y-from.Y)*part)}
}

// tally writes beside a body how many pods have come to it, and how many have left.
func (o *orreryCtx) tally(sky draw.Area, b *orbit.Body, came, went int) {
	if came == 0 && went == 0 {
		return
	}
	r := o.plan.Area(b)
	x, y := r.X+r.W, r.Y+(r.H-1)/2
	if came > 0 {
		x = sky.Text(x, y, themes.Good.With(themes.Bold), "+"+string(draw.AppendCount(nil, int64(came))))
	}
	if went > 0 {
		sky.Text(x, y, themes.Warn.With(themes.Bold), "−"+string(draw.AppendCount(nil, int64(went))))
	}
}

// played draws the what-if that is shown, in place of the last search: what is tried, and what would come of it.
func (o *orreryCtx) played(row draw.Area) {
	w := o.WhatIf
	x := row.Text(0, 0, themes.Nominated.With(themes.Bold), "⚑ what-if: ")
	x = row.Fit(x, 0, max(row.W/2-x, 0), plainText, w.Tried)
	token, glyph := themes.Good, "✓ "
	if w.Bad {
		token, glyph = themes.Bad, "✗ "
	}
	x = row.Text(x+2, 0, token.With(themes.Bold), glyph)
	row.Fit(x, 0, row.W-x, token.With(themes.Bold), w.Verdict)
}
