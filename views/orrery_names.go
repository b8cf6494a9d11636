package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// maxNameWidth is the widest name in the picture.
const maxNameWidth = 22

// names calls the nodes that matter by their names, with the fact for which they do: the selected one, the chosen one, and the worst.
func (o *orreryCtx) names(sky draw.Area) {
	if o.plan.Box.W == 1 && o.plan.W < 100 {
		return // there is no room between the signs
	}
	if n := o.Nodes.At(o.at); n != nil {
		o.name(sky, &NamedBody{Node: o.at, Name: n.Name, Fact: percent(float64(o.Bodies[o.at].Level) / 255)}, themes.Style(themes.Accent))
	}
	for i := range o.Named {
		if n := &o.Named[i]; n.Node != o.at && n.Node < len(o.Bodies) {
			style := themes.Style(themes.Focus)
			if n.Bad {
				style = themes.Style(themes.Bad)
			}
			o.name(sky, n, style)
		}
	}
}

// percent formats a share.
func percent(share float64) string { return string(draw.AppendCount(nil, int64(share*100+.5))) + "%" }

// name writes a name beside its body, where there is room, with a line to it.
func (o *orreryCtx) name(sky draw.Area, n *NamedBody, style themes.Style) {
	name := clippedHost(n.Name, maxNameWidth)
	w := draw.Width(name) + 1 + draw.Width(n.Fact) + 2
	r := o.plan.Area(o.plan.BodyOf(n.Node))
	y := r.Y + (r.H-1)/2
	for _, at := range [...]orbit.Rect{
		{X: r.X + r.W + 1, Y: y, W: w, H: 1},
		{X: r.X - 1 - w, Y: y, W: w, H: 1},
		{X: r.X + r.W + 1, Y: y + 1, W: w, H: 1},
		{X: r.X - 1 - w, Y: y + 1, W: w, H: 1},
		{X: r.X + (r.W-w)/2, Y: r.Y - 1, W: w, H: 1},
		{X: r.X + (r.W-w)/2, Y: r.Y + r.H, W: w, H: 1},
	} {
		if !o.blank(at) {
			continue
		}
		x, line := at.X, themes.Style(themes.Dim)
		left := at.X+at.W <= r.X
		if !left {
			sky.Text(x, at.Y, line, "─ ")
			x += 2
		}
		x = sky.Text(x, at.Y, style.With(themes.Bold), name) + 1
		x = sky.Text(x, at.Y, line, n.Fact)
		if left {
			sky.Text(x, at.Y, line, " ─")
		}
		o.lettered = append(o.lettered, at)
		return
	}
}

// blank reports whether nothing that matters is in a rectangle: no body, name, part of the approach or hub.
func (o *orreryCtx) blank(r orbit.Rect) bool {
	if r.X < 0 || r.Y < 0 || r.X+r.W > o.plan.W || r.Y+r.H > o.plan.H {
		return false
	}
	center, columns, rows := o.plan.Center(), o.plan.Hub.Columns()/2+1, o.plan.Hub.Rows()/2+1
	hub := orbit.Rect{X: center.X - columns, Y: center.Y - rows, W: 2*columns + 1, H: 2*rows + 1}
	if a := o.plan.Approach; a != nil && r.Overlaps(a.Lane) || r.Overlaps(hub) {
		return false
	}
	for _, other := range o.lettered {
		if r.Overlaps(other) {
			return false
		}
	}
	for x := range r.W {
		if o.plan.Occupied(orbit.Point{X: r.X + x, Y: r.Y}) {
			return false
		}
	}
	return true
}

// clippedHost cuts the name of a node in its middle.
func clippedHost(name string, w int) string {
	if draw.Width(name) <= w {
		return name
	}
	c := draw.New(w, 1)
	c.All(draw.Braille).FitHost(0, 0, w, plainText, name)
	return c.Plain()
}
