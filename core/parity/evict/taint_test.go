package evict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestTaint_SameEvictions(t *testing.T) {
	seen := difftest.Coverage{}
	count := difftest.Cases[taintHistory]{
		Draw:   drawTaintHistory,
		Differ: func(h taintHistory) string { return compareTaintEvictions(t, h, seen) },
		Reduce: reduceTaintHistory,
	}.Check(t, comparisons.Taints.Cases)
	seen.Require(t, count, "Marking for deletion", "Cancelling deletion of", "patched", "deleted", "deletion fails")
}

// compareTaintEvictions runs a history on both and returns the differences (-upstream +ours).
func compareTaintEvictions(t *testing.T, h taintHistory, seen difftest.Coverage) string {
	theirs := playUpstreamTaints(t, h)
	for _, d := range theirs {
		seen[d.Did]++
	}
	return cmp.Diff(actionTexts(theirs), actionTexts(playOrreryTaints(h)))
}
