// Record plays every scenario of a folder and writes its recording into another: what the demo shows.
//
//	go run ./demo/record [-from demo/scenarios] [-to demo/traces]
//
// The same scenarios give the same recordings, to the last byte. Those that say recorded: cluster are left out: they
// happen on a real API server, see core/parity/demorecord.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"orrery/demo/scenario"
)

func main() {
	from := flag.String("from", "demo/scenarios", "the folder of the scenarios")
	to := flag.String("to", "demo/traces", "the folder for the recordings")
	flag.Parse()
	if err := record(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("there are no scenarios in %s", from)
	}
	for _, file := range files {
		s, err := scenario.ReadFile(file)
		if err != nil {
			return err
		}
		for _, warning := range s.Warnings() {
			fmt.Fprintf(os.Stderr, "%s: %s\n", file, warning)
		}
		if s.OnCluster {
			continue
		}
		var recording bytes.Buffer
		if err := s.Record(&recording, nil); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, s.Name+".orrery"), recording.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Printf("%-18s %6v %8d bytes\n", s.Name, s.Length, recording.Len())
	}
	return nil
}
