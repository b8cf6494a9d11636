package whatif

import (
	"time"

	"orrery/core/engine"
	"orrery/core/evict/budget"
	"orrery/core/world"
)

// Options bound how far a question is followed. The zero value is for a person who waits for the answer.
type Options struct {
	// Within is how much virtual time may pass; zero is an hour.
	Within time.Duration
	// Decisions is how many scheduling attempts each of the two runs may take; zero is 100,000.
	Decisions int
}

const (
	withinDefault    = time.Hour
	decisionsDefault = 100_000
)

// Answer is what would become of a cluster, compared with what becomes of it anyway.
type Answer struct {
	// Changes is the question, At the moment it is asked about.
	Changes []Change
	At      time.Time
	// Before is the cluster at rest as things are, After at rest with the changes.
	Before, After Outcome
	// Pods are those that fare differently, by namespace and name. Waiting are those that find no node either way.
	Pods, Waiting []PodChange
	// Held are the evictions that a budget does not allow, at rest, with the changes.
	Held []Hold
	// Notes are for people: what else the changes bring with them.
	Notes []string
	// Rest is when, with the changes, the cluster came to rest; Truncated says that one of the two runs did not, within
	// the bounds of the options.
	Rest      time.Time
	Truncated bool
}

// Worse tells whether a pod ends worse than it would anyway: without a node that it would have.
func (a *Answer) Worse() bool {
	for _, p := range a.Pods {
		if p.Fate == Evicted || p.Fate == Unplaced {
			return true
		}
	}
	return false
}

// Outcome is a cluster at rest, in numbers.
type Outcome struct {
	// Nodes is how many there are, Placed and Pending how many pods have a node and how many have none.
	Nodes, Placed, Pending int
	// Moved pods had a node when the question was asked and left it, and another took their place on a node. Evicted pods
	// left theirs and nobody did. Preempted says how many of both made room for another pod.
	Moved, Evicted, Preempted int
	// CPU and Memory are what is requested of what all nodes have, from 0 to 1.
	CPU, Memory float64
	// Spread is how unevenly nodes that take pods are used, from 0 to 1: the difference between the fullest and the
	// emptiest, a node being as full as the scarcer of its cpu and memory. Deviation is the standard deviation of the same.
	Spread, Deviation float64
	// Decisions is how many scheduling attempts it took to get there.
	Decisions uint64
	Rest      time.Time
}

// Fate is in what a pod fares differently.
type Fate uint8

// The fates. What comes first is as things are, what comes second with the changes.
const (
	Placed    Fate = iota // finds no node; finds one
	Moved                 // stays where it is; leaves, and another takes its place on a node
	Elsewhere             // finds a node; finds another one
	Evicted               // stays; leaves, and nobody takes its place on a node
	Unplaced              // finds a node; finds none
	Waits                 // finds none; finds none, though it may be for another reason
	Arrives               // is not there; is
	Spared                // leaves; stays
	Vanishes              // waits for a node; is gone
)

func (f Fate) String() string {
	return [...]string{"placed", "moved", "elsewhere", "evicted", "unplaced", "waits", "arrives", "spared", "vanishes"}[f]
}

// PodChange is one pod that fares differently.
type PodChange struct {
	// Pod is the pod as it was when the question was asked; for one that came later, as it came.
	Pod           world.Ref
	Fate          Fate
	Before, After Fare
}

// Fare is how a pod is doing, at rest.
type Fare struct {
	// Pod is the pod itself or the one that took its place; zero if it is gone and nobody did.
	Pod   world.Ref
	Place engine.Place
	// Node is where it is.
	Node string
	// Why is the dominant reason of a pod without a node, which On of the Of nodes gave, as far as it is one of nodes. For
	// a pod that is gone it is what made it leave.
	Why    string
	On, Of int
	// Left is what made the pod leave, if another stands in for it or nobody does; empty if it is still itself.
	Left string
}

// Hold is an eviction that a budget does not allow.
type Hold struct {
	Pod    world.Ref
	Node   string
	Budget string
	Why    string
	// Troubles are what stands in the way, with what a person may do about each.
	Troubles []budget.Stuck
}
