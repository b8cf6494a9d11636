package lifecycle

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"orrery/core/parity/agree"
	"orrery/core/parity/virtual"
)

func TestMain(m *testing.M) {
	virtual.Prepare()
	utilruntime.ErrorHandlers = nil // one of them waits until it is a millisecond later than it was in real time
	os.Exit(m.Run())
}

func TestTheSameTaintsAreSetAtTheSameTimes(t *testing.T) {
	seen := map[string]int{}
	count := agree.Comparison[history]{
		Draw:   generate,
		Differ: func(h history) string { return compare(t, h, seen) },
		CutDown: func(h history, differ func(history) string) history {
			with := func(steps []step) history { h.steps = steps; return h }
			return with(agree.Pieces(h.steps, func(steps []step) string { return differ(with(steps)) }))
		},
	}.Check(t, 150)
	agree.Reached(t, count, seen,
		"+not-ready:NoSchedule", "+unreachable:NoSchedule", "-not-ready:NoSchedule", "-unreachable:NoSchedule",
		"+not-ready:NoExecute", "+unreachable:NoExecute", "-not-ready:NoExecute", "-unreachable:NoExecute",
		"+unschedulable:NoSchedule", "+memory-pressure:NoSchedule", "Unknown")
}

// compare plays a history to both, and says where they differ (-upstream +ours).
func compare(t *testing.T, h history, seen map[string]int) string {
	theirs := playUpstream(t, h)
	for _, did := range theirs {
		seen[did[strings.LastIndex(did, " ")+1:]]++
	}
	return cmp.Diff(inOrder(theirs), inOrder(playOurs(h)))
}
