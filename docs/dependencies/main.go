package main

import (
	"bytes"
	"fmt"
	"strings"

	"orrery/docs/page"
)

var written = page.Page{Name: "dependencies", Text: document}

func main() { written.Main() }

// document returns the text of the document.
func document(root string) ([]byte, error) {
	all, err := modules(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("# Dependencies\n\nThe modules that Orrery uses, by what `go list` says for Linux, macOS and Windows, with the licences that their own files\n" +
		"state. This file is written by `make dependencies-doc`; do not edit it. A test compares it with what is used, so that a change of\n" +
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
