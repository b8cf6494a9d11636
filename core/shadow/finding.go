package shadow

import (
	"time"

	"orrery/core/world"
)

// Class is how a real decision compares with Orrery's.
type Class uint8

// The classes.
const (
	Agreed    Class = iota // no node was better
	Explained              // one was, unless some event was seen later by one than by the other
	Differs
)

func (c Class) String() string { return [...]string{"agreed", "explained", "differs"}[c] }

// Finding is a real decision that is not plainly agreed with.
type Finding struct {
	Seq   uint64
	At    time.Time
	Pod   world.Ref
	Class Class
	// Real is the node that the pod got; empty if it was declared unschedulable, for the reason Message.
	Real, Message string
	// Ours are the best nodes, a few of them, and Tied how many there are. Both are empty if no node would do.
	Ours []string
	Tied int
	// Feasible of Nodes would do.
	Feasible, Nodes int
	// Best is the best nodes' score and Score the real one's. Margins say plugin by plugin by how much the first of Ours was
	// ahead, largest first.
	Best, Score int64
	Margins     []Margin
	// Against says why the real node would not do, by plugin; where no node would, why none.
	Against []Objection
	// Causes explain a difference: with them, there would be none.
	Causes []Cause
	// Sampled says that it is explained by scoring only part of the nodes, Wanted of those that would do.
	Sampled bool
	Wanted  int
}

// Margin is by how much a best node was ahead of the real one by one plugin's score; negative where it was behind.
type Margin struct {
	Plugin string
	Ahead  int64
}

// Objection is why a plugin would not have the pod on a node.
type Objection struct {
	Plugin string
	Reason string
	// Nodes is how many nodes it is about.
	Nodes int
}

// Cause is an event that one of the two schedulers saw later than the other.
type Cause struct {
	// Foreseen events came after the decision was heard of, and the other scheduler knew of them; the others had been heard
	// of before, and it did not.
	Foreseen bool
	// What happened, in words, and how far from the decision.
	What string
	Off  time.Duration
}

// Tally counts real decisions.
type Tally struct {
	Agreed, Explained, Differs uint64
	// Unschedulable is how many of them declared a pod unschedulable.
	Unschedulable uint64
	// Missed were not judged: nobody saw when they were made, or they may have been made before anybody saw what there was.
	// Others were made for other schedulers' pods.
	Missed, Others uint64
}

// Judged is how many decisions were judged.
func (t Tally) Judged() uint64 { return t.Agreed + t.Explained + t.Differs }

// Rate is the share of them, from 0 to 1, that nothing speaks against; 1 if there are none.
func (t Tally) Rate() float64 {
	if t.Judged() == 0 {
		return 1
	}
	return float64(t.Agreed+t.Explained) / float64(t.Judged())
}

// How many findings are kept.
const (
	differencesKept = 512
	explainedKept   = 128
)

// kept is the latest findings of a kind: it grows to its size, and then the newest takes the place of the oldest.
type kept struct {
	ring []Finding
	most int
	next int
}

func (k *kept) add(f Finding) {
	if len(k.ring) < k.most {
		k.ring = append(k.ring, f)
		return
	}
	k.ring[k.next] = f
	k.next = (k.next + 1) % k.most
}

// newest is the i-th finding, from the newest on; nil beyond the last.
func (k *kept) newest(i int) *Finding {
	if i >= len(k.ring) {
		return nil
	}
	n := len(k.ring)
	return &k.ring[(k.next+n-1-i)%n]
}
