package collect

import (
	"time"

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/printable"
	"orrery/core/world"
	"orrery/views"
)

// Look is what is looked at.
type Look struct {
	Open views.PaneID
	// First is the first row of the open pane's list, Rows how many are on the screen at most, Columns how wide it is.
	First, Rows, Columns int
	// Pod is the pod whose journey or explanation is open, Node the node that is.
	Pod  world.Ref
	Node string
}

// Run is what the engine does not know of itself.
type Run struct {
	Source string
	Mode   views.Mode
	// Board is the departures; nil if nobody writes any.
	Board *evict.Board
}

// Collector remembers what it need not collect again.
type Collector struct {
	run   Run
	nodes nodeMemory
	queue queueMemory
	why   whyMemory
	depth depthMemory
}

// New is a collector for one engine.
func New(run Run) *Collector { return &Collector{run: run} }

// Model is what there is to show of an engine.
func (c *Collector) Model(e *engine.Engine, look Look) *views.Model {
	c.nodes.refresh(e)
	c.depth.refresh(e)
	m := &views.Model{Header: c.header(e)}
	switch look.Open {
	case views.Overview:
		m.Queue, m.Snapshot, m.Zones = c.queueOf(e, look), c.snapshot(e, look), c.zones(e, look)
		m.Evictions = c.evictions(e, look)
	case views.QueuePane:
		m.Queue = c.queueOf(e, look)
	case views.SnapshotPane:
		m.Snapshot = c.snapshot(e, look)
	case views.ZonesPane:
		m.Zones = c.zones(e, look)
	case views.EvictionsPane:
		m.Evictions = c.evictions(e, look)
	case views.DecisionsPane:
		m.Decisions = c.decisions(e, look)
	case views.ExplainPane:
		m.Explain = c.explanation(e, look)
	case views.JourneyPane:
		m.Journey = c.journey(e, look)
	case views.NodePane:
		m.Node = c.nodeDetail(e, look)
	case views.MetricsPane:
		m.Metrics = c.metrics(e)
	}
	return m
}

func (c *Collector) header(e *engine.Engine) views.Header {
	h := views.Header{Source: printable.Text(c.run.Source), Mode: c.run.Mode, Generation: e.Snapshot().Generation()}
	h.Rate, h.P99 = recent(e)
	return h
}

// podName is a pod as it is called on the screen.
func podName(r world.Ref) string { return printable.Text(r.Namespace + "/" + r.Name) }

// window is the rows of a list of total that a look shows.
func (l Look) window(total int) (first, end int) {
	first = min(max(l.First, 0), total)
	return first, min(first+max(l.Rows, 0), total)
}

// recently is how far back the figures of the header go.
const recently = 10 * time.Second
