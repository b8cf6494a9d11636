package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// orreryZones is the orrery's list where zones are the bodies.
var orreryZones = ListPane[ZoneBody]{
	Pane: Pane{ID: OrreryPane, Opens: NodesPane},
	In:   in(func(m *Model) *Orrery { return m.Orrery }, func(p *Orrery) *List[ZoneBody] { return &p.ByZone }),
	Key:  func(z *ZoneBody) string { return z.Key }, Scope: func(z *ZoneBody) string { return z.Scope },
}

// orreryList is the orrery's list: of the zones where those are the bodies, and else of the nodes.
type orreryList struct{ list }

func (l orreryList) rows(m *Model) RowSet {
	if m.Orrery != nil && m.Orrery.byZone() {
		return orreryZones.rows(m)
	}
	return l.list.rows(m)
}

// orreryOf returns the orrery's pane with both of its lists.
func orreryOf() *Pane {
	p := orreryPane.pane()
	p.list = orreryList{p.list}
	return p
}

// byZone reports whether the bodies are zones: there are more nodes than the picture has room for.
func (v *Orrery) byZone() bool { return v.ByZone.Total > 0 }

// selectedZone draws the facts of the selected zone, those that matter most first.
func (o *orreryCtx) selectedZone(row draw.Area) {
	z := o.ByZone.At(o.at)
	if z == nil {
		return
	}
	results := o.zoneResults(o.at)
	line := mostTelling(o.zoneLines(&results))
	row.Set(0, 0, themes.Style(themes.Accent), '▌')
	row.Set(1, 0, line.style, line.sign)
	r := rowWriter{a: row, x: row.Fit(3, 0, row.W/3, themes.Title.With(themes.Bold), z.Name)}
	r.fact(plainText, countNodes(z.Nodes), "").fact(plainText, percent(float64(z.Level)/255), "allocated")
	for _, line := range o.zoneLines(&results) {
		r.fact(line.style, string(draw.AppendCount(nil, int64(line.n))), line.word)
	}
	if z.NotReady > 0 {
		r.fact(themes.Style(themes.Bad), count(z.NotReady, "not ready"), "")
	}
	if z.Cordoned > 0 {
		r.fact(themes.Style(themes.Warn), count(z.Cordoned, "cordoned"), "")
	}
	r.fact(plainText, counted(z.Pods, "pod"), "")
	if z.Leaving > 0 {
		r.fact(themes.Style(themes.Terminating), count(z.Leaving, "terminating"), "")
	}
}
