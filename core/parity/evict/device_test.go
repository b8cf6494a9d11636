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
	if early := seen[earlyReports]; early > count/1000 {
		t.Errorf("the times of reports differ in %d of %d histories: more than upstream's early reports explain", early, count)
	}
	seen.Require(t, count, "Marking for deletion", "Cancelling deletion", "patched", "deleted", "deletion fails",
		"PodsPendingEviction=True", "Completed=False", "NotStarted=False", "NoEffect=False", "OtherEffect=False")
}

// earlyReports counts the histories in which only the times of reports differ; see comparisons.DeviceTaints.
const earlyReports = "early reports"

// compareDeviceEvictions runs a history on both and returns the differences (-upstream +ours).
func compareDeviceEvictions(t *testing.T, h deviceHistory, seen difftest.Coverage) string {
	theirs := firstOfSeries(playUpstreamDevices(t, h))
	for _, d := range theirs {
		actions, _, _ := strings.Cut(d.Did, ":")
		actions, _, _ = strings.Cut(actions, " of generation")
		seen[actions]++
	}
	own := playOrreryDevices(h)
	diff := cmp.Diff(actionTexts(theirs), actionTexts(own))
	if diff != "" && cmp.Equal(actionTexts(ofPods(theirs)), actionTexts(ofPods(own))) {
		seen[earlyReports]++
		return ""
	}
	return diff
}

// ofPods returns the actions on pods, without those on rules.
func ofPods(all []actionRecord) []actionRecord {
	return slices.DeleteFunc(slices.Clone(all), func(d actionRecord) bool { return !strings.Contains(d.What, "/") })
}

// firstOfSeries keeps only the first event of each series of attempts to delete a pod.
func firstOfSeries(all []actionRecord) []actionRecord {
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
