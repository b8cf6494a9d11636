package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var pluginsPane = ListPane[PluginRow]{
	Pane:    Pane{ID: PluginsPane, Title: "Plugins", Help: "what every plugin costs and rejects", Digit: '8', Opens: QueuePane, minW: 50, minH: 4, named: rowNames{Many: "plugins"}},
	Columns: pluginColumns, Row: pluginRow, Empty: "no plugin runs", Absent: "no plugin has been measured yet", Head: pluginsHead,
	Rows:  Source.Plugins,
	In:    in(func(m *Model) *Plugins { return m.Plugins }, func(p *Plugins) *List[PluginRow] { return &p.List }),
	Match: func(f *filter.Row, p *PluginRow) { f.Name, f.Words[0] = p.Plugin, p.Point },
	Sorts: []Sort[PluginRow]{
		by("plugin", func(p *PluginRow) string { return p.Plugin }),
		byMost("calls", func(p *PluginRow) int64 { return p.Calls }),
		byMost("rejections", func(p *PluginRow) int64 { return p.Rejections }),
		byMost("time", func(p *PluginRow) int64 { return int64(p.Mean) * p.Calls }),
	},
	Key:   func(p *PluginRow) string { return p.Point + " " + p.Plugin },
	Scope: func(p *PluginRow) string { return p.Plugin },
}

var pluginColumns = []draw.Column{
	{Long: "extension point", Short: "point", Min: 10, Grow: 1, Max: 16, Rank: 0},
	{Long: "plugin", Short: "plugin", Min: 16, Grow: 3, Max: 34, Rank: 0},
	{Long: "weight", Short: "wgt", Min: 3, Grow: 1, Max: 6, Rank: 4, Right: true},
	{Long: "calls", Short: "calls", Min: 9, Grow: 1, Max: 13, Rank: 3, Right: true},
	{Long: "mean", Short: "mean", Min: 6, Rank: 2, Right: true},
	{Long: "p99", Short: "p99", Min: 6, Rank: 5, Right: true},
	{Long: "share of the time", Short: "share", Min: 10, Grow: 4, Max: 36, Rank: 1},
	{Long: "rejected", Short: "reject", Min: 8, Grow: 1, Max: 12, Rank: 1, Right: true},
}

// pluginsHead draws which profile the plugins are of.
func pluginsHead(a draw.Area, s *drawCtx) draw.Area {
	p := s.Plugins
	x := a.Text(0, 0, themes.Style(themes.Dim), "profile ")
	a.Fit(x, 0, a.W-x, themes.Title.With(themes.Bold), p.Profile)
	_, rest := a.Top(2)
	return a.In(rest)
}

func pluginRow(row draw.Area, p *PluginRow, places *draw.Slots, _ *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	row.Fit(places[0].X, 0, places[0].W, dim, p.Point)
	name := text
	if p.Calls == 0 {
		name = dim
	}
	row.Fit(places[1].X, 0, places[1].W, name, p.Plugin)
	if p.Weight > 0 {
		row.CountRight(places[2].X, 0, places[2].W, dim, int64(p.Weight))
	}
	if p.Calls > 0 {
		row.CountRight(places[3].X, 0, places[3].W, text, p.Calls)
	}
	if p.Mean > 0 {
		row.SpanRight(places[4].X, 0, places[4].W, text, p.Mean)
		row.SpanRight(places[5].X, 0, places[5].W, dim, p.P99)
	}
	if at := places[6]; at.W > 5 && p.Share > 0 {
		row.Bar(at.X, 0, at.W-5, themes.Style(themes.Heat(p.Share*2)), p.Share)
		row.PercentRight(at.X+at.W-5, 0, 5, text, p.Share)
	}
	if p.Rejections > 0 {
		row.CountRight(places[7].X, 0, places[7].W, themes.Style(themes.Bad), p.Rejections)
	}
}
