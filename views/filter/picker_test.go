package filter

import (
	"slices"
	"testing"
)

// permuted returns a list of the numbers below n, shuffled.
func permuted(n int) List[int] {
	return List[int]{
		Stamp: uint64(n),
		All: func(into []int) []int {
			for i := range n {
				into = append(into, (i*7919)%n)
			}
			return into
		},
		Compare: func(a, b *int) int { return *a - *b },
	}
}

func TestPicker_ExaminesPartPerCall(t *testing.T) {
	const total = 3*maxPart + 7
	var p Picker[int]
	q := Query{First: 10, Rows: 5, Reverse: true}
	calls := 0
	for partial := true; partial; calls++ {
		_, _, result := p.Pick(q, permuted(total))
		if partial = result.Partial; result.Of != total || result.Matches > (calls+1)*maxPart {
			t.Fatalf("after %d calls %d of %d match, want no more than were examined of %d", calls+1, result.Matches, result.Of, total)
		}
	}
	if calls != 4 {
		t.Errorf("%d calls, want 4", calls)
	}
	for _, first := range []int{0, 10, 2 * maxBest, total - 3, total} {
		q.First = first
		got, at, result := p.Pick(q, permuted(total))
		var want []int
		for i := first; i < min(first+5, total); i++ {
			want = append(want, total-1-i)
		}
		if at != first || result.Matches != total || !slices.Equal(got, want) {
			t.Errorf("from %d on of %d: got %v from %d on, want %v", first, result.Matches, got, at, want)
		}
	}
}

func TestPicker_KeepsLastCompleteResult(t *testing.T) {
	total := 2 * maxPart
	var p Picker[int]
	pick := func(q Query) Result {
		_, _, result := p.Pick(q, permuted(total))
		return result
	}
	q := Query{Rows: 3, Sort: "any"}
	pick(q)
	pick(q)
	total++
	if r := pick(q); r.Matches != total-1 || !r.Partial {
		t.Errorf("%d match and the result is partial: %v; want %d, with more to come", r.Matches, r.Partial, total-1)
	}
	pick(q)
	if r := pick(q); r.Matches != total || r.Partial {
		t.Errorf("at the end %d match and the result is partial: %v; want %d", r.Matches, r.Partial, total)
	}
	q.Sort = "other"
	if r := pick(q); r.Matches != maxPart || !r.Partial {
		t.Errorf("another query returns %d, want the first %d", r.Matches, maxPart)
	}
}

func TestPicker_EqualRowsKeepOrder(t *testing.T) {
	list := List[string]{All: func(into []string) []string { return append(into, "b1", "a1", "b2", "a2") }, Compare: func(a, b *string) int { return int((*a)[0]) - int((*b)[0]) }}
	var p Picker[string]
	got, _, _ := p.Pick(Query{Rows: 9, Sort: "letter"}, list)
	if want := []string{"a1", "a2", "b1", "b2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
