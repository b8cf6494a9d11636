package taint

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/parity/agree"
	"orrery/core/parity/evict/deeds"
	"orrery/core/parity/virtual"
)

func TestMain(m *testing.M) {
	virtual.Prepare()
	os.Exit(m.Run())
}

func TestTheSamePodsLeaveAtTheSameTimes(t *testing.T) {
	seen := map[string]int{}
	count := agree.Comparison[history]{
		Draw:    generate,
		Differ:  func(h history) string { return compare(t, h, seen) },
		CutDown: cutDown,
	}.Check(t, 5000)
	agree.Reached(t, count, seen, "Marking for deletion", "Cancelling deletion of", "patched", "deleted", "deletion fails")
}

// compare plays a history to both, and says where they differ (-upstream +ours).
func compare(t *testing.T, h history, seen map[string]int) string {
	theirs := playUpstream(t, h)
	for _, d := range theirs {
		seen[d.Did]++
	}
	return cmp.Diff(deeds.InOrder(theirs), deeds.InOrder(playOurs(h)))
}
