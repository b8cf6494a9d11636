package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"orrery/core/testing/fuzz"
)

// memoryLimit is when a target's process begins to collect its garbage harder. It is no bound: core/testing/fuzz ends a process that goes
// beyond one.
const memoryLimit = "GOMEMLIMIT=1GiB"

// minimizeTime is how often it is tried to make an input smaller that reaches new code; go test takes a minute for each, which leaves none to find
// more.
const minimizeTime = "100x"

// programs are the test programs of packages, built with what guides a fuzzer when the first of their targets is run.
type programs struct {
	dir   string // where they are written
	cache string // go test's corpora
	tell  func(string)

	mu    sync.Mutex
	built map[string]func() error
}

func newPrograms(ctx context.Context, dir string, tell func(string)) (*programs, error) {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for its cache: %w", err)
	}
	return &programs{dir: dir, cache: filepath.Join(strings.TrimSpace(string(cache)), "fuzz"), tell: tell, built: map[string]func() error{}}, nil
}

// build builds the program of a target's package, once.
func (p *programs) build(ctx context.Context, t fuzz.Target) error {
	p.mu.Lock()
	once := p.built[t.Package]
	if once == nil {
		once = sync.OnceValue(func() error {
			p.tell("building " + t.Package + "; the first time, all that it imports is compiled anew, which takes minutes")
			c := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-w", "-fuzz=.", "-o", p.program(t), ".")
			c.Dir = filepath.FromSlash(t.Package)
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("building the targets of %s: %w\n%s", t.Package, err, out)
			}
			return nil
		})
		p.built[t.Package] = once
	}
	p.mu.Unlock()
	return once()
}

func (p *programs) program(t fuzz.Target) string {
	return filepath.Join(p.dir, strings.ReplaceAll(t.Package, "/", "_")+".test")
}

// run runs a target for a while. What it takes to build it does not count.
func (p *programs) run(ctx context.Context, t fuzz.Target, length time.Duration) (round, error) {
	if err := p.build(ctx, t); err != nil {
		if ctx.Err() != nil {
			return round{}, nil
		}
		return round{}, err
	}
	c := exec.CommandContext(ctx, p.program(t), "-test.run=^$", "-test.fuzz=^"+t.Name+"$", "-test.fuzztime="+length.String(),
		"-test.parallel=1", "-test.fuzzminimizetime="+minimizeTime, "-test.fuzzcachedir="+filepath.Join(p.cache, "orrery", t.Package))
	c.Dir = filepath.FromSlash(t.Package)
	c.Env = append(os.Environ(), memoryLimit)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && ctx.Err() == nil && !errors.As(err, &exit) {
		return round{}, fmt.Errorf("running %s of %s: %w", t.Name, t.Package, err)
	}
	r := roundOf(out.String(), t, err != nil && ctx.Err() == nil)
	if c.ProcessState != nil {
		r.processor = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		r.memory = memoryOf(c.ProcessState)
	}
	return r, nil
}

var (
	corpus    = regexp.MustCompile(`baseline coverage: (\d+)/\d+ completed, now fuzzing`)
	counts    = regexp.MustCompile(`execs: (\d+) .*\(total: (\d+)\)`)
	written   = regexp.MustCompile(`Failing input written to (\S+)`)
	cancelled = regexp.MustCompile(`(?m)^ +context deadline exceeded$`)
)

// roundOf reads what go test prints.
func roundOf(out string, t fuzz.Target, failed bool) round {
	var r round
	if all := counts.FindAllStringSubmatch(out, -1); all != nil {
		last := all[len(all)-1]
		r.inputs, _ = strconv.ParseInt(last[1], 10, 64) // digits
		r.kept, _ = strconv.Atoi(last[2])               // digits
	}
	if first := corpus.FindStringSubmatch(out); first != nil {
		begun, _ := strconv.ParseInt(first[1], 10, 64) // digits
		r.inputs = max(0, r.inputs-begun)
	}
	file := written.FindStringSubmatch(out)
	switch {
	case !failed, file == nil && cancelled.MatchString(out): // the time is over, which go test sometimes takes for a failure
	case file == nil:
		r.failure = out
	default:
		r.failure = out[strings.Index(out, "--- FAIL"):] + "the input is in " + filepath.Join(filepath.FromSlash(t.Package), file[1]) +
			": once the defect is mended, keep it there\n"
	}
	return r
}
