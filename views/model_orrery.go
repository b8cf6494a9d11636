package views

import (
	"time"

	"orrery/views/orbit"
)

// Orrery is the cluster as a picture: every node in the order of the search, and what the scheduler does now.
type Orrery struct {
	// Zones are the zones' names, and Order the zone of every node in the order of the search. An Order is not changed; a
	// new one has a new slice.
	Zones []string
	Order orbit.Zones
	// Bodies are the nodes, in the same order.
	Bodies []OrreryBody
	// Start is the next start index.
	Start int
	// Last is the last search, nil if there was none. The one before it was decided Since earlier. Nominated is the index
	// of the node that preemption nominated, -1 for none; Victims is how many pods it evicts.
	Last               *Search
	Since              time.Duration
	Nominated, Victims int
	// Decided is the last decision; nil if there was none.
	Decided *DecisionRow
	// Named are the nodes that matter now, the first most: they are called by their names in the picture.
	Named []NamedBody
	// Returning are the back-offs of pods, those that end first.
	Returning []BackoffSpan
	// Leaving are evictions under way, the earliest deadline first.
	Leaving []Eviction
	// Flights are what a what-if would do, which is shown; nil of the cluster as it is.
	// WhatIf is the what-if.
	Flights []Flight
	WhatIf  *WhatIf
	// RecentEvictions are those that began lately, the latest first; Terminating is how many pods are being evicted.
	RecentEvictions []RecentEviction
	Terminating     int
	Counts          QueueCounts
	// Leader is the election; nil without one.
	Leader *Leader
	Nodes  List[NodeRow]
	// ByZone are the zones in their order, where there are too many nodes for a body each; then the zones are the bodies, and the rows.
	ByZone List[ZoneBody]
}

// ZoneBody is a zone.
type ZoneBody struct {
	// Key identifies it; Scope is the filter for its nodes.
	Key, Name, Scope string
	// Nodes is how many there are, of which some are NotReady, or Cordoned or under pressure.
	Nodes, NotReady, Cordoned int
	Level                     uint8 // how much of all its nodes is allocated, from 0 to 255
	Pods, Leaving             int
}

// OrreryBody is one node.
type OrreryBody struct {
	Size   BodySize
	Level  uint8 // how much is allocated, from 0 to 255
	Flags  NodeFlags
	Result LaneCell
	// Pods is how many pods the node has, of which Leaving are terminating.
	Pods, Leaving int
}

// NamedBody is a node that matters, and the fact for which it does.
type NamedBody struct {
	Node       int // its index
	Name, Fact string
	Bad        bool
}

// BackoffSpan is from when until when a pod backs off.
type BackoffSpan struct{ From, Until time.Time }

// Flight is the way of a pod in a what-if, from a node to a node. An index is -1 where there is no node: from there it has none yet, and
// to there it stays outside, unless it is Gone or on a New node that the picture does not have.
type Flight struct {
	Pod       string
	From, To  int
	Gone, New bool
}

// BodySize is a node's capacity beside that of the largest node.
type BodySize uint8

// The sizes: up to three eighths, up to three quarters, and more. Nodes that are all alike are Medium.
const (
	Small BodySize = iota
	Medium
	Large
)

// RecentEviction is the eviction of a pod, from when it began.
type RecentEviction struct {
	Node int // its index
	At   time.Time
}
