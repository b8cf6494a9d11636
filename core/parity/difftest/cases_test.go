package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// failing is a test that should fail; it records Fatalf's message.
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

// The two sides agree unless a list has a 3 before a 1.
var both = Cases[[]int]{
	Draw: func(seed uint64, number int) []int { return []int{int(seed), number, 5, 3, 4, 2, number % 2} },
	Differ: func(list []int) string {
		if i := slices.Index(list, 3); i >= 0 && slices.Contains(list[i:], 1) {
			return fmt.Sprint("they differ on ", list)
		}
		return ""
	},
	Reduce: Pieces[int],
}

func TestCases_FirstDifferenceEndsTheTest(t *testing.T) {
	t.Setenv("ORRERY_SEED", "7")
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		both.Check(f, 100)
	}()
	want := `case 1 of seed 7: they differ on [7 1 5 3 4 2 1]

reduced: they differ on [3 1]
[3 1]

To repeat it: ORRERY_SEED=7 ORRERY_FIRST=1 ORRERY_CASES=1 go test -count=1 -run '^TestSome$/^gates=true$' .`
	if f.ended != want {
		t.Errorf("the failure is\n%s\nwant\n%s", f.ended, want)
	}
}

func TestCases_EnvironmentSelectsCases(t *testing.T) {
	t.Setenv("ORRERY_FIRST", "40")
	t.Setenv("ORRERY_CASES", "3")
	var drawn []int
	c := Cases[int]{
		Draw:   func(seed uint64, number int) int { drawn = append(drawn, int(seed), number); return number },
		Differ: func(int) string { return "" },
	}
	if n := c.Check(t, 1000); n != 3 || !slices.Equal(drawn, []int{1, 40, 1, 41, 1, 42}) {
		t.Errorf("%d compared, of seed and number %v", n, drawn)
	}
}

func TestCases_ReportsDifferenceThatDoesNotRepeat(t *testing.T) {
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
	if !strings.Contains(f.ended, "reduced: not every time: by chance\n7 numbers\n") {
		t.Errorf("the failure is\n%s", f.ended)
	}
}

func TestPieces_KeepsWhatDiffers(t *testing.T) {
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
		t.Errorf("reduced to %v, want 17, 18 and 91", got)
	}
	if one := Pieces([]int{1}, func([]int) string { return "always" }); len(one) != 0 {
		t.Errorf("a list that does not cause the difference is reduced to %v", one)
	}
}

func TestSmallest_StopsWhenNothingSmallerDiffers(t *testing.T) {
	halves := func(n int) []int { return []int{n - 10, n - 1} }
	if got := Smallest(100, halves, func(n int) string { return strings.Repeat("differ", max(0, n-41)) }); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}

func TestCheck_ReducesChoices(t *testing.T) {
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		Check(f, 1000, func(s *Source) {
			var list []int
			for range s.Range(0, 20) {
				list = append(list, s.Range(10, 99))
			}
			if i := slices.IndexFunc(list, func(n int) bool { return n > 50 }); i >= 0 {
				s.Fatalf("%v", list[i])
			}
		})
	}()
	if !strings.Contains(f.ended, "reduced: 51\n(drawn from 2 choices)") {
		t.Errorf("the failure is\n%s", f.ended)
	}
}

func TestSource_RepeatsAndRunsDry(t *testing.T) {
	drawn := &choices{seed: 7, number: 3}
	var first, again []int
	take := func(into *[]int) func(*Source) {
		return func(s *Source) {
			for range 10 {
				*into = append(*into, s.Range(5, 9))
			}
		}
	}
	drawn.run(take(&first))
	drawn.with(drawn.list[:4]).run(take(&again))
	if !slices.Equal(first[:4], again[:4]) || slices.Max(again[4:]) != 5 {
		t.Errorf("drawn %v, repeated with four choices %v", first, again)
	}
}
