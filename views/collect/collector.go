package collect

import (
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/world"
	"orrery/views"
)

// Options hold data that the engine does not have.
type Options struct {
	Source string
	Mode   views.Mode
	// History keeps data that the engine does not; it may be nil.
	History *History
}

// Collector builds the models of an engine, and caches their unchanged parts.
type Collector struct {
	options Options
	nodes   nodeCache
	rows    rowCache
	board   boardCache
	drift   driftCache
	why     diagnosisCache
	pods    []*queue.Pod // room

	// ranked are the pods of the node that is open in the order of eviction; ranking numbers the times they were ranked.
	ranked  []views.PressurePod
	ranking uint64

	// pickers filter and sort the lists of the engine of.
	pickers map[views.PaneID]any
	of      *engine.Engine
}

// New is a collector for one engine at a time.
func New(run Options) *Collector {
	return &Collector{options: run, pickers: map[views.PaneID]any{}}
}

// SetHistory replaces the history with that of the engine of the next Model. Stepping back in a recording replaces
// both.
func (c *Collector) SetHistory(ch *History) { c.options.History = ch }

// Model returns the model of an engine. Its work is bounded: if a long list is filtered or sorted, the model is marked as
// partial, and the next one has more.
func (c *Collector) Model(e *engine.Engine, look Query) *views.Model {
	if c.of != e {
		c.reset(e)
	}
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
		if look.Timeline != nil {
			timeline := *look.Timeline
			m.Timeline = &timeline
		}
	}
	if p := views.PaneOf(look.Open); p != nil {
		p.Collect(m, source{c, e, look}, look.list(), c.pickers)
	}
	return m
}

// reset drops the lists of another engine.
func (c *Collector) reset(e *engine.Engine) {
	fresh := New(c.options)
	fresh.of, fresh.nodes, fresh.pods, fresh.pickers = e, c.nodes, c.pods[:0], map[views.PaneID]any{}
	*c = *fresh
}

func (c *Collector) header(e *engine.Engine) views.Header {
	h := views.Header{Source: printable.Text(c.options.Source), Mode: c.options.Mode, Generation: e.Snapshot().Generation()}
	if rule := e.RequeueRule(); rule != queue.QueueingHints {
		h.RequeueRule = rule.String()
	}
	h.Rate, h.P99 = c.rateAndLatency(e)
	h.Leader, h.LeaseLeft = c.currentLeader(e)
	return h
}

// podName is a pod as the screen shows it.
func podName(r world.PodRef) string { return printable.Text(r.String()) }

// podNames are a pod's name on the screen, and its key.
func podNames(r world.PodRef) (name, key string) {
	key = r.String()
	return printable.Text(key), key
}
