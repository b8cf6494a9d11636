package main

import (
	"fmt"
	"slices"

	"orrery/cmd/release/licenses"
)

// allowed are the licences that a module may be under, by their SPDX identifiers. The last one is of documents.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "CC-BY-SA-4.0"}

// licencesOf recognizes the licences of a module by the files in its folder.
func licencesOf(module, dir string) ([]string, error) {
	names, err := licenses.In(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for the licence of %s: %w", module, err)
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
