package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// approach draws the queue left of the picture. Pods come along a lane to the rings, the next one first: the wider the lane, the more of
// them wait. Below it, those that back off circle until they come back.
func (o *orreryCtx) approach(sky draw.Area) {
	o.lane(sky)
	o.loop(sky)
}

// lane draws the pods that may be tried next, and behind them those that wait for something to change.
func (o *orreryCtx) lane(sky draw.Area) {
	lane := o.plan.Approach.Lane
	axis := lane.Y + lane.H/2
	columns := max(lane.W-2, 1)
	per := o.podsPerMark()
	active, stuck := (o.Counts.Active+per-1)/per, (o.Counts.Unschedulable+per-1)/per
	all := active + stuck
	rows := min((all+columns-1)/columns, lane.H)
	rows += 1 - rows%2 // as many on either side of the axis
	sky.Repeat(lane.X, axis, lane.W, themes.Style(themes.Border), '·')
	sky.Set(lane.X+lane.W, axis, themes.Style(themes.Border), '▸')
	for i := range min(all, columns*rows) {
		state := Active
		if i >= active {
			state = Unschedulable
		}
		column, row := i/rows, i%rows
		offset := (row + 1) / 2 // the axis first, then one above, one below
		if row%2 == 1 {
			offset = -offset
		}
		sky.Set(lane.X+lane.W-1-column, axis+offset, themes.Style(state.Token()), state.Glyph())
	}
	if all > 0 {
		o.laneWords(sky, lane, axis-rows/2-1)
	}
}

// laneWords counts the pods on the lane, above it.
func (o *orreryCtx) laneWords(sky draw.Area, lane orbit.Rect, y int) {
	if o.Counts.Active > 0 {
		text := string(draw.AppendCount(nil, int64(o.Counts.Active))) + " next"
		sky.TextRight(lane.X, y, lane.W, themes.Style(Active.Token()), text)
	}
	if o.Counts.Unschedulable > 0 {
		sky.Text(lane.X, y, themes.Bad.With(themes.Bold), string(draw.AppendCount(nil, int64(o.Counts.Unschedulable)))+" wait")
	}
}

// loop draws the pods that back off: one goes round once in the time of its back-off, clockwise from the top.
func (o *orreryCtx) loop(sky draw.Area) {
	loop := &o.plan.Approach.Loop
	if loop.Len() == 0 {
		return
	}
	loop.Dots(0, orbit.Turn, func(d orbit.Point) { sky.Dot(d.X, d.Y, themes.Style(themes.Border)) })
	style := themes.Style(Backoff.Token())
	taken := make([]bool, loop.Len())
	for _, b := range o.Returning {
		length, left := b.Until.Sub(b.From), b.Until.Sub(o.now)
		part := 1 - float64(left)/float64(max(length, 1))
		at := min(max(int(part*float64(loop.Len())), 0), loop.Len()-1)
		for at > 0 && taken[at] { // the one before it waits behind
			at--
		}
		taken[at] = true
		cell := loop.Cell(at)
		sky.Set(cell.X, cell.Y, style, Backoff.Glyph())
	}
	if n := o.Counts.Backoff; n > 0 {
		lane := o.plan.Approach.Lane
		middle := (loop.Cell(0).Y + loop.Cell(loop.Len()/2).Y) / 2
		text := string(draw.AppendCount(nil, int64(n))) + " back off"
		left := (loop.Cell(loop.Len()/4).X + loop.Cell(loop.Len()*3/4).X - draw.Width(text)) / 2
		sky.Text(max(left, lane.X), middle, style, text)
	}
}
