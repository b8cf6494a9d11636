package tui

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRules_NameExistingTests checks that the tests named in docs/screen-rules.md exist.
func TestRules_NameExistingTests(t *testing.T) {
	doc, err := os.ReadFile("../docs/screen-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	for _, root := range []string{".", "../views", "../themes", "../core/safe/printable"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, match := range function.FindAllSubmatch(source, -1) {
				exists[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rows := regexp.MustCompile(`(?m)^\| \d+ \|.*$`).FindAll(doc, -1)
	if len(rows) != 27 {
		t.Errorf("there are %d rules, want 27", len(rows))
	}
	named := regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz)[A-Z]\w+`)
	for _, row := range rows {
		checks := named.FindAllString(string(row), -1)
		if len(checks) == 0 {
			t.Errorf("no test checks %.80s", row)
		}
		for _, check := range checks {
			if !exists[check] {
				t.Errorf("the test %s of %.80s does not exist", check, row)
			}
		}
	}
}
