package difftest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cases describes one comparison.
type Cases[C any] struct {
	// Draw returns the case of a seed and a number, always the same.
	Draw func(seed uint64, number int) C
	// Differ describes how the two sides differ on a case, or returns "".
	Differ func(C) string
	// Reduce removes from a differing case what does not cause the difference, calling differ for each attempt. It is optional.
	Reduce func(c C, differ func(C) string) C
	// Print formats a case; the default is %v.
	Print func(C) string
}

// Check compares the requested cases, defaultCases of them unless the environment sets another number, and returns how many
// there were. It ends the test at the first difference.
func (c Cases[C]) Check(t testing.TB, defaultCases int) int {
	t.Helper()
	r := requested(t, defaultCases)
	progress := time.Now()
	for number := r.first; number < r.first+r.count; number++ {
		if time.Since(progress) > progressInterval {
			progress = time.Now()
			t.Logf("%d of %v", number-r.first, r)
		}
		drawn := c.Draw(r.seed, number)
		if difference := c.Differ(drawn); difference != "" {
			t.Fatalf("case %d of seed %d: %s\n\n%s\n\nTo repeat it: ORRERY_SEED=%d ORRERY_FIRST=%d ORRERY_CASES=1 go test -count=1 -run '^%s$' .",
				number, r.seed, difference, c.reduced(drawn, difference), r.seed, number, strings.ReplaceAll(t.Name(), "/", "$/^"))
		}
	}
	t.Logf("%v: no difference but the intended ones", r)
	return r.count
}

// progressInterval is how often a long comparison logs its progress.
const progressInterval = 20 * time.Second

// reduced prints the smallest case found that still differs. Where upstream chooses at random, a smaller case, or even the
// first one, may not differ again.
func (c Cases[C]) reduced(drawn C, difference string) string {
	if c.Reduce == nil {
		return c.print(drawn)
	}
	small := c.Reduce(drawn, c.Differ)
	again := c.Differ(small)
	if again == "" {
		small, again = drawn, "not every time: "+difference
	}
	return fmt.Sprintf("reduced: %s\n%s", again, c.print(small))
}

func (c Cases[C]) print(one C) string {
	if c.Print == nil {
		return fmt.Sprint(one)
	}
	return c.Print(one)
}

// JSON prints a case that consists of API objects.
func JSON[C any](c C) string {
	raw, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return fmt.Sprintf("%+v (%v)", c, err)
	}
	return string(raw)
}

// request selects the cases to compare.
type request struct {
	seed         uint64
	first, count int
}

func requested(t testing.TB, defaultCases int) request {
	t.Helper()
	return request{seed: uint64(Number(t, "ORRERY_SEED", 1)), first: Number(t, "ORRERY_FIRST", 0), count: Number(t, "ORRERY_CASES", defaultCases)}
}

func (r request) String() string {
	return fmt.Sprintf("%d cases of seed %d, from case %d on", r.count, r.seed, r.first)
}

// Number returns an environment variable's value, or the default if it is not set.
func Number(t testing.TB, name string, defaultNumber int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return defaultNumber
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q: set a whole number of at least 0, or unset it for %d", name, text, defaultNumber)
	}
	return n
}
