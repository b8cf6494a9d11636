package config_test

import (
	"slices"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

func TestFeatures_AsTakesOverEachDifference(t *testing.T) {
	for _, from := range release.All() {
		for _, to := range release.All() {
			was, is := config.FeaturesOf(from), config.FeaturesOf(to)
			all := is.DifferencesFrom(was)
			if (len(all) == 0) != (from == to) {
				t.Fatalf("%v and %v differ in %v", from, to, all)
			}
			for _, d := range all {
				as, left := is.As(was, d)
				if len(left) > 0 {
					if as != is {
						t.Errorf("%v without %v: it is left, and something has changed", to, d)
					}
					continue
				}
				if rest := as.DifferencesFrom(is); len(rest) != 1 || rest[0] != d {
					t.Errorf("%v without %v differs from it in %v", to, d, rest)
				}
				if as.Release() != to {
					t.Errorf("%v without %v is %v", to, d, as.Release())
				}
			}
			as, left := is.As(was, all...)
			if rest := as.DifferencesFrom(was); !slices.Equal(rest, left) {
				t.Errorf("%v with all differences as %v has them still differs in %v, and not in what is left: %v", to, from, rest, left)
			}
		}
	}
}

func TestDifference_Sentence(t *testing.T) {
	was, is := config.FeaturesOf(release.V136), config.FeaturesOf(release.V137)
	gate := config.Difference{Gate: config.StorageCapacityScoring}
	if !slices.Contains(is.DifferencesFrom(was), gate) {
		t.Fatalf("1.37 does not differ from 1.36 in %v", gate)
	}
	if got, want := gate.Sentence(is, was), "The feature gate StorageCapacityScoring is on. Before, it is off."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rule := config.Difference{Rule: release.BudgetsUpToFirstViolation}
	if got := rule.Sentence(is, was); got != release.BudgetsUpToFirstViolation.Row().Sentence || rule.String() != "BudgetsUpToFirstViolation" {
		t.Errorf("%v: %q", rule, got)
	}
}
