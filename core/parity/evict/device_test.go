package evict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestDeviceTaint_SameEvictions(t *testing.T) {
	seen := difftest.Coverage{}
	count := difftest.Cases[deviceHistory]{
		Draw:   drawDeviceHistory,
		Differ: func(h deviceHistory) string { return compareDeviceEvictions(t, h, seen) },
		Reduce: func(h deviceHistory, differ func(deviceHistory) string) deviceHistory {
			with := func(steps []deviceStep) deviceHistory { return deviceHistory{steps, h.until} }
			return with(difftest.Pieces(h.steps, func(steps []deviceStep) string { return differ(with(steps)) }))
		},
	}.Check(t, comparisons.DeviceTaints.Cases)
	if hasty := seen[earlyReports]; hasty > count/1000 {
		t.Errorf("in %d histories of %d reports differ: that is more than upstream's hasty looks explain", hasty, count)
	}
	seen.Require(t, count, "Marking for deletion", "Cancelling deletion", "patched", "deleted", "deletion fails",
		"PodsPendingEviction=True", "Completed=False", "NotStarted=False", "NoEffect=False", "OtherEffect=False")
}

// hastyLook counts the histories in which only the times of reports differ; see Differences.
const earlyReports = "reports that differ"

// compare plays a history to both, and says where they differ (-upstream +ours).
func compareDeviceEvictions(t *testing.T, h deviceHistory, seen difftest.Coverage) string {
	theirs := onceARow(playUpstreamDevices(t, h))
	for _, d := range theirs {
		did, _, _ := strings.Cut(d.Did, ":")
		did, _, _ = strings.Cut(did, " of generation")
		seen[did]++
	}
	own := playOrreryDevices(h)
	diff := cmp.Diff(actionTexts(theirs), actionTexts(own))
	if diff != "" && cmp.Equal(actionTexts(ofPods(theirs)), actionTexts(ofPods(own))) {
		seen[earlyReports]++
		return ""
	}
	return diff
}

// ofPods leaves out what is about rules.
func ofPods(all []actionRecord) []actionRecord {
	return slices.DeleteFunc(slices.Clone(all), func(d actionRecord) bool { return !strings.Contains(d.What, "/") })
}

// onceARow keeps of the events about attempts to delete one pod the first of each row.
func onceARow(all []actionRecord) []actionRecord {
	var kept []actionRecord
	last := map[string]time.Duration{}
	for _, d := range all {
		if d.Did == "Marking for deletion" {
			since, told := last[d.What]
			last[d.What] = d.At
			if told && d.At-since < time.Second && d.At != since {
				continue
			}
		}
		kept = append(kept, d)
	}
	return kept
}
