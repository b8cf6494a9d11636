package spelling_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/safe/spelling"
)

func TestDistance_Words(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"node", "node", 0},
		{"", "node", 4},
		{"nod", "node", 1},
		{"nodes", "node", 1},
		{"mode", "node", 1},
		{"noed", "node", 1},
		{"onde", "node", 1},
		{"oned", "node", 2},
		{"kitten", "sitting", 3},
		{"drain", "cordon", 4},
	} {
		if got := spelling.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q are %d mistakes apart, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNearest_LikeliestFirst(t *testing.T) {
	known := []string{"morning-rush", "priority-storm", "zone-failure", "node-drain"}
	for _, c := range []struct {
		name, asked string
		want        []string
	}{
		{"a letter left out", "morning-rsh", []string{"morning-rush"}},
		{"a part of it", "storm", []string{"priority-storm"}},
		{"what several have", "r", []string{"morning-rush", "node-drain", "priority-storm"}},
		{"nothing like it", "etcd", []string{}},
		{"nothing", "", []string{}},
		{"capital letters", "Zone-Failur", []string{"zone-failure"}},
		{"a text beyond all names", strings.Repeat("storm", 1000), nil},
	} {
		if diff := cmp.Diff(c.want, spelling.Nearest(c.asked, known, 3)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

var word = rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 8, -1)

func TestDistance_Symmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		n := spelling.Distance(a, b)
		if n != spelling.Distance(b, a) || n != spelling.Distance(reversed(a), reversed(b)) {
			t.Fatalf("it matters which of %q and %q comes first, or where one begins", a, b)
		}
		if least, most := max(len(a), len(b))-min(len(a), len(b)), max(len(a), len(b)); n < least || n > most || (n == 0) != (a == b) {
			t.Fatalf("%q and %q are %d mistakes apart", a, b, n)
		}
	})
}

// TestDistance_OneEdit makes one mistake in a word.
func TestDistance_OneEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 2, 8, -1).Draw(t, "a")
		at := rapid.IntRange(0, len(a)-2).Draw(t, "at")
		made := []string{a[:at] + a[at+1:], a[:at] + "x" + a[at:], a[:at] + "x" + a[at+1:]}
		if a[at] != a[at+1] {
			made = append(made, a[:at]+string([]byte{a[at+1], a[at]})+a[at+2:])
		}
		for _, b := range made {
			if n := spelling.Distance(a, b); n != 1 {
				t.Fatalf("%q and %q are %d mistakes apart, want 1", a, b, n)
			}
		}
	})
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
