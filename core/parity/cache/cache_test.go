package cache

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	metrics.Register() // upstream's cache reports its size as soon as it is created
	os.Exit(m.Run())
}

// Shows CACHE-04.
func TestCache_SameAfterRandomOperations(t *testing.T) {
	met := difftest.Coverage{}
	count := difftest.Cases[[]operation]{
		Draw: func(seed uint64, number int) []operation {
			return generate(rand.New(rand.NewPCG(seed, uint64(number))))
		},
		Differ: func(ops []operation) string { return differ(ops, met) },
		Reduce: difftest.Pieces[operation],
		Print:  script,
	}.Check(t, comparisons.Cache.Cases)
	met.Require(t, count, "refreshes compared", "intended differences of order", "corruptions detected")
}

// differ runs a sequence of operations on both caches.
func differ(ops []operation, met difftest.Coverage) string {
	p, err := run(ops)
	if err != nil {
		return err.Error()
	}
	met["operations"] += len(ops)
	met["refreshes compared"] += p.refreshes
	met["intended differences of order"] += p.reordered
	met["corruptions detected"] += p.corruptions
	return ""
}

func script(ops []operation) string {
	lines := make([]string, len(ops))
	for i, op := range ops {
		lines[i] = op.String()
	}
	return strings.Join(lines, "\n")
}
