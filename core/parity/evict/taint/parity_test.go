package taint

import (
	"flag"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"

	"orrery/core/parity/asked"
)

func TestMain(m *testing.M) {
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	log.SetOutput(io.Discard)
	// The runtime starts a goroutine with the first signal asked for. It must not be born in virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	os.Exit(m.Run())
}

func TestTheSamePodsLeaveAtTheSameTimes(t *testing.T) {
	count, seed := asked.Number(t, "ORRERY_CASES", 5000), uint64(asked.Number(t, "ORRERY_SEED", 1))
	t.Logf("%d histories of seed %d", count, seed)
	seen := map[string]int{}
	for i := range count {
		h := generate(seed, i)
		mismatch := compare(t, h, seen)
		if mismatch == "" {
			continue
		}
		small := shrink(h, func(h history) bool { return compare(t, h, map[string]int{}) != "" })
		t.Fatalf("history %d of seed %d, cut down:\n%s(-upstream +ours):\n%s", i, seed, small, compare(t, small, seen))
	}
	t.Logf("no difference but the intended ones; what both did: %v", seen)
	for _, did := range []string{"Marking for deletion", "Cancelling deletion of", "patched", "deleted", "deletion fails"} {
		if seen[did] == 0 {
			t.Errorf("no history came to %q, so it was not compared", did)
		}
	}
}

// compare plays a history to both, and says where they differ.
func compare(t *testing.T, h history, seen map[string]int) string {
	theirs := playUpstream(t, h)
	for _, d := range theirs {
		seen[d.did]++
	}
	return cmp.Diff(inOrder(theirs), inOrder(playOurs(h)))
}
