package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	const root = "../.." // where make runs it
	text, err := document(root)
	if err == nil {
		err = os.WriteFile(written(root), text, 0o644)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "dependencies: %v\n", err)
		os.Exit(1)
	}
}

// written is where the document is in the repository in a folder.
func written(root string) string { return filepath.Join(root, "docs", "dependencies.md") }

// document returns the text of the document.
func document(root string) ([]byte, error) {
	all, err := modules(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("# Dependencies\n\nThe modules that Orrery uses, by what `go list` says for Linux, macOS and Windows, with the licences that their own files\n" +
		"state. This file is written by `make docs`; do not edit it. A test compares it with what is used, so that a change of\n" +
		"go.mod shows here what it brings.\n")
	for _, section := range []struct {
		title  string
		linked bool
	}{{"In the programs", true}, {"Only in tests and tools", false}} {
		fmt.Fprintf(&out, "\n## %s\n\n| module | version | licence |\n|---|---|---|\n", section.title)
		for _, m := range all {
			if m.linked == section.linked {
				fmt.Fprintf(&out, "| %s | %s | %s |\n", m.path, m.version, strings.Join(m.licences, ", "))
			}
		}
	}
	return out.Bytes(), nil
}
