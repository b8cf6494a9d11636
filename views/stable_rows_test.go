package views

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// assignItems passes the newest items to a rowRing and returns the item of each row.
func assignItems(r *rowRing, n int, latest []string) []string {
	rows := make([]string, n)
	for row, i := range r.assign(n, len(latest), func(i int) rowID { return rowID{name: latest[i]} }) {
		if i >= 0 {
			rows[row] = latest[i]
		}
	}
	return rows
}

func TestStableRows_ReplacesTheOldest(t *testing.T) {
	var r rowRing
	for _, step := range []struct {
		latest []string // newest first
		want   []string
		head   int
	}{
		{[]string{"b", "a"}, []string{"a", "b", "", ""}, 1},
		{[]string{"c", "b", "a"}, []string{"a", "b", "c", ""}, 2},
		{[]string{"e", "d", "c", "b", "a"}, []string{"e", "b", "c", "d"}, 0},
		{[]string{"f", "e", "d", "c", "b"}, []string{"e", "f", "c", "d"}, 1},
		{[]string{"c", "f", "e", "d"}, []string{"e", "f", "c", "d"}, 2},                // an item that changes stays in its row
		{[]string{"f", "e", "d", "c"}, []string{"e", "f", "c", "d"}, 1},                // and so does an item that was shown already
		{[]string{"e", "d", "c", "b"}, []string{"b", "c", "d", "e"}, 3},                // time went back
		{[]string{"z", "y", "x", "e", "d", "c", "b"}, []string{"e", "x", "y", "z"}, 3}, // many new items
		{nil, []string{"", "", "", ""}, 0},
	} {
		if got := assignItems(&r, 4, step.latest); !slices.Equal(got, step.want) || r.head != step.head {
			t.Errorf("%q are shown as %q with the mark at %d, want %q and %d", step.latest, got, r.head, step.want, step.head)
		}
	}
	if got := assignItems(&r, 2, []string{"c", "b", "a"}); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("two rows show %q", got)
	}
}

func TestStableRows_RowsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r rowRing
		n := rapid.IntRange(2, 8).Draw(t, "rows")
		var latest []string
		rows := make([]string, n)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			name := rapid.StringOfN(rapid.SampledFrom([]rune("abcdefghijkl")), 1, 1, -1).Draw(t, "what")
			before := slices.Clone(rows)
			again := slices.Contains(before, name)
			latest = slices.DeleteFunc(latest, func(s string) bool { return s == name })
			latest = slices.Insert(latest, 0, name)
			rows = assignItems(&r, n, latest)
			shown := slices.DeleteFunc(slices.Clone(rows), func(s string) bool { return s == "" })
			slices.Sort(shown)
			want := slices.Sorted(slices.Values(latest[:min(len(latest), n)]))
			if !slices.Equal(shown, want) || rows[r.head] != name {
				t.Fatalf("of %q the rows show %q, with the mark at %q", latest, rows, rows[r.head])
			}
			changed := 0
			for i := range rows {
				if rows[i] != before[i] {
					changed++
				}
			}
			if again && changed > 0 || changed > 1 {
				t.Fatalf("after item %q the rows %q became %q", name, before, rows)
			}
		}
	})
}

func TestStableRows_NoRows(t *testing.T) {
	var r rowRing
	if at := r.assign(0, 3, func(int) rowID { return rowID{} }); len(at) != 0 {
		t.Errorf("no rows show %v", at)
	}
}
