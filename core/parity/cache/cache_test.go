package cache

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

var (
	sequences = flag.Int("sequences", 2000, "how many random sequences of operations to compare")
	seed      = flag.Uint64("seed", 1, "seed of the first sequence; the next ones count up from it")
)

func TestMain(m *testing.M) {
	metrics.Register() // upstream's cache reports its size from the moment it exists
	flag.Parse()
	os.Exit(m.Run())
}

func TestBothCachesShowTheSameAfterAnySequence(t *testing.T) {
	var operations, refreshes, reordered, refused int
	for i := range uint64(*sequences) {
		ops := generate(rand.New(rand.NewPCG(*seed, i)))
		p, err := run(ops)
		if err != nil {
			ops = shrink(ops)
			_, err = run(ops)
			t.Fatalf("-seed=%d, sequence %d, %d operations after shrinking:\n%s\n%v", *seed, i, len(ops), script(ops), err)
		}
		operations += len(ops)
		refreshes += p.refreshes
		reordered += p.reordered
		refused += p.refused
	}
	t.Logf("seed %d: %d sequences, %d operations, %d refreshes compared; "+
		"order differed on purpose in %d of them; %d contradictions refused; %d differences listed",
		*seed, *sequences, operations, refreshes, reordered, refused, len(Differences))
	if *sequences >= 1000 && (reordered == 0 || refused == 0) {
		t.Errorf("the sequences never met a reordering (%d) or a contradiction (%d)", reordered, refused)
	}
}

// shrink takes operations out, large pieces first, as long as the caches still disagree.
func shrink(ops []operation) []operation {
	for piece := len(ops) / 2; piece > 0; {
		shorter := false
		for from := 0; from+piece <= len(ops); {
			without := append(append([]operation{}, ops[:from]...), ops[from+piece:]...)
			if _, err := run(without); err == nil {
				from += piece
				continue
			}
			ops, shorter = without, true
		}
		if !shorter {
			piece /= 2
		}
	}
	return ops
}

func script(ops []operation) string {
	lines := make([]string, len(ops))
	for i, op := range ops {
		lines[i] = op.String()
	}
	return strings.Join(lines, "\n")
}
