// Command runtests runs the tests of both modules at the same time, and prints its progress at least every twenty seconds. The
// comparisons on a real API server mostly wait, so the race detector's runs fill the time.
//
//	root     every package with the race detector, in random order; and again without it the packages that test less with it
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
		r.run(root, "-race", "-shuffle=on", "-timeout=40m", *packages)
		if *packages == "./..." {
			r.run(root, "./core/engine", "./demo")
		}
	})
	both.Go(func() { r.run(parity, "-timeout=40m", *packages) })
	both.Wait()
	stop()
	if !r.end() {
		os.Exit(1)
	}
}

// run runs go test in a module and reads its events.
func (r *report) run(dir string, args ...string) {
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
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
