package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "features:", err)
		os.Exit(1)
	}
}

// write writes the document of the repository in a folder.
func write(root string) error {
	text, err := document(root)
	if err != nil {
		return err
	}
	return os.WriteFile(path(root), text, 0o644)
}

func path(root string) string { return filepath.Join(root, "docs", "features.md") }

// document returns the text of the document.
func document(root string) ([]byte, error) {
	areas, err := readRows(filepath.Join(root, "docs", "features", "rows"))
	if err != nil {
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
	out.WriteString("# What a scheduler must do\n\nEach row has the tests that show it, or the reason why it is not Orrery's. " +
		"This file is written by `make features-doc`\nfrom docs/features/rows and the marks of the tests; do not edit it.\n")
	for i := range areas {
		areas[i].write(&out, marks)
	}
	return out.Bytes(), nil
}
