package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// sizes are those of the table, the smallest first.
var sizes = []size{{1000, 100_000}, {10_000, 300_000}, {100_000, 1_000_000}}

func main() {
	folder := flag.String("to", "docs", "the folder of scale.md and scale.svg; empty to write none")
	date := flag.String("date", time.Now().Format("2 January 2006"), "the `date` in the written table")
	most := flag.Int("nodes", sizes[len(sizes)-1].nodes, "leave out sizes with more `nodes`")
	flag.Parse()
	if err := run(*folder, *date, *most, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(folder, date string, most int, to, progress io.Writer) error {
	var results []result
	for _, s := range sizes {
		if s.nodes > most {
			continue
		}
		r, err := measure(s, func(step string) { fmt.Fprintf(progress, "%s: %s\n", s, step) })
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return fmt.Errorf("-nodes %d leaves out every size: the smallest has %d", most, sizes[0].nodes)
	}
	fmt.Fprint(to, table(results))
	if folder == "" {
		return nil
	}
	for name, content := range map[string]string{"scale.md": document(results, date), "scale.svg": figure(results)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("writing what was measured: %w", err)
		}
	}
	return nil
}
