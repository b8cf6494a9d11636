package shadow

import (
	"time"

	"orrery/core/world"
)

// Class is the result of a comparison.
type Class uint8

// The classes.
const (
	Agreed    Class = iota // no node is better
	Explained              // a node is better, unless one scheduler saw some event later
	Differs
)

func (c Class) String() string { return [...]string{"agreed", "explained", "differs"}[c] }

// Finding is a real decision with a better alternative.
type Finding struct {
	Seq   uint64
	At    time.Time
	Pod   world.PodRef
	Class Class
	// Real is the pod's node; empty if it was declared unschedulable, with the reason Message.
	Real, Message string
	// BestNodes are some of the best nodes, Tied is their total number. Both are empty if no node is feasible.
	BestNodes []string
	Tied      int
	// Feasible is the number of feasible nodes among Nodes.
	Feasible, Nodes int
	// Best is the best nodes' score and Score the real one's. Margins are the differences by plugin between the first
	// of BestNodes and the real node, largest first.
	Best, Score int64
	Margins     []Margin
	// Objections say why the real node is infeasible, by plugin; if no node is feasible, why not.
	Objections []Objection
	// Causes are the events that explain the difference.
	Causes []Cause
	// Unsearched says that no explanation was looked for, since too many differences came at once.
	Unsearched bool
	// Sampled says that scoring only SampleSize of the feasible nodes explains the difference.
	Sampled    bool
	SampleSize int
}

// Margin is the lead of a best node over the real one by one plugin's score; negative if it is behind.
type Margin struct {
	Plugin string
	Ahead  int64
}

// Objection is a plugin's reason against a node.
type Objection struct {
	Plugin string
	Reason string
	// Nodes is the number of nodes with this reason.
	Nodes int
}

// Cause is an event that one of the two schedulers saw later than the other.
type Cause struct {
	// SeenEarly says that the event came after the decision, and the other scheduler already knew of it. Otherwise the
	// event came before, and the other scheduler did not know of it yet.
	SeenEarly bool
	// What describes the event, and Offset is its distance from the decision.
	What   string
	Offset time.Duration
}

// Counters count real decisions.
type Counters struct {
	// Unsearched are those of Differs for which no explanation was looked for.
	Agreed, Explained, Differs, Unsearched uint64
	// Unschedulable counts decisions that declared a pod unschedulable.
	Unschedulable uint64
	// NotCompared decisions may be older than the first list or a relist, or are about volumes that may not be read, or about
	// pods that extenders are interested in.
	// OtherSchedulers counts those about other
	// schedulers' pods.
	NotCompared, OtherSchedulers uint64
}

// Compared returns the number of compared decisions.
func (t Counters) Compared() uint64 { return t.Agreed + t.Explained + t.Differs }

// AgreementRate returns the share, from 0 to 1, of compared decisions that agree or are explained; 1 if there are none.
func (t Counters) AgreementRate() float64 {
	if t.Compared() == 0 {
		return 1
	}
	return float64(t.Agreed+t.Explained) / float64(t.Compared())
}

// Bounds of the kept findings.
const (
	//orrery:limit shadow; differences that are kept; the oldest goes
	maxDifferences = 512
	//orrery:limit shadow; explained decisions that are kept; the oldest goes
	maxExplained = 128
)

// findingRing keeps the latest findings of a kind.
type findingRing struct {
	ring  []Finding
	limit int
	next  int
}

func (k *findingRing) add(f Finding) {
	if len(k.ring) < k.limit {
		k.ring = append(k.ring, f)
		return
	}
	k.ring[k.next] = f
	k.next = (k.next + 1) % k.limit
}

// newest returns the i-th newest finding; nil after the last.
func (k *findingRing) newest(i int) *Finding {
	if i >= len(k.ring) {
		return nil
	}
	n := len(k.ring)
	return &k.ring[(k.next+n-1-i)%n]
}
