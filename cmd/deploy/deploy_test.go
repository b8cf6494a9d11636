package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"
)

func TestGenerated_UpToDate(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.FromSlash(name)); err != nil || string(got) != want {
			t.Errorf("cmd/deploy/%s is not what is printed: make docs writes it anew (%v)", name, err)
		}
	}
}

// Whatever two texts have in common, the template of both is each of them again.
func TestMerge_IsEitherText(t *testing.T) {
	line := rapid.SampledFrom([]string{"---", "a: 1", "b: 2", "  c: 3"})
	rapid.Check(t, func(t *rapid.T) {
		first := []string{"kind: Both"} // a template cannot begin with a condition that leaves nothing above it
		yes, no := append(first, rapid.SliceOf(line).Draw(t, "yes")...), append(first, rapid.SliceOf(line).Draw(t, "no")...)
		merged, err := template.New("").Parse(strings.Join(merge(".", yes, no), "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for value, want := range map[bool][]string{true: yes, false: no} {
			var got strings.Builder
			if err := merged.Execute(&got, value); err != nil {
				t.Fatal(err)
			}
			if got.String() != strings.Join(want, "\n") {
				t.Fatalf("%v: it is %q, want %q", value, got.String(), want)
			}
		}
	})
}

func TestBesides_GoesByObject(t *testing.T) {
	object := func(name, comment string) string {
		return comment + "apiVersion: v1\nkind: Service\nmetadata:\n  name: " + name + "\n  labels:\n    a: b"
	}
	got := besides([]string{object("a", "")}, []string{object("a", "# The same.\n"), object("b", "")})
	if len(got) != 1 || got[0] != object("b", "") {
		t.Errorf("it is %q", got)
	}
}
