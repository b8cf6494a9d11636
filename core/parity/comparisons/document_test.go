package comparisons

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocument_IsCurrent(t *testing.T) {
	want, err := Document("../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/parity.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/parity.md is stale: run make docs (-want +got):\n%s", diff)
	}
}

func TestComparisons_AreRun(t *testing.T) {
	for _, c := range All() {
		files, err := filepath.Glob(filepath.Join("..", c.Package, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests in %s: %v", c.Name, c.Package, err)
		}
		test := regexp.MustCompile(`(?s)\nfunc ` + c.Test + `\(t \*testing\.T\) \{`)
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || test.Match(source)
		}
		if !found {
			t.Errorf("%s: there is no %s in %s", c.Name, c.Test, c.Package)
		}
	}
}

func TestSection_ReadsOnlyDifferences(t *testing.T) {
	got := section("Package x.\n\n# Differences from kube-scheduler\n\n  - One thing\n    differs.\n\n# Files\n\nNot this.\n")
	if got != "  - One thing differs.\n" {
		t.Errorf("got %q", got)
	}
}
