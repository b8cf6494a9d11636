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
