package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// The heights from which a zone's disc has all results of the last search in it, and from which it has one. A smaller one has its sign.
const allResultsFrom, oneResultFrom = 7, 4

// zoneShape returns the disc of a zone's body; nil if the body is a sign.
func (o *Orbits) zoneShape(box orbit.Box) *discShape {
	if box.W == 1 {
		return nil
	}
	if shape := discs[box]; shape != nil {
		return shape
	}
	shape := o.shapes[box]
	if shape == nil {
		if o.shapes == nil {
			o.shapes = map[orbit.Box]*discShape{}
		}
		moons := 4*box.W + 2
		for moons%3 == 0 { // the scatter's divisor
			moons--
		}
		shape = newDisc(box.W, box.H, float64(box.W)-1.8, float64(box.W)-1.8, moons)
		o.shapes[box] = shape
	}
	return shape
}

// shapeOf returns the disc of a zone.
func (o *orreryCtx) shapeOf(zone int) *discShape {
	return o.geometry.zoneShape(o.plan.Bodies[zone].Box)
}

// podsPerZoneMoon returns how many pods a moon stands for: the same at all zones, so that they compare.
func (o *orreryCtx) podsPerZoneMoon() int {
	per := 1
	for i := range o.ByZone.Rows {
		if shape := o.shapeOf(i); shape != nil && len(shape.moons) > 0 {
			per = max(per, (o.ByZone.Rows[i].Pods+len(shape.moons)-1)/len(shape.moons))
		}
	}
	return per
}

// zoneResult is how many nodes of a zone have a result.
type zoneResult struct {
	style themes.Style
	sign  rune
	n     int
	word  string
}

// zoneResults counts the last search's results in a zone, as far as the hand has come.
func (o *orreryCtx) zoneResults(zone int) (n [Chosen + 1]int) {
	for _, node := range o.plan.Nodes(&o.plan.Bodies[zone]) {
		result := o.Bodies[node].Result
		if !o.sweep.passed(int(node)) {
			result = NotVisited
		}
		n[result]++
	}
	return n
}

// zoneLines are the results in a zone: its feasible nodes, its rejected ones, and the others. The star of the chosen node takes the place
// of the sign.
func (o *orreryCtx) zoneLines(results *[Chosen + 1]int) [3]zoneResult {
	feasible := zoneResult{themes.Good.With(themes.Bold), bodyGlyphs[Feasible][Medium], results[Feasible] + results[Chosen], "feasible"}
	if results[Chosen] > 0 && o.sweep.done() {
		feasible.sign, feasible.style = '★', themes.Focus.With(themes.Bold)
		if o.sweep.flash {
			feasible.style = themes.Focus.With(themes.Bold | themes.Reverse)
		}
	}
	rejected := zoneResult{themes.Style(themes.Bad), bodyGlyphs[Rejected][Medium], results[Rejected], "rejected"}
	rest := zoneResult{dimText, bodyGlyphs[NotVisited][Medium], results[NotVisited] + results[NoNode], "not examined"}
	if n := results[Visited]; n > 0 {
		rest = zoneResult{dimText, bodyGlyphs[Visited][Medium], n, "examined"}
	}
	return [...]zoneResult{feasible, rejected, rest}
}

// mostTelling is the first result that any node has.
func mostTelling(lines [3]zoneResult) zoneResult {
	for _, line := range lines {
		if line.n > 0 {
			return line
		}
	}
	return lines[2]
}

// zones draws the zones: each is a disc as full as what is allocated of it, with its pods around as moons, and in it how many of its nodes
// the last search found feasible, rejected and did not examine.
func (o *orreryCtx) zones(sky draw.Area) {
	for i := range o.ByZone.Rows {
		b, results := &o.plan.Bodies[i], o.zoneResults(i)
		o.zoneDisc(sky, i)
		switch lines := o.zoneLines(&results); {
		case b.Box.H >= allResultsFrom:
			o.resultsInside(sky, i, lines[:])
		case b.Box.H >= oneResultFrom:
			o.resultsInside(sky, i, []zoneResult{mostTelling(lines)})
		default:
			line := mostTelling(lines)
			sky.Set(b.X, b.Y, line.style, line.sign)
		}
	}
}

// zoneNames writes the names of the zones.
func (o *orreryCtx) zoneNames(sky draw.Area) {
	for i := range o.ByZone.Rows {
		o.zoneName(sky, i)
	}
}

// zoneDisc draws the disc of a zone and its moons, those of terminating pods in their colour.
func (o *orreryCtx) zoneDisc(sky draw.Area, zone int) {
	z, r, shape := &o.ByZone.Rows[zone], o.plan.Area(&o.plan.Bodies[zone]), o.shapeOf(zone)
	level := float64(z.Level) / 255
	style := themes.Style(themes.Heat(level))
	switch {
	case shape == nil:
		return
	case sky.Glyphs() != draw.Braille:
		discOfBlocks(sky, r, level, style)
		return
	}
	for i, dots := range shape.filling(level) {
		if dots != 0 {
			sky.Set(r.X+i%r.W, r.Y+i/r.W, style, brailleBlank|dots)
		}
	}
	leaving := (z.Leaving + o.perMoon - 1) / o.perMoon
	for i := min((z.Pods+o.perMoon-1)/o.perMoon, len(shape.moons)) - 1; i >= 0; i-- { // those that leave at last: a cell has one colour
		at, moonStyle := shape.moons[i], style
		if i < leaving {
			moonStyle = themes.Terminating.With(themes.Bold)
		}
		sky.Dot(2*r.X+at.x, 4*r.Y+at.y, moonStyle)
	}
}

