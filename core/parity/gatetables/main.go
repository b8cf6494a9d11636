package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orrery/core/parity/kubesource"
	"orrery/core/scheduler/release"
)

// configFolder is the folder of package config, from that of core/parity.
const configFolder = "../scheduler/config"

func main() {
	for _, r := range release.All() {
		if err := write(r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(r release.Release) error {
	text, err := generate(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(configFolder, fileName(r)), text, 0o644)
}

// generate returns the file of a release.
func generate(r release.Release) ([]byte, error) {
	s, err := kubesource.Gates(r.Patch())
	if err != nil {
		return nil, err
	}
	rows, err := s.Table(kubesource.MinorOf(r.Patch()))
	if err != nil {
		return nil, fmt.Errorf("reading the feature gates of Kubernetes %s: %w", r.Patch(), err)
	}
	return source(r, rows)
}

func fileName(r release.Release) string {
	return "gates_" + strings.ReplaceAll(r.String(), ".", "") + ".go"
}
