package engine

import (
	"cmp"
	"slices"

	"orrery/core/scheduler/framework"
)

// PanicSource is where plugins have panicked.
type PanicSource struct {
	Plugin string
	Point  framework.Point
}

// PanicCount is how often a plugin has panicked at a point.
type PanicCount struct {
	PanicSource
	Panics uint64
}

// Panics counts the panics of plugins, by plugin and point. Each is also among the Problems, as a *framework.PluginPanic.
func (e *Engine) Panics() []PanicCount {
	list := make([]PanicCount, 0, len(e.panics))
	for source, n := range e.panics {
		list = append(list, PanicCount{source, n})
	}
	slices.SortFunc(list, func(a, b PanicCount) int { return compareSources(a.PanicSource, b.PanicSource) })
	return list
}

func compareSources(a, b PanicSource) int {
	return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Point, b.Point))
}

// pluginPanicked reports a panic, which may have been on another goroutine. The call has failed with it.
func (e *Engine) pluginPanicked(p *framework.PluginPanic) {
	e.posted.post(func() {
		e.panics[PanicSource{p.Plugin, p.Point}]++
		e.reportProblem(p)
	})
}
