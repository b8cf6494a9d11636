package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"orrery/core/scheduler/release"
)

func TestTables_AreThoseOfEachReleasesSource(t *testing.T) {
	for _, r := range release.All() {
		t.Run(r.String(), func(t *testing.T) {
			want, err := generate(r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join("..", configFolder, fileName(r)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what Kubernetes %s has: run \"go run ./gatetables\" in core/parity, and read the diff", fileName(r), r.Patch())
			}
		})
	}
}

func TestInForce(t *testing.T) {
	// DRAFractionalCapacityRange of 1.37: on by default only where no older component has to be feared.
	entries := []entry{{minor: 37, stage: "Beta"}, {minor: 37, stage: "Beta", on: true, minToCompat: 37}, {minor: 38, stage: "GA", on: true}}
	if _, ok := inForce(entries, 36, 35); ok {
		t.Error("1.36 has a gate of 1.37")
	}
	if e, ok := inForce(entries, 37, 36); !ok || e.on {
		t.Errorf("in 1.37 the gate is %+v, %v", e, ok)
	}
	if e, ok := inForce(entries, 37, 37); !ok || !e.on {
		t.Errorf("in 1.37 without older components the gate is %+v, %v", e, ok)
	}
	if e, ok := inForce(entries, 38, 37); !ok || !e.on || e.stage != "GA" {
		t.Errorf("in 1.38 the gate is %+v, %v", e, ok)
	}
}
