package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

func TestDocument_IsWhatIsUsed(t *testing.T) {
	want, err := document(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(written(root))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("other modules are used than docs/dependencies.md has: look at what they are, and run make docs (-document +used):\n%s", diff)
	}
}

// A module that two of ours use in one version is compiled once for them, and so is all that imports it.
func TestModules_HaveOneVersion(t *testing.T) {
	ours := required(t, root)
	for _, module := range []string{"core/parity", "cmd/release"} {
		theirs := required(t, filepath.Join(root, module))
		for path, version := range ours {
			if other := theirs[path]; other != "" && other != version {
				t.Errorf("go.mod requires %s %s, %s/go.mod %s: go get the later one in both, and go mod tidy", path, version, module, other)
			}
		}
	}
}

// required returns the versions of what the go.mod in a folder requires, or replaces that by.
func required(t *testing.T, folder string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = folder
	text, err := cmd.Output()
	var file struct {
		Require []struct{ Path, Version string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Require) == 0 {
		t.Fatalf("reading go.mod in %s: %v", folder, err)
	}
	versions := map[string]string{}
	for _, r := range file.Require {
		versions[r.Path] = r.Version
	}
	for _, r := range file.Replace {
		if r.New.Path == r.Old.Path {
			versions[r.Old.Path] = r.New.Version
		}
	}
	return versions
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
