package main

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocument_IsWhatIsUsed(t *testing.T) {
	want, err := document("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(written.Path("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("other modules are used than docs/dependencies.md has: look at what they are, and run make dependencies-doc (-document +used):\n%s", diff)
	}
}

func TestAllowedOnly(t *testing.T) {
	if got, err := allowedOnly("a", "/a", []string{"MIT", "Apache-2.0", "MIT"}); err != nil || !slices.Equal(got, []string{"Apache-2.0", "MIT"}) {
		t.Errorf("got %q and %v", got, err)
	}
	for want, names := range map[string][]string{
		"a has no licence that is known: look into /a":           nil,
		"a is under GPL-3.0, which is not allowed: look into /a": {"MIT", "GPL-3.0"},
	} {
		if _, err := allowedOnly("a", "/a", names); err == nil || err.Error() != want {
			t.Errorf("the licences %q: %v, want %s", names, err, want)
		}
	}
}
