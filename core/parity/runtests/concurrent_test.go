package main

import (
	"slices"
	"testing"
)

func TestSortByGoroutines(t *testing.T) {
	concurrent, single, err := sortByGoroutines("../../..", "./...")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"orrery/core/world/live": concurrent, // starts goroutines
		"orrery/cmd/app":         concurrent, // imports those that do
		"orrery/core/engine":     concurrent, // runs its tests side by side
		"orrery/core/queue":      single,
	} {
		if !slices.Contains(want, path) {
			t.Errorf("%s is not among %q", path, want)
		}
	}
}
