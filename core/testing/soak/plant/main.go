// Command plant plants one mistake after another and looks for each with the simulation of core/testing/soak, from the first seed on: it prints
// the table of docs/soak.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

// errNotFound ends the command if a mistake was not found.
var errNotFound = errors.New("a mistake was not found")

func command(args []string, to io.Writer) error {
	flags := flag.NewFlagSet("plant", flag.ContinueOnError)
	only := flags.String("only", "", "plant only mistakes whose name has this in it")
	first := flags.Int("first", 0, "leave out so many mistakes")
	most := flags.Duration("most", 5*time.Minute, "how long to look for each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(to, "| mistake | file | invariant | seed | CPU seconds |\n|---|---|---|---|---|")
	missed := false
	for i, m := range mistakes {
		if i < *first || !strings.Contains(m.Name, *only) {
			continue
		}
		list, err := m.Overlay("core", dir)
		if err != nil {
			return err
		}
		program := filepath.Join(dir, "soak")
		if out, err := exec.Command("go", "build", "-overlay", list, "-o", program, "./core/testing/soak/command").CombinedOutput(); err != nil {
			return fmt.Errorf("building with %q planted: %w: %s", m.Name, err, out)
		}
		f := look(program, filepath.Join(dir, "violation.json"), *most)
		missed = missed || f.seed == ""
		fmt.Fprintf(to, "| %s | %s | %s | %s | %s |\n", m.Name, m.File, f.invariant, f.seed, f.seconds)
	}
	if missed {
		return errNotFound
	}
	return nil
}

// found is by which seed a mistake was found, and after how many seconds of all cores together.
type found struct{ invariant, seed, seconds string }

var violation = regexp.MustCompile(`(?m)^seed (\d+): ([a-z ]+), at `)

// look runs seeds until an invariant does not hold.
func look(program, plan string, most time.Duration) found {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	run := exec.CommandContext(ctx, program, "-hours", "1000000", "-each", "2", "-reduce", "0", "-out", plan)
	out, _ := run.CombinedOutput() // a violation is an error
	took := "?"
	if ended := run.ProcessState; ended != nil {
		took = strconv.FormatFloat((ended.UserTime() + ended.SystemTime()).Seconds(), 'f', 1, 64)
	}
	if m := violation.FindSubmatch(out); m != nil {
		return found{string(m[2]), string(m[1]), took}
	}
	if i := strings.Index(string(out), "panic:"); i >= 0 {
		return found{"the program ends: " + strings.SplitN(string(out[i:]), "\n", 2)[0], "1 to 100", took}
	}
	return found{invariant: "not found", seconds: took}
}
