package agree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// failing is a test that fails as it should: its end is the words that it ends with.
type failing struct {
	testing.TB
	ended string
}

func (f *failing) Helper()             {}
func (f *failing) Logf(string, ...any) {}
func (f *failing) Name() string        { return "TestSome/gates=true" }

func (f *failing) Fatalf(format string, args ...any) {
	f.ended = fmt.Sprintf(format, args...)
	panic(f)
}

// both holds that no list has a 3 before a 1.
var both = Comparison[[]int]{
	Draw: func(seed uint64, number int) []int { return []int{int(seed), number, 5, 3, 4, 2, number % 2} },
	Differ: func(list []int) string {
		if i := slices.Index(list, 3); i >= 0 && slices.Contains(list[i:], 1) {
			return fmt.Sprint("theirs and ours on ", list)
		}
		return ""
	},
	CutDown: Pieces[int],
}

func TestTheFirstDifferenceEndsTheTestCutDown(t *testing.T) {
	t.Setenv("ORRERY_SEED", "7")
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		both.Check(f, 100)
	}()
	want := `case 1 of seed 7: theirs and ours on [7 1 5 3 4 2 1]

cut down: theirs and ours on [3 1]
[3 1]

To see it again: ORRERY_SEED=7 ORRERY_FIRST=1 ORRERY_CASES=1 go test -count=1 -run '^TestSome$/^gates=true$' .`
	if f.ended != want {
		t.Errorf("it ends with\n%s\nwant\n%s", f.ended, want)
	}
}

func TestTheCasesThatWereAskedForAreCompared(t *testing.T) {
	t.Setenv("ORRERY_FIRST", "40")
	t.Setenv("ORRERY_CASES", "3")
	var drawn []int
	c := Comparison[int]{
		Draw:   func(seed uint64, number int) int { drawn = append(drawn, int(seed), number); return number },
		Differ: func(int) string { return "" },
	}
	if n := c.Check(t, 1000); n != 3 || !slices.Equal(drawn, []int{1, 40, 1, 41, 1, 42}) {
		t.Errorf("%d compared, of seed and number %v", n, drawn)
	}
}

func TestADifferenceThatDoesNotComeBackIsToldAllTheSame(t *testing.T) {
	times := 0
	once := both
	once.Differ = func([]int) string {
		if times++; times == 1 {
			return "by chance"
		}
		return ""
	}
	once.Print = func(list []int) string { return fmt.Sprint(len(list), " numbers") }
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		once.Check(f, 1)
	}()
	if !strings.Contains(f.ended, "cut down: not every time: by chance\n7 numbers\n") {
		t.Errorf("it ends with\n%s", f.ended)
	}
}

func TestPiecesKeepsWhatMatters(t *testing.T) {
	all := make([]int, 100)
	for i := range all {
		all[i] = i
	}
	got := Pieces(all, func(list []int) string {
		if slices.Contains(list, 17) && slices.Contains(list, 18) && slices.Contains(list, 91) {
			return "differ"
		}
		return ""
	})
	if !slices.Equal(got, []int{17, 18, 91}) {
		t.Errorf("left over are %v, want 17, 18 and 91", got)
	}
	if one := Pieces([]int{1}, func([]int) string { return "always" }); len(one) != 0 {
		t.Errorf("of a list that has no part in it %v is left", one)
	}
}

func TestLeastGoesOnUntilNothingSmallerDiffers(t *testing.T) {
	halves := func(n int) []int { return []int{n - 10, n - 1} }
	if got := Least(100, halves, func(n int) string { return strings.Repeat("differ", max(0, n-41)) }); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}
