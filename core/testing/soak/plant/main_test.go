package main

import (
	"testing"

	"orrery/core/testing/planted"
)

// Every mistake has its place in the source, once.
func TestMistakes_HaveTheirPlaces(t *testing.T) {
	if len(mistakes) < 20 {
		t.Errorf("there are %d mistakes", len(mistakes))
	}
	if err := planted.Check("../../..", mistakes); err != nil {
		t.Error(err)
	}
}
