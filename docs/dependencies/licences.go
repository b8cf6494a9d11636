package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orrery/cmd/release/licenses"
)

// allowed are the licences that a module may be under, by their SPDX identifiers. The last one is of documents.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "CC-BY-SA-4.0"}

// licencesOf recognizes the licences of a module by the files in its folder.
func licencesOf(module, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for the licence of %s: %w", module, err)
	}
	var names []string
	for _, e := range entries {
		if upper := strings.ToUpper(e.Name()); e.IsDir() || !strings.HasPrefix(upper, "LICEN") && !strings.HasPrefix(upper, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the licence of %s: %w", module, err)
		}
		names = append(names, licenses.IDs(text)...)
	}
	return allowedOnly(module, dir, names)
}

// allowedOnly returns the licences of a module once, and an error if one is not allowed or there is none.
func allowedOnly(module, dir string, names []string) ([]string, error) {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no licence that is known: look into %s", module, dir)
	}
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return nil, fmt.Errorf("%s is under %s, which is not allowed: look into %s", module, name, dir)
		}
	}
	return names, nil
}
