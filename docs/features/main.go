package main

import (
	"bytes"
	"path/filepath"

	"orrery/docs/page"
)

var written = page.Page{Name: "features", Text: document}

func main() { written.Main() }

// document returns the text of the document.
func document(root string) ([]byte, error) {
	areas, err := readRows(filepath.Join(root, "docs", "features", "rows"))
	if err != nil {
		return nil, err
	}
	if err := checkWording(filepath.Join(root, "docs", "features"), areas); err != nil {
		return nil, err
	}
	marks, err := findMarks(root)
	if err != nil {
		return nil, err
	}
	if err := check(areas, marks); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("# What a scheduler must do\n\nEach row has the tests that show it, or the reason why it is not Orrery's. A row that holds something\nelse than was asked for says what, and why. This file is written by `make docs` from docs/features/rows and the marks\n" +
		"of the tests; do not edit it.\n")
	for i := range areas {
		areas[i].write(&out, marks)
	}
	return out.Bytes(), nil
}
