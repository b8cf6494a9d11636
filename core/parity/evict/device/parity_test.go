package device

import (
	"flag"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"

	"orrery/core/parity/asked"
)

func TestMain(m *testing.M) {
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	log.SetOutput(io.Discard)
	gates := string(features.DRADeviceTaints) + "=true," + string(features.DRADeviceTaintRules) + "=true"
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		panic(err)
	}
	// The runtime starts a goroutine with the first signal asked for. It must not be born in virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	os.Exit(m.Run())
}

func TestTheSamePodsLeaveAtTheSameTimesAndRulesTellTheSame(t *testing.T) {
	count, seed := asked.Number(t, "ORRERY_CASES", 3000), uint64(asked.Number(t, "ORRERY_SEED", 1))
	t.Logf("%d histories of seed %d", count, seed)
	seen := map[string]int{}
	for i := range count {
		h := generate(seed, i)
		mismatch := compare(t, h, seen)
		if mismatch == "" {
			continue
		}
		small := shrink(h, func(h history) bool { return compare(t, h, map[string]int{}) != "" })
		t.Fatalf("history %d of seed %d, (-upstream +ours):\n%s\ncut down:\n%s(-upstream +ours):\n%s",
			i, seed, mismatch, small, compare(t, small, seen))
	}
	if hasty := seen[hastyLook]; hasty > count/1000 {
		t.Errorf("in %d histories of %d reports differ: that is more than upstream's hasty looks explain", hasty, count)
	}
	t.Logf("no difference but the intended ones; what both did: %v", seen)
	for _, did := range []string{
		"Marking for deletion", "Cancelling deletion", "patched", "deleted", "deletion fails",
		"PodsPendingEviction=True", "Completed=False", "NotStarted=False", "NoEffect=False", "OtherEffect=False",
	} {
		if seen[did] == 0 {
			t.Errorf("no history came to %q, so it was not compared", did)
		}
	}
}

// hastyLook counts the histories in which only the times of reports differ; see Differences.
const hastyLook = "reports that differ"

// compare plays a history to both, and says where they differ.
func compare(t *testing.T, h history, seen map[string]int) string {
	theirs := onceARow(playUpstream(t, h))
	for _, d := range theirs {
		did, _, _ := strings.Cut(d.did, ":")
		did, _, _ = strings.Cut(did, " of generation")
		seen[did]++
	}
	own := playOurs(h)
	diff := cmp.Diff(inOrder(theirs), inOrder(own))
	if diff != "" && cmp.Equal(inOrder(ofPods(theirs)), inOrder(ofPods(own))) {
		seen[hastyLook]++
		return ""
	}
	return diff
}

// ofPods leaves out what is about rules.
func ofPods(deeds []deed) []deed {
	return slices.DeleteFunc(slices.Clone(deeds), func(d deed) bool { return !strings.Contains(d.what, "/") })
}

// onceARow keeps of the events about attempts to delete one pod the first of each row.
func onceARow(deeds []deed) []deed {
	var kept []deed
	last := map[string]time.Duration{}
	for _, d := range deeds {
		if d.did == "Marking for deletion" {
			since, told := last[d.what]
			last[d.what] = d.at
			if told && d.at-since < time.Second && d.at != since {
				continue
			}
		}
		kept = append(kept, d)
	}
	return kept
}
