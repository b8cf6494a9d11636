// Command command looks for inputs that break the fuzz targets of this repository: make fuzz MINUTES=, or with TARGET=regexp for some of
// them. It finds the targets in the source (core/testing/fuzz), builds each package's once, and gives each target its even share of the
// processors, in rounds of some minutes.
//
//	targets ──► the one with the least processor time so far ──► a round of go test -fuzz ──► counts, or the input that fails
//
// go test begins each round with the whole corpus. A target that gets to fewer new inputs than that has a round twice as long the next
// time, so that a large corpus and a short run leave none without.
//
// A target that fails is left alone for the rest of the run, as it would fail at once again; the others go on. go test keeps inputs
// that reach new code in GOCACHE, and each run goes on from those.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"

	"orrery/core/testing/fuzz"
)

// errFailed ends the command after failures, which have been told.
var errFailed = errors.New("some inputs fail")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, to io.Writer) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	minutes := flags.Float64("minutes", 10, "how long to look in all")
	jobs := flags.Int("jobs", runtime.GOMAXPROCS(0), "how many targets run at once")
	wanted := flags.String("targets", ".", "only the targets whose package and name match this regular expression")
	document := flags.String("document", "", "write the list of targets into this document instead")
	if err := flags.Parse(args); err != nil {
		return err
	}
	targets, err := fuzz.Targets(".")
	if err != nil {
		return err
	}
	if *document != "" {
		return writeTable(*document, targets)
	}
	match, err := regexp.Compile(*wanted)
	if err != nil {
		return fmt.Errorf("-targets: %w", err)
	}
	targets = slices.DeleteFunc(targets, func(t fuzz.Target) bool { return !match.MatchString(t.Package + " " + t.Name) })
	if len(targets) == 0 {
		return fmt.Errorf("-targets: no target matches %q", *wanted)
	}
	length := time.Duration(*minutes * float64(time.Minute))
	if length <= 0 || *jobs < 1 {
		return errors.New("-minutes and -jobs must be more than 0")
	}
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := newSession(targets, to, *jobs)
	p, err := newPrograms(ctx, dir, s.print)
	if err != nil {
		return err
	}
	return s.run(ctx, length, p.run)
}
