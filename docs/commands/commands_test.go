package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/cmd/app"
)

func TestPages_UpToDate(t *testing.T) {
	want, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%s is not what the command says: make docs writes it anew", name)
		}
	}
	if left, err := strays(".", want); err != nil || len(left) > 0 {
		t.Errorf("no command has the pages %q, %v: make docs removes them", left, err)
	}
}

func TestPage_OfHelpText(t *testing.T) {
	c := app.HelpPage{Words: "orrery trace", Short: "Look into <traces>", Text: `Look into <traces>

Examples:
  orrery trace list

Usage:
  orrery trace [flags]

Changes are
written:

  cordon NODE

  drain NODE

Commands:
  cut  Copy a part

Secure serving flags:
  --port int
        the port

"orrery trace COMMAND --help" tells more about a command.
`}
	want := "<!-- written by make docs from what orrery trace --help prints -->\n# orrery trace\n\n[orrery](orrery.md) ›\n\nLook into &lt;traces>\n" +
		"\n## Examples\n\n```\n  orrery trace list\n```\n\n## Usage\n\n```\n  orrery trace [flags]\n```\n\nChanges are\nwritten:\n\n```\n  cordon NODE\n\n  drain NODE\n```\n" +
		"\n## Commands\n\n| command | what it does |\n|---|---|\n| [orrery trace cut](orrery_trace_cut.md) | Copy a part |\n" +
		"\n## Secure serving flags\n\n```\n  --port int\n        the port\n```\n"
	got := page(&c, []app.HelpPage{{Words: "orrery trace cut", Short: "Copy a part"}})
	if got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestWrite_RemovesPagesOfNoCommand(t *testing.T) {
	folder := t.TempDir()
	gone, kept := filepath.Join(folder, "orrery_gone.md"), filepath.Join(folder, "doc.go")
	for _, path := range []string{gone, kept} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("%s is still there, %v", gone, err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "orrery_trace_cut.md"))
	if err != nil || !strings.Contains(string(page), "\n# orrery trace cut\n") {
		t.Errorf("the page of trace cut is %.60q, %v", page, err)
	}
}
