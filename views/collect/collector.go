package collect

import (
	"strings"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// Options hold data that the engine does not have.
type Options struct {
	Source string
	Mode   views.Mode
	// History keeps data that the engine does not; it may be nil.
	History *History
	// NewerServer is the version of an API server that is newer than all releases that are modelled; empty for others.
	NewerServer string
	// Shadows means that the engine only decides, and another scheduler binds the pods.
	Shadows bool
}

// Collector builds the models of an engine, and caches their unchanged parts.
type Collector struct {
	options      Options
	nodes        nodeTable // as they are
	believed     nodeTable // as the last scheduling cycle saw them
	behind       behindCache
	capacity     capacityCache
	rows         rowCache
	evictionList evictionCache
	drift        driftCache
	troubled     troubledNodes
	longest      longestPending
	feed         feed
	diagnosis    diagnosisCache
	storage      storageIndex
	devices      deviceIndex
	gangs        gangIndex
	chain        chainCache
	pods         []*queue.Pod // scratch, reused

	// ranked are the pods of the node that is open in the order of eviction; ranking numbers the times they were ranked.
	ranked  []views.PressurePod
	ranking uint64

	// pickers filter and sort the lists of the engine of.
	pickers map[views.PaneID]any
	of      *engine.Engine
	// gates are the feature gates of the engine of that are not at their defaults.
	gates     string
	gateCount int
}

// New returns a collector for one engine at a time.
func New(o Options) *Collector { return &Collector{options: o, pickers: map[views.PaneID]any{}} }

// SetHistory replaces the history with that of the engine of the next Model. Stepping back in a recording replaces
// both.
func (c *Collector) SetHistory(ch *History) { c.options.History = ch }

// Model returns the model of an engine. Its work is bounded: if a long list is filtered or sorted, the model is marked as
// partial, and the next one has more.
func (c *Collector) Model(e *engine.Engine, query Query) *views.Model {
	if c.of != e {
		c.reset(e)
	}
	c.nodes.refresh(e, presentNodes{e})
	switch query.Open {
	case views.Overview, views.SnapshotPane, views.ZonesPane, views.OrreryPane:
		c.believed.refresh(e, snapshotNodes{e})
	}
	devices, gangs := c.devices.follow(e, query.Open), c.gangs.follow(e, query.Open)
	m := &views.Model{Header: c.header(e, devices, gangs), Timeline: query.Timeline, WhatIf: query.WhatIf, Pending: query.Pending, Comparison: query.Comparison}
	switch query.Open {
	case views.Overview:
		m.Queue, m.Snapshot, m.Zones = c.queueOf(e, query), c.snapshot(e, query), c.zones(e, query)
		m.Evictions, m.Leader, m.Feed = c.evictions(e, query), c.leaderOf(e), c.feed.of(e, query.Namespace)
		if devices {
			m.Devices = c.devicesOf(query)
		}
		if gangs && query.Namespace == "" { // its title counts them, of all namespaces
			m.Gangs = c.gangs.model()
		}
	case views.QueuePane:
		m.Queue = c.queueOf(e, query)
		if gangs && query.Namespace == "" {
			m.Gangs = c.gangs.model()
		}
	case views.SnapshotPane:
		m.Snapshot = c.snapshot(e, query)
	case views.ZonesPane:
		m.Zones = c.zones(e, query)
	case views.OrreryPane:
		m.Orrery = c.orrery(e, query)
	case views.EvictionsPane:
		m.Evictions = c.evictions(e, query)
	case views.LeaderPane:
		m.Leader = c.leaderOf(e)
	case views.DecisionsPane:
		m.Decisions = c.decisions(e, query)
	case views.PluginsPane:
		m.Plugins = c.pluginsOf(e, query)
	case views.ExplainPane:
		m.Explain = c.explanation(e, query)
	case views.JourneyPane:
		m.Journey = c.journey(e, query)
	case views.NodePane:
		m.Node = c.nodeDetail(e, query)
	case views.PressurePane:
		m.Pressure = c.pressureOf(e, query)
	case views.StoragePane, views.VolumesPane:
		m.Storage = c.storageOf(e, query)
	case views.DevicesPane, views.DeviceClaimsPane:
		m.Devices = c.devicesOf(query)
	case views.GangsPane:
		m.Gangs = c.gangs.model()
	case views.ClustersPane:
		m.Causes = c.pendingCauses(e)
	case views.MetricsPane:
		m.Metrics = c.metrics(e)
	case views.ComparePane:
		if query.Comparison != nil {
			comparison := *query.Comparison
			m.Comparison = &comparison
		}
	case views.TimelinePane:
		if query.Timeline != nil {
			timeline := *query.Timeline
			m.Timeline = &timeline
		}
	}
	m.Preview = c.preview(e, query)
	if p := views.PaneOf(query.Open); p != nil {
		p.Collect(m, source{c, e, query}, query.list(), c.pickers)
	}
	return m
}

// reset drops the cached lists of another engine.
func (c *Collector) reset(e *engine.Engine) {
	fresh := New(c.options)
	fresh.of, fresh.pods, fresh.pickers = e, c.pods[:0], map[views.PaneID]any{}
	*c = *fresh
	gates := e.ChangedFeatureGates()
	c.gates, c.gateCount = strings.Join(gates, " "), len(gates)
}

func (c *Collector) header(e *engine.Engine, devices, gangs bool) views.Header {
	h := views.Header{Source: printable.Text(c.options.Source), Mode: c.options.Mode, Generation: e.Snapshot().Generation()}
	h.Gates, h.GateCount = c.gates, c.gateCount
	if rule := e.RequeueRule(); rule != queue.QueueingHints {
		h.RequeueRule = rule.String()
	}
	r := e.Features().Release()
	h.Kubernetes, h.NewerServer = r.String(), printable.Text(c.options.NewerServer)
	h.NamesRelease = !r.IsZero() || h.Mode == views.Shadow || h.Mode == views.Acting || h.Mode == views.Attached
	h.Rate, h.P99 = c.rateAndLatency(e)
	h.Leader, h.LeaseLeft = c.currentLeader(e)
	h.Health = c.health(e, devices)
	if gangs {
		c.gangs.health(&h.Health)
	}
	return h
}

// podName is a pod as the screen shows it.
func podName(r world.PodRef) string { return printable.Text(r.String()) }

// podNames are a pod's name on the screen, and its key.
func podNames(r world.PodRef) (name, key string) {
	key = r.String()
	return printable.Text(key), key
}
