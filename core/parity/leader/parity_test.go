package leader

import (
	"os"
	"testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	os.Exit(m.Run())
}

func TestCandidate_SameCalls(t *testing.T) {
	seen := difftest.Coverage{}
	count := difftest.Cases[script]{
		Draw: func(seed uint64, number int) script { return newScript(seed + uint64(number)) },
		Differ: func(s script) string {
			electors, err := compare(t, s)
			if err != nil {
				return err.Error()
			}
			countCalls(seen, electors)
			return ""
		},
		Reduce: reduce,
	}.Check(t, comparisons.Election.Cases)
	seen.Require(t, count, "electors", "calls without a response", "failed calls", "calls of stopped processes")
}

func compare(t *testing.T, s script) ([]*elector, error) {
	electors := play(t, &s)
	for _, e := range electors {
		if err := agree(e); err != nil {
			return electors, err
		}
	}
	return electors, nil
}

func countCalls(seen difftest.Coverage, electors []*elector) {
	for _, e := range electors {
		seen["electors"]++
		for _, x := range e.calls {
			seen.Count("calls: %v", x.verb)
			if !x.answered {
				seen["calls without a response"]++
			} else if x.err != nil {
				seen["failed calls"]++
			}
			if !x.stopped.IsZero() {
				seen["calls of stopped processes"]++
			}
		}
		for _, notice := range e.notices {
			seen.Count("notices: %v", notice.Kind)
		}
	}
}
