// Command runtests runs the tests of both modules at the same time, and prints its progress at least every twenty seconds. The
// comparisons on a real API server mostly wait, so the other module's tests fill the time.
//
//	root     every package in random order: with the race detector where several goroutines may run, which is found in the source;
//	         without it the others, and again those that test less with it
//	parity   every comparison with its default number of cases
//
// go vet is left to "make check".
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const interval = 20 * time.Second

func main() {
	packages := flag.String("packages", "./...", "which packages of each module to test")
	flag.Parse()
	const root, parity = "../..", "."
	r := newReport(os.Stdout)
	stop := r.tick(interval)
	var both sync.WaitGroup
	both.Go(func() {
		if !has(root, *packages) && has(parity, *packages) {
			return
		}
		raced, plain, err := sortByGoroutines(root, *packages)
		if err != nil {
			r.fail(err.Error())
			return
		}
		r.run(root, raced, "-race", "-shuffle=on")
		r.run(root, plain, "-shuffle=on")
	})
	both.Go(func() {
		if has(parity, *packages) {
			r.run(parity, firstToLast(*packages))
		}
	})
	both.Wait()
	stop()
	if !r.end() {
		os.Exit(1)
	}
}

// firstToLast returns the packages in the order of their tests: those that wait most begin first.
func firstToLast(packages string) []string {
	if packages == "./..." {
		return []string{"./live", "./..."}
	}
	return []string{packages}
}

// has reports whether a module has the folder that a pattern begins with.
func has(module, pattern string) bool {
	folder, err := os.Stat(filepath.Join(module, strings.TrimSuffix(pattern, "...")))
	return err == nil && folder.IsDir()
}

// run runs go test in a module and reads its events.
func (r *report) run(dir string, packages []string, flags ...string) {
	if len(packages) == 0 {
		return
	}
	cmd := exec.Command("go", slices.Concat([]string{"test", "-json", "-vet=off", "-timeout=40m"}, flags, packages)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(),
		"GORACE=atexit_sleep_ms=0",    // or each process under the race detector sleeps for a second at its end
		"GOGC=400", "GOMEMLIMIT=1GiB") // collecting garbage less often takes a sixth of the processor time off
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.fail(fmt.Sprintf("running %s: %v", cmd, err))
		return
	}
	r.follow(out)
	if err := cmd.Wait(); err != nil {
		r.fail(fmt.Sprintf("%s in %s: %v", cmd, dir, err))
	}
}

// event is one line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

func (r *report) follow(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			e = event{Action: "build-output", Output: lines.Text() + "\n"}
		}
		r.take(e)
	}
}
