package whatif

import (
	"slices"
	"time"

	"orrery/core/answers/cause"
	"orrery/core/answers/change"
	"orrery/core/evict/budget"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Options bound a run. The zero value suits an interactive user.
type Options struct {
	// MaxTime bounds the virtual time; zero means an hour.
	MaxTime time.Duration
	// Seed is one of the ways in which ties between equally good nodes may fall, the same in both runs.
	Seed uint64
	// MaxDecisions bounds the scheduling attempts of each of the two runs; zero means 100,000.
	MaxDecisions int
	// Beside are objects that the engine does not have, as it does not read their kinds: quotas.
	Beside []world.Object
}

const (
	//orrery:limit answers; virtual time of a what-if; it ends, and says so
	defaultMaxTime = time.Hour
	//orrery:limit answers; decisions of a what-if; it ends, and says so
	defaultMaxDecisions = 100_000
)

// Result compares a cluster with the changes and without them.
type Result struct {
	// Changes were evaluated, as of At.
	Changes []change.Change
	At      time.Time
	// Without is the cluster at rest without the changes, With with them.
	Without, With ClusterSummary
	// Pods are those whose outcome differs, by namespace and name. StillPending have no node in either run.
	Pods, StillPending []PodChange
	// Chance are the pods of gangs that wait for each other's places, if other ones get them in the two runs: that is no effect.
	Chance []PodChange
	// Blocked are the evictions that a budget does not allow, at rest, with the changes; ToEvict is how many pods the
	// drains set out to evict.
	Blocked []BlockedEviction
	ToEvict int
	// Causes are the rules and feature gates that make the difference, if the changes are an upgrade alone; NotTried are those that were not turned off.
	Causes   []Cause
	NotTried []cause.NotTried
	// Notes say what else the changes entail.
	Notes []string
	// RestAt is when the cluster came to rest with the changes. Truncated says that one of the runs did not, within the
	// bounds of the options.
	RestAt    time.Time
	Truncated bool
}

// Worse reports whether a pod loses its node, other than by the scaling down of its owner.
func (a *Result) Worse() bool {
	return slices.ContainsFunc(a.Pods, func(p PodChange) bool { return p.Kind.Bad() })
}

// ClusterSummary is a cluster at rest, in numbers.
type ClusterSummary struct {
	// Placed pods have a node, Pending ones have none.
	Nodes, Placed, Pending int
	// Moved pods were replaced on another node, Evicted ones were not replaced, and Preempted is how many of both made
	// room for another pod. Pods that the changes scale down are neither.
	Moved, Evicted, Preempted int
	// CPU and Memory are the requested shares of all nodes' allocatable, from 0 to 1.
	CPU, Memory float64
	// Spread is the utilization of the fullest schedulable node less that of the emptiest, from 0 to 1; a node's is the
	// larger of its shares of cpu and memory. Deviation is the standard deviation of the same.
	Spread, Deviation float64
	// Decisions is how many scheduling attempts the run took.
	Decisions uint64
	RestAt    time.Time
}

// ChangeKind says how a pod's outcome differs.
type ChangeKind uint8

// The kinds: the outcome without the changes, then with them.
const (
	Placed         ChangeKind = iota // pending; has a node
	Moved                            // stays; is replaced on another node
	OtherNode                        // gets a node; gets another one
	Evicted                          // stays; is evicted and not replaced on any node
	BecomesPending                   // gets a node; is pending
	StillPending                     // pending; pending
	Created                          // does not exist; exists
	NotEvicted                       // is evicted; stays
	Gone                             // pending, of an owner that is scaled down, or deleted by the changes; deleted
)

func (k ChangeKind) String() string {
	return [...]string{"placed", "moved", "other node", "evicted", "becomes pending", "still pending", "created", "not evicted", "gone"}[k]
}

// Bad reports whether the pod loses its node.
func (k ChangeKind) Bad() bool { return k == Evicted || k == BecomesPending }

// PodChange is one pod whose outcome differs.
type PodChange struct {
	// Pod is the pod as it was at the start; for one that came later, as it came.
	Pod  world.PodRef
	Kind ChangeKind
	// Cause names what makes the difference, of an upgrade alone; empty if several things have to come together.
	Cause         string
	Without, With PodOutcome
}

// PodOutcome is one pod at rest.
type PodOutcome struct {
	// Pod is the pod itself or its replacement; zero if there is neither.
	Pod world.PodRef
	// State is empty for a pod of a scheduler that is none of the profiles.
	State engine.PodState
	Node  string
	// Reason is the last attempt's reason with the most nodes, out of TotalNodes.
	Reason     engine.Rejection
	TotalNodes int
	// RemovedBy is why the original pod was deleted; empty if it still exists.
	RemovedBy string
}

// Pending reports whether the pod exists and has no node.
func (o *PodOutcome) Pending() bool { return o.Pod != (world.PodRef{}) && o.Node == "" }

// BlockedEviction is an eviction that a budget does not allow.
type BlockedEviction struct {
	Pod     world.PodRef
	Node    string
	Budget  string
	Message string
	// DisruptionsAllowed is how many more evictions the budget allows.
	DisruptionsAllowed int32
	// Causes say why the budget does not allow it, and what a person may do about each.
	Causes []budget.Problem
}
