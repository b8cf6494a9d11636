package consolidate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// Options say how far to go. The zero value empties as many nodes as can be found.
type Options struct {
	// Free is how many nodes are enough, and MaxMoves how many pods may be moved; zero is no limit.
	Free, MaxMoves int
	// Until is the share of cpu or memory, whichever is greater, that the pods on the nodes that stay request when it is enough; zero is no
	// limit.
	Until float64
	// Room are pods that a place is wanted for: nodes that could take them are emptied until they fit, and no longer. They have no node.
	Room []*v1.Pod
	// Keep selects nodes that are left alone, by labels; nil selects none.
	Keep labels.Selector
	// Stop ends the search; nil never does. It is asked before each node.
	Stop func() bool
	// Progress is told how many nodes were looked at; it may be nil.
	Progress func(looked, of, freed int)
}

// Plan is how nodes are emptied.
type Plan struct {
	// Waves are nodes that are drained at the same time, one wave after the other. All nodes of the plan are cordoned before the first,
	// if CordonAll says so.
	Waves     [][]string
	CordonAll bool
	// Moves are the pods that are evicted, by node and name, with where their replacements are in the end.
	Moves []Move
	// Blocked are the nodes that stay, with the reason, by name.
	Blocked []Blocked
	// Candidates is how many nodes were looked at, of Before.Nodes.
	Candidates int
	// Bound is how many nodes could be emptied at most, by the sums of requests of all pods that do not come with nodes.
	Bound int
	// Stopped is why the search ended before all candidates were looked at; empty if it did not.
	Stopped string
	// RoomFor is for how many pods room is made, and HasRoom says that they fit once the emptied nodes are open again.
	RoomFor int
	HasRoom bool

	Before, After Totals
}

// Move is a pod that is evicted from a node that is emptied.
type Move struct {
	Pod         world.PodRef
	Replacement world.PodRef
	From, To    string
	Wave        int
}

// Blocked is a node that is not emptied.
type Blocked struct {
	Node string
	Kind BlockKind
	// Pod is the one that stays; empty if it is the node itself. Detail says why.
	Pod    string
	Detail string
}

// BlockKind is what keeps a node.
type BlockKind string

// The kinds.
const (
	Kept         BlockKind = "kept"           // selected by Options.Keep
	DoNotDisrupt BlockKind = "do-not-disrupt" // an annotation says so
	NoController BlockKind = "no-controller"  // nothing makes the pod again
	Budget       BlockKind = "budget"         // a disruption budget does not allow it
	NoRoom       BlockKind = "no-room"        // a pod finds no other node
	Preempts     BlockKind = "preempts"       // a pod would preempt another
	Ties         BlockKind = "ties"           // its pods find places or not by how ties fall
	NotReached   BlockKind = "not-reached"    // the search ended before
)

// Totals are sums over some nodes.
type Totals struct {
	Nodes, Pods int
	// CPU and Memory are the requested shares, from 0 to 1.
	CPU, Memory float64
	// LargestCPU, in millicores, and LargestMemory, in bytes, are the most that is free on one node.
	LargestCPU, LargestMemory int64
}

// Freed lists the nodes that are emptied, in order.
func (p *Plan) Freed() []string {
	var all []string
	for _, wave := range p.Waves {
		all = append(all, wave...)
	}
	return all
}

// Verdict says the plan in one line.
func (p *Plan) Verdict() string {
	freed := len(p.Freed())
	if p.RoomFor > 0 {
		return p.roomVerdict()
	}
	if freed == 0 {
		return fmt.Sprintf("no node of %d can be emptied; by the sums of requests at most %d", p.Before.Nodes, p.Bound)
	}
	return fmt.Sprintf("%d of %s can be emptied, in %s that %s; by the sums of requests at most %d",
		freed, plural.Count(p.Before.Nodes, "node"), plural.Count(len(p.Waves), "wave"), moves(len(p.Moves)), p.Bound)
}

func moves(n int) string {
	if n == 0 {
		return "move no pod"
	}
	return "move " + plural.Count(n, "pod")
}