// resultsInside writes results into the middle of a zone's disc. Several have as many columns as the number of its nodes needs, so that they
// stay where they are while they grow.
func (o *orreryCtx) resultsInside(sky draw.Area, zone int, lines []zoneResult) {
	b := &o.plan.Bodies[zone]
	r := o.plan.Area(b)
	most := o.ByZone.Rows[zone].Nodes
	if len(lines) == 1 {
		most = lines[0].n
	}
	digits := len(draw.AppendCount(nil, int64(most)))
	x, y := b.X-(digits+2)/2, b.Y-len(lines)/2
	left, right := max(x-1, r.X+1), min(x+digits+3, r.X+r.W-1) // not over the rim
	for i, line := range lines {
		sky.Repeat(left, y+i, right-left, plainText, ' ')
		sky.Set(x, y+i, line.style, line.sign)
		sky.CountRight(x+2, y+i, digits, line.style, int64(line.n))
	}
}

// zoneName writes the name of a zone below its body, how full it is, and what is wrong with its nodes. The selected one is marked.
func (o *orreryCtx) zoneName(sky draw.Area, zone int) {
	z, r := &o.ByZone.Rows[zone], o.plan.Area(&o.plan.Bodies[zone])
	name := span{plainText.With(themes.Bold), clipped(z.Name, maxNameWidth)}
	if zone == o.at {
		name.style = themes.Accent.With(themes.Bold | themes.Reverse)
		y := r.Y + (r.H-1)/2
		sky.Set(r.X-1, y, themes.Accent.With(themes.Bold), '[')
		sky.Set(r.X+r.W, y, themes.Accent.With(themes.Bold), ']')
	}
	words := []span{name, {dimText, percent(float64(z.Level) / 255)}}
	if z.NotReady > 0 {
		words = append(words, span{themes.Bad.With(themes.Bold), count(z.NotReady, "not ready")})
	}
	if z.Cordoned > 0 {
		words = append(words, span{themes.Style(themes.Warn), count(z.Cordoned, "cordoned")})
	}
	for ; len(words) > 0; words = words[:len(words)-1] {
		w := width(words)
		at := orbit.Rect{X: min(max(r.X+(r.W-w)/2, 0), max(sky.W-w, 0)), Y: r.Y + r.H, W: w, H: 1}
		if !o.blank(at) || o.onBelt(at) {
			continue
		}
		x := at.X
		for _, word := range words {
			x = sky.Text(x, at.Y, word.style, word.text) + 1
		}
		o.lettered = append(o.lettered, orbit.Rect{X: at.X - 1, Y: at.Y, W: w + 2, H: 1})
		return
	}
}

// onBelt reports whether a row of cells has one of the belt.
func (o *orreryCtx) onBelt(r orbit.Rect) bool {
	for x := range r.W {
		if o.plan.Taken(orbit.Point{X: r.X + x, Y: r.Y}) {
			return true
		}
	}
	return false
}

// zoneHand draws the line from the hub to the zone with which the next search begins. While a search goes on it goes round once, since a
// search takes nodes from all zones in turn.
func (o *orreryCtx) zoneHand(sky draw.Area) {
	angle := o.plan.ZoneAngle(o.Start % len(o.Bodies))
	if s := &o.sweep; !s.done() {
		from := o.plan.ZoneAngle(s.first % s.nodes)
		way := (angle - from + orbit.Turn) % orbit.Turn
		if s.examined >= len(o.ByZone.Rows) {
			way += orbit.Turn
		}
		angle = (from + way*s.swept/(1000*s.examined)) % orbit.Turn
	}
	o.plan.Ray(angle, func(d orbit.Point) {
		if !o.plan.Occupied(orbit.Point{X: d.X / 2, Y: d.Y / 4}) {
			sky.Dot(d.X, d.Y, themes.Style(themes.Focus))
		}
	})
}

// zoneSignWords explain the signs of zones.
func zoneSignWords() []phrase {
	return []phrase{
		say(span{dimText, "feasible nodes"}, span{themes.Good.With(themes.Bold), string(bodyGlyphs[Feasible][Medium])}),
		say(span{dimText, "with the chosen"}, span{themes.Focus.With(themes.Bold), "★"}),
		say(span{dimText, "rejected"}, span{themes.Style(themes.Bad), string(bodyGlyphs[Rejected][Medium])}),
		say(span{dimText, "not examined"}, span{dimText, string(bodyGlyphs[NotVisited][Medium])}),
		say(span{dimText, "evicted"}, span{themes.Terminating.With(themes.Bold), "▼"}),
		say(span{dimText, "size: its nodes"}),
		say(span{dimText, "examined before"}, span{dimText, string(bodyGlyphs[Visited][Medium])}),
	}
}
