package fuzz

import (
	"strings"
	"testing"
)

const root = "../../.."

func TestTargets_SayWhatTheyRead(t *testing.T) {
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) < 20 {
		t.Errorf("there are %d targets", len(targets))
	}
	for _, target := range targets {
		if strings.ContainsAny(target.Reads, "\n|") {
			t.Errorf("%s of %s: %q does not fit into a table", target.Name, target.Package, target.Reads)
		}
	}
}
