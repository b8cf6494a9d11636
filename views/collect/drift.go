package collect

import (
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// driftMemory compares the nodes that the scheduler believes in with those that the store holds. That is a look at every
// node, so the answer holds for a while.
type driftMemory struct {
	engine *engine.Engine
	at     time.Time
	asked  int
	words  string
}

// An answer is given again until so much of the engine's time has passed and it has been asked for so often.
const (
	driftPeriod = time.Second
	driftAsked  = 10
)

// of says in words where belief and store differ; empty if nowhere.
func (m *driftMemory) of(e *engine.Engine) string {
	m.asked++
	if m.engine == e && (e.Now().Sub(m.at) < driftPeriod || m.asked < driftAsked) {
		return m.words
	}
	*m = driftMemory{engine: e, at: e.Now()}
	differ, believed, first := 0, 0, ""
	for info := range e.Cache().Recent() {
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
		m.words = nodes(missing) + " of the cluster not known"
	case missing < 0:
		m.words = nodes(-missing) + " not in the cluster"
	case differ == 1:
		m.words = printable.Text(first) + " is not as the cluster has it"
	case differ > 1:
		m.words = nodes(differ) + " not as the cluster has them, " + printable.Text(first) + " among them"
	}
	return m.words
}
