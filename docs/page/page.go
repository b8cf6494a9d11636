// Package page writes the pages of docs that are made from the source.
package page

import (
	"fmt"
	"os"
	"path/filepath"
)

// Page is docs/NAME.md, which "make NAME-doc" writes.
type Page struct {
	Name string
	// Text returns the page of the repository in a folder.
	Text func(root string) ([]byte, error)
}

// Main writes the page of the repository in the current folder, and ends the process if that fails.
func (p Page) Main() {
	text, err := p.Text(".")
	if err == nil {
		err = os.WriteFile(p.Path("."), text, 0o644)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// Path is where the page is in the repository in a folder.
func (p Page) Path(root string) string { return filepath.Join(root, "docs", p.Name+".md") }
