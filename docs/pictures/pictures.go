package main

import (
	"slices"
	"time"

	"orrery/core/trace"
	"orrery/views"
)

// picture is one picture: a moment of a recording, and how it is looked at.
type picture struct {
	file  string
	trace string
	// at is the moment: so long after the beginning, or after the first mark of a kind if there is a mark.
	at    time.Duration
	after *trace.MarkKind
	pane  views.PaneID
	// selects returns the pod or node to open, from the previous pane's model.
	selects func(*views.Model) (pod, node string)
	// whatIf is a change to try, on a picture of a what-if.
	whatIf string
	// frames is how many frames a moving picture has, every so long one; a still has none.
	frames  int
	every   time.Duration
	w, h    int
	theme   string
	title   string
	altText string
}

func kind(k trace.MarkKind) *trace.MarkKind { return &k }

var pictures = []picture{
	{
		file: "orrery", trace: "zone-failure", at: 57 * time.Second, pane: views.OrreryPane, frames: 160, every: 100 * time.Millisecond, w: 124, h: 37,
		title: "orrery demo zone-failure --view orrery", altText: "The cluster as an orrery: zones are orbits, nodes are bodies on them, a hand passes the nodes that each decision examines, and evicted pods fall",
	},
	{
		file: "overview", trace: "zone-failure", at: 28 * time.Second, after: kind(trace.Eviction), w: 140, h: 40,
		title: "orrery demo zone-failure", altText: "The dashboard while a zone fails: the queue, the nodes, the zones, evictions and the leader of a cluster at once",
	},
	{
		file: "queue", trace: "morning-rush", at: 58 * time.Second, pane: views.QueuePane, w: 120, h: 30,
		title: "2 Queue", altText: "Every waiting pod with its state, its countdown and the reason that keeps it",
	},
	{
		file: "snapshot", trace: "morning-rush", at: 58 * time.Second, pane: views.SnapshotPane, w: 120, h: 30,
		title: "3 Snapshot", altText: "What the scheduler believes of its nodes, and a heat map of all of them",
	},
	{
		file: "zones", trace: "zone-failure", at: 28 * time.Second, after: kind(trace.Eviction), pane: views.ZonesPane, w: 120, h: 30,
		title: "4 Zones", altText: "The zones as lanes, the order that leads through them, and the window of the last decision",
	},
	{
		file: "evictions", trace: "zone-failure", at: 2500 * time.Millisecond, after: kind(trace.Eviction), pane: views.EvictionsPane, w: 120, h: 30,
		title: "5 Evictions", altText: "The evictions: which pod leaves which node, why, and when",
	},
	{
		file: "leader", trace: "leader-failover", at: 6 * time.Second, after: kind(trace.LeaderChange), pane: views.LeaderPane, w: 120, h: 30,
		title: "6 Leader", altText: "Who leads, the heartbeat of its renewals, who waits, and who led before",
	},
	{
		file: "decisions", trace: "priority-storm", at: 21 * time.Second, pane: views.DecisionsPane, w: 120, h: 30,
		title: "7 Decisions", altText: "Every decision as it is made: the pod, the node or the reason, and how many nodes were looked at",
	},
	{
		file: "explain", trace: "morning-rush", at: 64 * time.Second, pane: views.ExplainPane, selects: unschedulablePod, w: 120, h: 36,
		title: "e  Explain", altText: "Why a pod waits: the dominant cause, the reasons counted, and what every plugin says of every node",
	},
	{
		file: "placed", trace: "morning-rush", at: 58 * time.Second, pane: views.ExplainPane, selects: placedPod, w: 120, h: 36,
		title: "e  Explain", altText: "Why a pod went where it did: the scores of the winner and the runner-up, plugin by plugin",
	},
	{
		file: "journey", trace: "morning-rush", at: 64 * time.Second, pane: views.JourneyPane, selects: unschedulablePod, w: 120, h: 30,
		title: "enter  Pod", altText: "A pod's whole way through the queue, with the cause of every move",
	},
	{
		file: "node", trace: "memory-pressure", at: time.Second, after: kind(trace.Eviction), pane: views.NodePane, selects: evictedNode, w: 120, h: 30,
		title: "enter  Node", altText: "A node: what is allocated of it, its pods, taints and images",
	},
	{
		file: "pressure", trace: "memory-pressure", at: 1100 * time.Millisecond, after: kind(trace.Eviction), pane: views.PressurePane, selects: evictedNode, w: 120, h: 30,
		title: "p  Pressure", altText: "A node under memory pressure: its signals beside their thresholds, which pod is evicted next, and all others in that order",
	},
	{
		file: "whatif", trace: "morning-rush", at: 58 * time.Second, pane: views.WhatIfPane, whatIf: "drain shop-east-1", w: 120, h: 30,
		title: "w  What if", altText: "A node is drained on a copy of the cluster: the numbers before and after, and every pod that fares differently",
	},
	{
		file: "devices", trace: "gpu-day", at: 52 * time.Second, pane: views.DevicesPane, w: 120, h: 30,
		title: ":devices  Devices", altText: "A cell for each device of a GPU cluster, by driver and node, and who holds it",
	},
	{
		file: "gangs", trace: "gang-deadlock", at: 13 * time.Second, pane: views.GangsPane, w: 120, h: 20,
		title: ":groups  Groups", altText: "Two gangs of twelve pods that hold eight places each, with the deadline at which they give them up",
	},
	{
		file: "light", trace: "morning-rush", at: 58 * time.Second, w: 140, h: 40, theme: "light",
		title: "orrery demo --theme light", altText: "The dashboard in the light theme",
	},
	{
		file: "colour-blind", trace: "morning-rush", at: 58 * time.Second, w: 100, h: 30, theme: "colour-blind",
		title: "orrery demo --theme colour-blind", altText: "The dashboard in the colour-blind theme",
	},
}

// unschedulablePod returns a pod in unschedulablePods, or else one in backoffQ.
func unschedulablePod(m *views.Model) (pod, node string) {
	if m.Queue == nil {
		return "", ""
	}
	for _, row := range slices.Concat(m.Queue.Stuck, m.Queue.Soon) {
		return row.Name, ""
	}
	return "", ""
}

// placedPod is the pod that was bound last.
func placedPod(m *views.Model) (pod, node string) {
	if m.Decisions == nil {
		return "", ""
	}
	for _, row := range m.Decisions.List.Rows {
		if row.Node != "" {
			return row.Pod, ""
		}
	}
	return "", ""
}

// evictedNode is the node that pods leave.
func evictedNode(m *views.Model) (pod, node string) {
	if m.Evictions == nil {
		return "", ""
	}
	for _, row := range m.Evictions.List.Rows {
		if row.Node != "" {
			return "", row.Node
		}
	}
	return "", ""
}
