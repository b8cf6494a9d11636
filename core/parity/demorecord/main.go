package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orrery/core/parity/program"
	"orrery/core/trace/play"
	"orrery/demo/scenario"
)

func main() { program.Main("demorecord", run) }

// run records the scenarios of a folder that say "recorded: cluster": all of them, or the named ones.
func run(ctx context.Context, args []string, to io.Writer) error {
	f := flag.NewFlagSet("demorecord", flag.ContinueOnError)
	from := f.String("from", "../../demo/scenarios", "the `folder` of the scenarios")
	into := f.String("to", "../../demo/traces", "the `folder` for the recordings")
	if err := f.Parse(args); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(*from, "*.yaml"))
	if err != nil {
		return err
	}
	left := f.Args()
	for _, file := range files {
		s, err := read(file)
		if err != nil {
			return err
		}
		named := slices.Index(left, s.Name)
		if named >= 0 {
			left = slices.Delete(left, named, named+1)
		}
		if !s.OnCluster || f.NArg() > 0 && named < 0 {
			continue
		}
		if err := write(ctx, s, *into, to); err != nil {
			return fmt.Errorf("recording %s: %w", s.Name, err)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("there is no scenario %q in %s", left[0], *from)
	}
	return nil
}

func read(file string) (*scenario.Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(file, data)
}

// write records one scenario. It replays the recording first, and does not write one that differs.
func write(ctx context.Context, s *scenario.Scenario, into string, to io.Writer) error {
	fmt.Fprintf(to, "%-18s warm-up %v, recording %v\n", s.Name, s.Warmup, s.Length)
	began := time.Now()
	recording, err := record(ctx, s)
	if err != nil {
		return err
	}
	e, report, err := play.Replay(bytes.NewReader(recording), play.Options{})
	if err != nil {
		return err
	}
	if !report.OK() || !report.Exact || report.DigestDiffers || report.Refused > 0 {
		return fmt.Errorf("the recording's replay differs, so it is not written: %+v", report)
	}
	fmt.Fprintf(to, "%-18s %8d bytes, %d decisions, digest %s, after %v\n", "", len(recording), report.Decisions, e.Digest(), time.Since(began).Round(time.Second))
	return os.WriteFile(filepath.Join(into, s.Name+".orrery"), recording, 0o644)
}
