package device

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"orrery/core/parity/agree"
	"orrery/core/parity/evict/deeds"
	"orrery/core/parity/virtual"
)

func TestMain(m *testing.M) {
	virtual.Prepare()
	gates := string(features.DRADeviceTaints) + "=true," + string(features.DRADeviceTaintRules) + "=true"
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestTheSamePodsLeaveAtTheSameTimesAndRulesTellTheSame(t *testing.T) {
	seen := map[string]int{}
	count := agree.Comparison[history]{
		Draw:   generate,
		Differ: func(h history) string { return compare(t, h, seen) },
		CutDown: func(h history, differ func(history) string) history {
			with := func(steps []step) history { return history{steps, h.until} }
			return with(agree.Pieces(h.steps, func(steps []step) string { return differ(with(steps)) }))
		},
	}.Check(t, 3000)
	if hasty := seen[hastyLook]; hasty > count/1000 {
		t.Errorf("in %d histories of %d reports differ: that is more than upstream's hasty looks explain", hasty, count)
	}
	agree.Reached(t, count, seen, "Marking for deletion", "Cancelling deletion", "patched", "deleted", "deletion fails",
		"PodsPendingEviction=True", "Completed=False", "NotStarted=False", "NoEffect=False", "OtherEffect=False")
}

// hastyLook counts the histories in which only the times of reports differ; see Differences.
const hastyLook = "reports that differ"

// compare plays a history to both, and says where they differ (-upstream +ours).
func compare(t *testing.T, h history, seen map[string]int) string {
	theirs := onceARow(playUpstream(t, h))
	for _, d := range theirs {
		did, _, _ := strings.Cut(d.Did, ":")
		did, _, _ = strings.Cut(did, " of generation")
		seen[did]++
	}
	own := playOurs(h)
	diff := cmp.Diff(deeds.InOrder(theirs), deeds.InOrder(own))
	if diff != "" && cmp.Equal(deeds.InOrder(ofPods(theirs)), deeds.InOrder(ofPods(own))) {
		seen[hastyLook]++
		return ""
	}
	return diff
}

// ofPods leaves out what is about rules.
func ofPods(all []deeds.Deed) []deeds.Deed {
	return slices.DeleteFunc(slices.Clone(all), func(d deeds.Deed) bool { return !strings.Contains(d.What, "/") })
}

// onceARow keeps of the events about attempts to delete one pod the first of each row.
func onceARow(all []deeds.Deed) []deeds.Deed {
	var kept []deeds.Deed
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
