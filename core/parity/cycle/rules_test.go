package cycle

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/parity/program"
	"orrery/core/scheduler/release"
)

// TestReleases_FollowRules has a case for each rule by which releases differ: kube-scheduler decides otherwise from one release to the next
// where the rule says so, and nowhere else, and so does Orrery.
func TestReleases_FollowRules(t *testing.T) {
	processes := map[release.Release]*oracle.Process{}
	for _, r := range oracleReleases(t) {
		processes[r] = startOracleOf(t, r)
	}
	here, err := program.Linked()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range ruleCases() {
		t.Run(tt.row+" "+tt.says, func(t *testing.T) {
			logs, ran := map[release.Release][]string{}, map[release.Release]bool{}
			for _, r := range release.All() {
				seen := difftest.Coverage{}
				mismatch := ""
				switch {
				case r < tt.first:
					continue
				case r == here:
					logs[r], mismatch = compareHere(t, tt.cluster, ownPlugins, seen)
				case processes[r] != nil:
					logs[r], mismatch = compareRelease(t, tt.cluster, r, processes[r], seen)
				default:
					continue
				}
				ran[r] = true
				if mismatch != "" {
					t.Errorf("%s: %s", r, mismatch)
				}
			}
			for r := release.Oldest + 1; r <= release.Newest; r++ {
				before := r - 1
				if !ran[r] || logs[before] == nil { // without a log it refuses the case
					continue
				}
				switch diff := cmp.Diff(withoutClaims(tt.row, logs[before]), withoutClaims(tt.row, logs[r])); {
				case diff == "" && slices.Contains(tt.from, r):
					t.Errorf("%s and %s decide alike:\n%s", before, r, strings.Join(logs[r], "\n"))
				case diff != "" && !slices.Contains(tt.from, r):
					t.Errorf("(-%s +%s):\n%s", before, r, diff)
				}
			}
		})
	}
}

// withoutClaims is a log without what rule 37-12 changes in the message of every pod that fits nowhere, unless the case is about that.
func withoutClaims(row string, log []string) (lines []string) {
	for _, line := range log {
		if row != "37-12" {
			line = strings.ReplaceAll(line, " no new claims to deallocate,", "")
		}
		lines = append(lines, line)
	}
	return lines
}

// TestReleases_EveryRuleHasACase needs no oracle. A reason is for a row, or for one rule of a row whose other ones have cases.
func TestReleases_EveryRuleHasACase(t *testing.T) {
	has, known := map[string]bool{}, map[string]bool{}
	for _, tt := range ruleCases() {
		has[tt.row] = true
	}
	for _, rule := range release.Rules() {
		row := rule.Row()
		known[row.Number], known[row.Name] = true, true
		if why := ruledElsewhere[row.Number]; !has[row.Number] && why == "" {
			t.Errorf("rule %s, %s, has no case here", row.Number, row.Name)
		} else if has[row.Number] && why != "" {
			t.Errorf("rule %s, %s, has a case here", row.Number, row.Name)
		} else if !has[row.Number] && ruledElsewhere[row.Name] != "" {
			t.Errorf("rule %s has a reason of its own, %s, but no rule of its row has a case", row.Name, row.Number)
		}
	}
	for rule := range ruledElsewhere {
		if !known[rule] {
			t.Errorf("there is no rule %s", rule)
		}
	}
}

// ruledElsewhere are rules that no case here can show, with the reason.
var ruledElsewhere = map[string]string{
	"36-7":  "kube-scheduler has one worker here, which runs them one after the other in every release",
	"36-9":  "no pod is updated in the middle of its cycle here",
	"36-10": "kube-scheduler counts the timeout on a clock, which stands still during a search here; core/parity/plugins/dynamicresources compares it",
	"36-15": "metrics are compared family by family, in core/parity/telemetry",
	"37-M":  "metrics are compared family by family, in core/parity/telemetry",
	"37-11": "the preemptor is the next to be tried in every release",
	"37-C":  "configurations are compared with those of their release; this one is refused by Orrery alone",
	"37-15": "no pod becomes another one of its name here; package queue compares it",
	"37-3":  "before it the order is left open, and may be the same",
	"37-8":  "a pod that names a node is not scheduled; the order of plugins is compared with each release's configuration",
	"L-2":   "the allocator is compared alone, with that of each release (core/parity/allocate)",
	"L-3":   "as L-2",
	"L-5":   "as L-2",
	"L-4":   "cases have no DeviceTaintRules; core/parity/plugins/dynamicresources compares them",

	"AllocatedPartsShared":   "parts of devices are left out, since the allocators of the releases differ there (L-2); core/parity/plugins/dynamicresources compares them",
	"BindingFailuresAlike":   "as in 36-7 no pod waits for devices here; core/parity/plugins/dynamicresources compares the messages",
	"ClaimOwnersNamedByKind": "it is the message of a gate, which nothing is written of; core/parity/plugins/dynamicresources compares it",
}
