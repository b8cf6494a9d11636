package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// report prints the results of packages and, in between, the tests that are running.
type report struct {
	to    io.Writer
	began time.Time

	mu      sync.Mutex
	running map[string]string           // the latest test of each package that runs
	output  map[string]*strings.Builder // of each test that has not passed, by package and test
	passed  int
	failed  []string
}

func newReport(to io.Writer) *report {
	return &report{to: to, began: time.Now(), running: map[string]string{}, output: map[string]*strings.Builder{}}
}

func (r *report) take(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := e.Package + " " + e.Test
	switch e.Action {
	case "start", "run":
		r.running[e.Package] = e.Test
	case "output":
		if r.output[key] == nil {
			r.output[key] = &strings.Builder{}
		}
		r.output[key].WriteString(e.Output)
	case "build-output":
		fmt.Fprint(r.to, e.Output)
	case "pass", "skip", "fail":
		if e.Action == "fail" && r.output[key] != nil {
			fmt.Fprint(r.to, r.output[key])
		}
		delete(r.output, key)
		if e.Test == "" {
			r.finish(e)
		}
	}
}

// finish counts a package. One without tests is skipped.
func (r *report) finish(e event) {
	delete(r.running, e.Package)
	switch e.Action {
	case "pass":
		r.passed++
		fmt.Fprintf(r.to, "ok    %-50s %6.1fs\n", e.Package, e.Elapsed)
	case "fail":
		r.failed = append(r.failed, e.Package)
		fmt.Fprintf(r.to, "FAIL  %-50s %6.1fs\n", e.Package, e.Elapsed)
	}
}

func (r *report) fail(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, why)
}

// tick prints the running tests at an interval until it is stopped.
func (r *report) tick(interval time.Duration) (stop func()) {
	ticker, done := time.NewTicker(interval), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				fmt.Fprintln(r.to, r.now())
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}

func (r *report) now() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf("%v: %d packages passed, %d failed; ", time.Since(r.began).Round(time.Second), r.passed, len(r.failed))
	if len(r.running) == 0 {
		return text + "building"
	}
	for i, name := range slices.Sorted(maps.Keys(r.running)) {
		if i > 0 {
			text += ", "
		}
		text += strings.TrimSuffix("running "+strings.TrimPrefix(name, "orrery/")+" "+r.running[name], " ")
	}
	return text
}

// end prints the result and what was left, and reports whether everything passed.
func (r *report) end(left []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.to, "%d packages passed in %v\n", r.passed, time.Since(r.began).Round(time.Second))
	if len(left) > 0 {
		fmt.Fprintln(r.to, "left to make test-all:", strings.ReplaceAll(strings.Join(left, ", "), "orrery/", ""))
	}
	for _, what := range r.failed {
		fmt.Fprintln(r.to, "FAILED:", what)
	}
	return len(r.failed) == 0
}
