package agree

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"orrery/core/parity/asked"
)

// Comparison is one of two sides on generated cases.
type Comparison[C any] struct {
	// Draw makes the case of a seed and a number, always the same one.
	Draw func(seed uint64, number int) C
	// Differ says how the two sides differ on a case, and nothing where they do not.
	Differ func(C) string
	// CutDown leaves out of a case on which they differ what has no part in that. It asks differ about each of its tries. Cases
	// that are small to begin with need none.
	CutDown func(c C, differ func(C) string) C
	// Print is for a case that %v does not tell well.
	Print func(C) string
}

// Check compares the cases that were asked for, or so many otherwise, and says how many these were. It ends the test with the
// first on which the two sides differ.
func (c Comparison[C]) Check(t testing.TB, otherwise int) int {
	t.Helper()
	cases := asked.For(t, otherwise)
	for i := range cases.Count {
		if quarter := cases.Count/4 + 1; quarter > 100 && i > 0 && i%quarter == 0 {
			t.Logf("%d of %v", i, cases)
		}
		number := cases.First + i
		drawn := c.Draw(cases.Seed, number)
		if difference := c.Differ(drawn); difference != "" {
			t.Fatalf("case %d of seed %d: %s\n\n%s\n\nTo see it again: ORRERY_SEED=%d ORRERY_FIRST=%d ORRERY_CASES=1 go test -count=1 -run '^%s$' .",
				number, cases.Seed, difference, c.small(drawn, difference), cases.Seed, number, strings.ReplaceAll(t.Name(), "/", "$/^"))
		}
	}
	t.Logf("%v: no difference but the intended ones", cases)
	return cases.Count
}

// small tells of the smallest case that differs still. Where upstream leaves something to chance that may be none but the
// first, and not even that.
func (c Comparison[C]) small(drawn C, difference string) string {
	if c.CutDown == nil {
		return c.print(drawn)
	}
	small := c.CutDown(drawn, c.Differ)
	again := c.Differ(small)
	if again == "" {
		small, again = drawn, "not every time: "+difference
	}
	return fmt.Sprintf("cut down: %s\n%s", again, c.print(small))
}

func (c Comparison[C]) print(one C) string {
	if c.Print == nil {
		return fmt.Sprint(one)
	}
	return c.Print(one)
}

// JSON prints a case that is made of the API's objects.
func JSON[C any](c C) string {
	raw, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return fmt.Sprintf("%+v (%v)", c, err)
	}
	return string(raw)
}

// Reached demands that the comparisons came to each of these, since what does not happen is not compared. Few cases need not.
func Reached(t testing.TB, compared int, seen map[string]int, all ...string) {
	t.Helper()
	const few = 100
	t.Logf("what both did: %v", seen)
	for _, one := range all {
		if seen[one] == 0 && compared >= few {
			t.Errorf("no case came to %q, so it was not compared", one)
		}
	}
}
