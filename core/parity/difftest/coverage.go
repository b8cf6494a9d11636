package difftest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Coverage counts the situations that the cases of a comparison reached.
type Coverage map[string]int

// Count counts one occurrence.
func (c Coverage) Count(format string, args ...any) { c[fmt.Sprintf(format, args...)]++ }

func (c Coverage) String() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "\n%10d  %s", c[what], what)
	}
	return b.String()
}

// fewCases is a number of cases that need not reach every situation.
const fewCases = 100

// Require fails the test if the compared cases never reached one of these.
func (c Coverage) Require(t testing.TB, compared int, all ...string) {
	t.Helper()
	t.Logf("reached: %s", c)
	for _, one := range all {
		if c[one] == 0 && compared >= fewCases {
			t.Errorf("no case reached %q, so it was not compared", one)
		}
	}
}
