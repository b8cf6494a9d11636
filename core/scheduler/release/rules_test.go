package release_test

import (
	"strings"
	"testing"

	"orrery/core/scheduler/release"
)

func TestRules_AreDescribed(t *testing.T) {
	names := map[string]bool{}
	for _, rule := range release.Rules() {
		row := rule.Row()
		if row.Name == "" || row.Number == "" || !strings.HasSuffix(row.Sentence, ".") {
			t.Errorf("rule %d is not described: %+v", rule, row)
		}
		if names[row.Name] {
			t.Errorf("two rules are called %s", row.Name)
		}
		names[row.Name] = true
		if row.First > row.Last || row.First == release.Oldest && row.Last == release.Newest {
			t.Errorf("%s separates no releases: it holds from %v to %v", row.Name, row.First, row.Last)
		}
	}
}

func TestRule_In(t *testing.T) {
	for r, want := range map[release.Release]bool{release.V135: false, release.V136: true, release.V137: true} {
		if got := release.BalanceByImprovement.In(r); got != want {
			t.Errorf("%v follows %v: %v", r, release.BalanceByImprovement, got)
		}
	}
}
