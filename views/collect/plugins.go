package collect

import (
	"cmp"
	"time"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/printable"
	"orrery/views"
	"orrery/views/filter"
)

// pluginsOf is what the plugins of the first profile cost and decide, at every extension point in the order in which a
// pod meets them. Calls and rejections count since the engine was made; times are this process's, and zero where nobody
// measures.
func (c *Collector) pluginsOf(e *engine.Engine, look Look) *views.Plugins {
	if len(e.Profiles()) == 0 {
		return nil
	}
	name := e.Profiles()[0]
	if look.Pod.Name != "" {
		if pod := e.Store().Pod(look.Pod.Namespace, look.Pod.Name); pod != nil && e.Profile(pod.Spec.SchedulerName) != nil {
			name = pod.Spec.SchedulerName
		}
	}
	rows := c.pluginRows(e, name)
	v := &views.Plugins{Profile: printable.Text(name)}
	if !look.plain() {
		v.List = c.pluginsLeft(e, look, rows)
		return v
	}
	first, end := look.window(len(rows))
	v.List = views.List[views.PluginRow]{First: first, Total: len(rows), Rows: rows[first:end]}
	return v
}

func (c *Collector) pluginRows(e *engine.Engine, name string) []views.PluginRow {
	profile := e.Profile(name)
	var rows []views.PluginRow
	for _, g := range e.Queue().GateCounts(name) {
		rows = append(rows, c.pluginRow(name, framework.PreEnqueue, g.Plugin, g.Calls, g.Refusals))
	}
	for _, plugin := range profile.Enabled(framework.QueueSort) {
		rows = append(rows, c.pluginRow(name, framework.QueueSort, plugin, 0, 0))
	}
	for _, n := range profile.Counts() {
		row := c.pluginRow(name, n.Point, n.Plugin, n.Calls, n.Rejections)
		if n.Point == framework.Score {
			row.Weight = int(profile.Weight(n.Plugin))
		}
		rows = append(rows, row)
	}
	var all time.Duration
	for i := range rows {
		all += rows[i].Mean * time.Duration(rows[i].Calls)
	}
	for i := range rows {
		if all > 0 {
			rows[i].Share = float64(rows[i].Mean*time.Duration(rows[i].Calls)) / float64(all)
		}
	}
	return rows
}

func (c *Collector) pluginRow(profile string, point framework.Point, plugin string, calls, rejections uint64) views.PluginRow {
	row := views.PluginRow{
		Point: string(point), Plugin: printable.Text(plugin), Calls: int64(calls), Rejections: int64(rejections),
	}
	if ch := c.run.Chronicle; ch != nil {
		took := ch.timings.of(timed{profile, point, plugin})
		row.Mean, row.P99 = took.mean(), took.took.quantile(0.99)
	}
	return row
}

func (c *Collector) pluginsLeft(e *engine.Engine, look Look, rows []views.PluginRow) views.List[views.PluginRow] {
	number := func(of func(*views.PluginRow) int64) func(a, b int) int {
		return func(a, b int) int { return cmp.Or(cmp.Compare(of(&rows[b]), of(&rows[a])), a-b) }
	}
	compare := func(a, b int) int { return a - b }
	switch look.Sort {
	case "plugin":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(rows[a].Plugin, rows[b].Plugin), a-b) }
	case "calls":
		compare = number(func(r *views.PluginRow) int64 { return r.Calls })
	case "rejections":
		compare = number(func(r *views.PluginRow) int64 { return r.Rejections })
	case "time":
		compare = number(func(r *views.PluginRow) int64 { return int64(r.Mean) * r.Calls })
	}
	places, first, left := c.pluginsNarrowed.rows(look, list[int]{
		stamp: e.LastDecision(),
		all: func(into []int) []int {
			for i := range rows {
				into = append(into, i)
			}
			return into
		},
		subject: func(s *filter.Subject, i *int) {
			s.Name, s.Words[0] = rows[*i].Plugin, rows[*i].Point
		},
		compare: compare,
	})
	c.narrowed = left
	l := views.List[views.PluginRow]{First: first, Total: left.Matches, Rows: make([]views.PluginRow, len(places))}
	for i, at := range places {
		l.Rows[i] = rows[at]
	}
	return l
}
