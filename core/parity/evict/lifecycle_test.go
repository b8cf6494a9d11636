package evict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestNodeLifecycle_SameTaints(t *testing.T) {
	seen := difftest.Coverage{}
	count := difftest.Cases[zoneHistory]{
		Draw:   drawZoneHistory,
		Differ: func(h zoneHistory) string { return compareNodeTaints(t, h, seen) },
		Reduce: func(h zoneHistory, differ func(zoneHistory) string) zoneHistory {
			with := func(steps []zoneStep) zoneHistory { h.steps = steps; return h }
			return with(difftest.Pieces(h.steps, func(steps []zoneStep) string { return differ(with(steps)) }))
		},
	}.Check(t, comparisons.NodeLifecycle.Cases)
	seen.Require(t, count,
		"+not-ready:NoSchedule", "+unreachable:NoSchedule", "-not-ready:NoSchedule", "-unreachable:NoSchedule",
		"+not-ready:NoExecute", "+unreachable:NoExecute", "-not-ready:NoExecute", "-unreachable:NoExecute",
		"+unschedulable:NoSchedule", "+memory-pressure:NoSchedule", "Unknown")
}

// compareNodeTaints runs a history on both and returns the differences (-upstream +ours).
func compareNodeTaints(t *testing.T, h zoneHistory, seen difftest.Coverage) string {
	theirs := playUpstreamLifecycle(t, h)
	for _, actions := range theirs {
		seen[actions[strings.LastIndex(actions, " ")+1:]]++
	}
	return cmp.Diff(sortedByTime(theirs), sortedByTime(playOrreryLifecycle(h)))
}
