package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Source returns random choices to a generator. It records them, so that a differing case can be reduced by removing and
// lowering choices; generators therefore put the plainest value first.
type Source struct {
	rng     *rand.Rand // nil when recorded choices are repeated
	choices []int
	next    int
}

// IntN returns a number from 0 to n-1.
func (s *Source) IntN(n int) int {
	if s.rng != nil {
		s.choices = append(s.choices, s.rng.IntN(n))
		return s.choices[len(s.choices)-1]
	}
	if s.next >= len(s.choices) {
		return 0
	}
	s.next++
	return s.choices[s.next-1] % n
}

// Range returns a number from low to high, both included.
func (s *Source) Range(low, high int) int { return low + s.IntN(high-low+1) }

// Bool is true half of the time.
func (s *Source) Bool() bool { return s.IntN(2) == 1 }

// OneIn is true once in n times.
func (s *Source) OneIn(n int) bool { return s.IntN(n) == n-1 }

// Pick returns one of the values.
func Pick[T any](s *Source, values ...T) T { return values[s.IntN(len(values))] }

// Fatalf ends the case with a difference.
func (s *Source) Fatalf(format string, args ...any) { panic(difference(fmt.Sprintf(format, args...))) }

type difference string

// choices is a case of a Source: drawn from a seed and a number, or recorded.
type choices struct {
	seed   uint64
	number int
	given  bool
	list   []int
}

// run returns the difference that compare ended with.
func (c *choices) run(compare func(*Source)) (found string) {
	s := &Source{choices: slices.Clone(c.list)}
	if !c.given {
		s = &Source{rng: rand.New(rand.NewPCG(c.seed, uint64(c.number)))}
	}
	defer func() {
		c.list = s.choices
		switch end := recover().(type) {
		case nil:
		case difference:
			found = string(end)
		default:
			panic(end)
		}
	}()
	compare(s)
	return ""
}

func (c *choices) with(list []int) *choices {
	return &choices{seed: c.seed, number: c.number, given: true, list: list}
}

// attempts bounds the reduction of one case.
const attempts = 5000

// reduce removes choices and then lowers the remaining ones.
func (c *choices) reduce(differ func(*choices) string) *choices {
	left := attempts
	bounded := func(list []int) string {
		if left--; left < 0 {
			return ""
		}
		return differ(c.with(list))
	}
	list := Pieces(c.list, bounded)
	for i := range list {
		for lowered := true; lowered; {
			lowered = slices.ContainsFunc([]int{0, list[i] / 2, list[i] - 1}, func(lower int) bool {
				try := slices.Clone(list)
				try[i] = lower
				if lower < 0 || lower >= list[i] || bounded(try) == "" {
					return false
				}
				list = try
				return true
			})
		}
	}
	return c.with(list)
}

// Check compares cases that are drawn from a Source during the comparison. compare calls Fatalf when a case differs.
func Check(t testing.TB, defaultCases int, compare func(*Source)) int {
	t.Helper()
	return Cases[*choices]{
		Draw:   func(seed uint64, number int) *choices { return &choices{seed: seed, number: number} },
		Differ: func(c *choices) string { return c.run(compare) },
		Reduce: func(c *choices, differ func(*choices) string) *choices { return c.reduce(differ) },
		Print:  func(c *choices) string { return fmt.Sprintf("(drawn from %d choices)", len(c.list)) },
	}.Check(t, defaultCases)
}
