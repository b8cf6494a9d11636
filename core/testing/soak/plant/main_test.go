package main

import "testing"

// Every mistake has its place in the source, once.
func TestMistakes_HaveTheirPlaces(t *testing.T) {
	if len(mistakes) < 20 {
		t.Errorf("there are %d mistakes", len(mistakes))
	}
	seen := map[string]bool{}
	for _, m := range mistakes {
		if _, err := m.Overlay("../../..", t.TempDir()); err != nil {
			t.Error(err)
		}
		if seen[m.Name] {
			t.Errorf("two mistakes are called %q", m.Name)
		}
		seen[m.Name] = true
	}
}
