package collect

import (
	"time"

	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// driftCache compares the nodes of the scheduler's cache with those of the store. That reads every node, so the result
// is kept for a while.
type driftCache struct {
	engine *engine.Engine
	at     time.Time
	calls  int
	text   string
}

// A result is reused until this much of the engine's time has passed and it was requested this often.
const (
	driftPeriod = time.Second
	driftCalls  = 10
)

// of describes how cache and store differ; empty if they do not.
func (m *driftCache) of(e *engine.Engine) string {
	m.calls++
	if m.engine == e && (e.Now().Sub(m.at) < driftPeriod || m.calls < driftCalls) {
		return m.text
	}
	*m = driftCache{engine: e, at: e.Now()}
	differ, cached, first := 0, 0, ""
	for info := range e.Cache().RecentlyChanged() {
		node := info.Node()
		if node == nil {
			continue
		}
		cached++
		if stored := e.Store().Node(node.Name); stored != node {
			if differ++; first == "" {
				first = node.Name
			}
		}
	}
	switch missing := e.Store().Len(world.Node) - cached; {
	case missing > 0:
		m.text = plural.Count(missing, "node") + " missing in the cache"
	case missing < 0:
		m.text = plural.Count(-missing, "node") + " in the cache but not in the cluster"
	case differ == 1:
		m.text = printable.Text(first) + " differs from the cluster"
	case differ > 1:
		m.text = plural.Count(differ, "node") + " differ from the cluster, among them " + printable.Text(first)
	}
	return m.text
}
