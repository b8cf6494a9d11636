// Command document writes docs/parity.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"orrery/core/parity/comparisons"
)

func main() {
	const root = "../.."
	text, err := comparisons.Document(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "docs/parity.md"), []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "document:", err)
		os.Exit(1)
	}
}
