package collect

import (
	"strconv"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// driftCache compares the nodes of the scheduler's cache with those of the store. That reads every node, so the result
// is kept for a while.
type driftCache struct {
	engine *engine.Engine
	at     time.Time
	calls  int
	words  string
}

// An answer is given again until so much of the engine's time has passed and it has been asked for so often.
const (
	driftPeriod = time.Second
	driftAsked  = 10
)

// of describes how cache and store differ; empty if they do not.
func (m *driftCache) of(e *engine.Engine) string {
	m.calls++
	if m.engine == e && (e.Now().Sub(m.at) < driftPeriod || m.calls < driftAsked) {
		return m.words
	}
	*m = driftCache{engine: e, at: e.Now()}
	differ, believed, first := 0, 0, ""
	for info := range e.Cache().RecentlyChanged() {
		node := info.Node()
		if node == nil {
			continue
		}
		believed++
		if held := e.Store().Node(node.Name); held != node {
			if differ++; first == "" {
				first = node.Name
			}
		}
	}
	switch missing := e.Store().Len(world.Node) - believed; {
	case missing > 0:
		m.words = nodes(missing) + " missing in the cache"
	case missing < 0:
		m.words = nodes(-missing) + " in the cache but not in the cluster"
	case differ == 1:
		m.words = printable.Text(first) + " differs from the cluster"
	case differ > 1:
		m.words = nodes(differ) + " differ from the cluster, among them " + printable.Text(first)
	}
	return m.words
}

// nodes is a number of nodes in words.
func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}
