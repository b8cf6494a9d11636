package collect

import (
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/world"
	"orrery/views"
)

// Run is what the engine does not know of itself.
type Run struct {
	Source string
	Mode   views.Mode
	// Chronicle is what the engine does not remember; nil if nobody writes it down.
	Chronicle *Chronicle
}

// Collector remembers what it need not collect again.
type Collector struct {
	run   Run
	nodes nodeMemory
	rows  rowMemory
	board boardMemory
	drift driftMemory
	why   whyMemory
	pods  []*queue.Pod // room

	// What filters and orders leave of the lists, and what the last of them came to.
	queueLeft          narrowing[waiting]
	nodesLeft          narrowing[int]
	decisionsNarrowed  narrowing[*engine.Decision]
	departuresNarrowed narrowing[int]
	pluginsNarrowed    narrowing[int]
	matrixNarrowed     narrowing[int]
	onNodeNarrowed     narrowing[int]
	marksNarrowed      narrowing[int]
	of                 *engine.Engine // whose lists they are
	narrowed           *views.Narrowed
}

// New is a collector for one engine at a time.
func New(run Run) *Collector { return &Collector{run: run} }

// Follow exchanges the chronicle for another one: that of the engine that Model is asked about from now on. A recording
// in which somebody goes back has another engine, and another chronicle.
func (c *Collector) Follow(ch *Chronicle) { c.run.Chronicle = ch }

// Model is what there is to show of an engine. Its work is bounded: where a long list is filtered or sorted, the model
// says that what it shows is partial, and the next one has more.
func (c *Collector) Model(e *engine.Engine, look Look) *views.Model {
	if c.of != e {
		c.forget(e)
	}
	c.narrowed = nil
	c.nodes.refresh(e)
	m := &views.Model{Header: c.header(e), Timeline: look.Timeline, WhatIf: look.WhatIf}
	switch look.Open {
	case views.Overview:
		m.Queue, m.Snapshot, m.Zones = c.queueOf(e, look), c.snapshot(e, look), c.zones(e, look)
		m.Evictions, m.Leader = c.evictions(e, look), c.leaderOf(e)
	case views.QueuePane:
		m.Queue = c.queueOf(e, look)
	case views.SnapshotPane:
		m.Snapshot = c.snapshot(e, look)
	case views.ZonesPane:
		m.Zones = c.zones(e, look)
	case views.EvictionsPane:
		m.Evictions = c.evictions(e, look)
	case views.LeaderPane:
		m.Leader = c.leaderOf(e)
	case views.DecisionsPane:
		m.Decisions = c.decisions(e, look)
	case views.PluginsPane:
		m.Plugins = c.pluginsOf(e, look)
	case views.ExplainPane:
		m.Explain = c.explanation(e, look)
	case views.JourneyPane:
		m.Journey = c.journey(e, look)
	case views.NodePane:
		m.Node = c.nodeDetail(e, look)
	case views.PressurePane:
		m.Pressure = c.pressureOf(e, look)
	case views.MetricsPane:
		m.Metrics = c.metrics(e)
	case views.TimelinePane:
		m.Timeline = c.marks(look.Timeline, look)
	}
	m.Narrowed = c.narrowed
	return m
}

// forget drops what was found in another engine's lists.
func (c *Collector) forget(e *engine.Engine) {
	fresh := New(c.run)
	fresh.of, fresh.nodes, fresh.pods = e, c.nodes, c.pods[:0]
	*c = *fresh
}

func (c *Collector) header(e *engine.Engine) views.Header {
	h := views.Header{Source: printable.Text(c.run.Source), Mode: c.run.Mode, Generation: e.Snapshot().Generation()}
	h.Rate, h.P99 = c.pace(e)
	h.Leader, h.LeaderLeft = c.leads(e)
	return h
}

// podName is a pod as it is called on the screen.
func podName(r world.Ref) string { return printable.Text(r.String()) }

// podNames are a pod's name on the screen, and its key.
func podNames(r world.Ref) (name, key string) {
	key = r.String()
	return printable.Text(key), key
}
