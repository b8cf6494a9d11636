package main

import (
	"bytes"
	_ "embed"
	"fmt"

	"orrery/docs/page"
)

//go:embed cluster.md
var cluster string

var written = page.Page{Name: "limits", Text: document}

func main() { written.Main() }

const introduction = `# Limits

Every buffer, cache, history, file, request and reader has a bound, and this page says what happens at it. Bounds
without an option are constants of the source, named in the last column. This file is written by ` + "`make docs`" + ` from these constants
and docs/limits/cluster.md; do not edit it.

An input never takes more than 256 MiB of memory, or fifty times its size if that is more; what is packed, such as a recording, counts as
large as it is unpacked. [fuzzing.md](fuzzing.md) says how that is tried.
`

// document returns the text of the document.
func document(root string) ([]byte, error) {
	all, err := find(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(introduction)
	for _, a := range areas {
		fmt.Fprintf(&out, "\n## %s\n\n| what | bound | what happens there | constant |\n|---|--:|---|---|\n", a.title)
		for _, l := range all {
			if l.area == a.name {
				fmt.Fprintf(&out, "| %s | %s | %s | %s `%s` |\n", l.subject(), l.bound, l.happens, l.folder, l.name)
			}
		}
	}
	out.WriteString("\n")
	out.WriteString(cluster)
	return out.Bytes(), nil
}
