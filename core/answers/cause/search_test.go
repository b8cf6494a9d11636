package cause_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/answers/cause"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// effects say which pods a set of factors moves when all of it is on; Needs are names of factors.
type effect struct {
	needs []string
	pods  []int
}

// moved returns the pods that are moved without some of the factors.
func moved(effects []effect, off []cause.Factor) map[int]bool {
	all := map[int]bool{}
	for _, e := range effects {
		if !slices.ContainsFunc(e.needs, func(name string) bool {
			return slices.ContainsFunc(off, func(f cause.Factor) bool { return f.String() == name })
		}) {
			for _, pod := range e.pods {
				all[pod] = true
			}
		}
	}
	return all
}

func difference(a, b map[int]bool) (n int) {
	for pod := range a {
		if !b[pod] {
			n++
		}
	}
	for pod := range b {
		if !a[pod] {
			n++
		}
	}
	return n
}

var factors = cause.Factors(config.FeaturesOf(release.V137), config.FeaturesOf(release.V135))

// search finds the causes of effects, and counts its simulations.
func search(effects []effect) (s *cause.Search[map[int]bool], simulations int) {
	with := moved(effects, nil)
	s = &cause.Search[map[int]bool]{Try: func(off []cause.Factor) (map[int]bool, int, string) {
		simulations++
		without := moved(effects, off)
		return without, difference(with, without), ""
	}}
	s.Among(factors)
	return s, simulations
}

func names(s *cause.Search[map[int]bool]) (all [][]string) {
	for _, f := range s.Found {
		var one []string
		for _, factor := range f.Factors {
			one = append(one, factor.String())
		}
		all = append(all, one)
	}
	return all
}

func TestSearch_FindsCauses(t *testing.T) {
	for name, tt := range map[string]struct {
		effects []effect
		want    [][]string
		of      []int // of pods 0 to 3
	}{
		"one":                   {[]effect{{[]string{"PreemptionReported"}, []int{0, 1, 2, 3}}}, [][]string{{"PreemptionReported"}}, []int{0, 0, 0, 0}},
		"two, the larger first": {[]effect{{[]string{"BalanceByImprovement"}, []int{0}}, {[]string{"DRAExtendedResource"}, []int{1, 2, 3}}}, [][]string{{"DRAExtendedResource"}, {"BalanceByImprovement"}}, []int{1, 0, 0, 0}},
		"either of two needed":  {[]effect{{[]string{"BalanceByImprovement", "ResizeSummedByPod"}, []int{0, 1, 2, 3}}}, [][]string{{"BalanceByImprovement"}, {"ResizeSummedByPod"}}, []int{0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			s, simulations := search(tt.effects)
			of, _ := s.Attribute(4, func(without map[int]bool, pod int) bool { return !without[pod] })
			if diff := cmp.Diff(tt.want, names(s)); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.of, of); diff != "" {
				t.Errorf("causes of pods (-want +got):\n%s", diff)
			}
			if simulations > len(factors) {
				t.Errorf("%d simulations for %d factors: one by one takes no more", simulations, len(factors))
			}
		})
	}
}

// Two factors that do the same hide each other: without one of them nothing changes. They are far apart, so that no half has both.
func TestSearch_FindsCausesThatHideEachOther(t *testing.T) {
	s := &cause.Search[int]{Try: func(off []cause.Factor) (int, int, string) {
		hidden := 0
		for _, f := range off {
			if f == factors[0] || f == factors[len(factors)-1] {
				hidden++
			}
		}
		if hidden == 2 {
			return 0, 7, ""
		}
		return 0, 0, ""
	}}
	s.Among(factors)
	if len(s.Found) != 1 || s.Found[0].Changes != 7 || len(s.Found[0].Factors) != len(factors) || len(s.Harmless) > 0 {
		t.Errorf("found %+v and %d harmless factors, want one cause of all together", s.Found, len(s.Harmless))
	}
}

func TestSearch_SaysWhatWasNotTried(t *testing.T) {
	s := &cause.Search[int]{Try: func([]cause.Factor) (int, int, string) { return 0, 0, "too many decisions" }}
	s.Among(factors)
	if len(s.NotTried) != len(factors) || len(s.Found) > 0 || len(s.Harmless) > 0 {
		t.Errorf("%d of %d factors were not tried, %d are harmless: %+v", len(s.NotTried), len(factors), len(s.Harmless), s.Found)
	}
}

// Every factor is a cause, harmless or not tried, and each effect that needs one factor alone is found with its pods.
func TestSearch_AccountsForEveryFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var effects []effect
		for i, f := range rapid.SliceOfNDistinct(rapid.SampledFrom(factors), 1, 6, func(f cause.Factor) string { return f.String() }).Draw(t, "factors") {
			effects = append(effects, effect{[]string{f.String()}, []int{i}})
		}
		s, _ := search(effects)
		of, pods := s.Attribute(len(effects), func(without map[int]bool, pod int) bool { return !without[pod] })
		if got := len(s.Found) + len(s.Harmless) + len(s.NotTried); got != len(factors) || len(s.Found) != len(effects) {
			t.Fatalf("%d causes, %d harmless, %d not tried, of %d factors with %d effects", len(s.Found), len(s.Harmless), len(s.NotTried), len(factors), len(effects))
		}
		for i, e := range effects {
			if of[i] == cause.Together || s.Found[of[i]].Factors[0].String() != e.needs[0] || pods[of[i]] != 1 {
				t.Fatalf("the cause of pod %d is %d, want %s", i, of[i], e.needs)
			}
		}
	})
}
