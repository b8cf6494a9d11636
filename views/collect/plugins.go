package collect

import (
	"time"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/views"
)

// pluginsOf returns the cost and results of the first profile's plugins, at every extension point in the order of a
// scheduling attempt. Calls and rejections count from the engine's start; durations are this process's, and zero if not
// measured.
func (c *Collector) pluginsOf(e *engine.Engine, query Query) *views.Plugins {
	if len(e.Profiles()) == 0 {
		return nil
	}
	return &views.Plugins{Profile: printable.Text(c.profileName(e, query))}
}

// profileName is the profile of the pod that is open, or else the first.
func (c *Collector) profileName(e *engine.Engine, query Query) string {
	if query.Pod.Name != "" {
		if pod := e.Store().Pod(query.Pod.Namespace, query.Pod.Name); pod != nil && e.Profile(pod.Spec.SchedulerName) != nil {
			return pod.Spec.SchedulerName
		}
	}
	return e.Profiles()[0]
}

func (c *Collector) pluginRows(e *engine.Engine, name string) []views.PluginRow {
	profile := e.Profile(name)
	var rows []views.PluginRow
	for _, g := range e.Queue().PreEnqueueCounts(name) {
		rows = append(rows, c.pluginRow(name, framework.PreEnqueue, g.Plugin, g.Calls, g.Rejections))
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
	if ch := c.options.History; ch != nil {
		took := ch.timings.of(timingKey{profile, point, plugin})
		row.Mean, row.P99 = took.mean(), took.histogram.quantile(0.99)
	}
	return row
}
