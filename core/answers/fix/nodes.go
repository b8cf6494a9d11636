package fix

import (
	"fmt"
	"slices"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
)

// maxNodes bounds the nodes that a fix adds.
//
//orrery:limit answers; nodes that a fix adds; more are no fix
const maxNodes = 64

// FewestNodes returns the smallest number of nodes like an existing one, from at least so many, that are enough, and what happens with them;
// nil if 64 are not.
func FewestNodes(e *engine.Engine, like string, least int, enough func(*Tried) bool) (int, *Tried) {
	counts := []int{least}
	for step := 1; counts[len(counts)-1] < maxNodes; step *= 2 {
		counts = append(counts, min(least+step, maxNodes))
	}
	low, high := least-1, 0 // low are not enough
	for len(counts) > 0 {
		all := tryWays(e, adding(like, counts), 1)
		at := slices.IndexFunc(all, func(t Tried) bool { return t.Err == nil && enough(&t) })
		if at < 0 {
			if high == 0 {
				return 0, nil
			}
			low = counts[len(counts)-1]
		} else {
			high = counts[at]
			if at > 0 {
				low = counts[at-1]
			}
		}
		if counts = nil; high-low > 1 {
			counts = []int{(low + high) / 2}
		}
	}
	return confirmed(e, like, high, enough)
}

// confirmed returns the number of nodes that is enough however ties fall: perhaps some more than with the command's ties.
func confirmed(e *engine.Engine, like string, nodes int, enough func(*Tried) bool) (int, *Tried) {
	for n := nodes; n <= min(nodes+moreForTies, maxNodes); n++ {
		if t := &Try(e, adding(like, []int{n}))[0]; t.Err == nil && enough(t) {
			return n, t
		}
	}
	return 0, nil
}

// moreForTies bounds the nodes that are added so that ties do not matter.
//
//orrery:limit answers; nodes that a fix adds so that it does not hang on ties; more are no fix
const moreForTies = 2

// addText says how many nodes are added.
func addText(n int, like string) string {
	return fmt.Sprintf("add %d more %s like %s", n, plural.Of(n, "node"), like)
}

// adding returns each number of nodes as changes of its own.
func adding(like string, counts []int) [][]change.Change {
	each := make([][]change.Change, len(counts))
	for i, n := range counts {
		each[i] = []change.Change{{Verb: change.AddNodes, Name: like, Count: n}}
	}
	return each
}
