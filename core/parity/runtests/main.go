// Command runtests runs the tests of the three modules, and prints its progress at least every twenty seconds.
//
//	root     every package, without the race detector; then those of cmd/release
//	parity   the comparisons that run in one process, with their default number of cases
//
// A package whose code, and whose files that its tests read, have not changed since it passed is not tested again: go keeps the results
// of tests that run in their written order. Those of cmd/release ask the go command about the other modules, so they always run. For the
// same reason every comparison stays a program of its own, though each links Kubernetes: a change tests again those that import it. And
// some need feature gates that hold for a whole process.
//
// Both wait until the root's packages are compiled, which the comparisons import too: two runs of go that begin together each compile all
// that they share, since the build cache has no lock. The root's first tests run while Kubernetes is compiled for the comparisons.
//
// With -all the root is tested in random order, whatever is known of it, and the comparisons on a real API server run too. They mostly
// wait, so they run in two halves, and other tests fill the time. Both halves wait in the same way until what they import is compiled.
//
//	root     with the race detector where several goroutines may run, which is found in the source; without it the others, and again
//	         those that test less with it
//	parity   half of the comparisons on a real API server, then every other comparison
//	live     the other half, on an API server of its own; then the comparisons with earlier releases
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

	"orrery/core/parity/program"
)

const interval = 20 * time.Second

// live is the package that compares on a real API server.
const live = "orrery/core/parity/live"

func main() {
	packages := flag.String("packages", "./...", "which packages of each module to test")
	all := flag.Bool("all", false, "also with the race detector, and on a real API server")
	flag.Parse()
	r := newReport(os.Stdout)
	stop := r.tick(interval)
	lanes, left, err := plan(*packages, *all)
	if err != nil {
		r.fail(err.Error())
	}
	var running sync.WaitGroup
	for _, jobs := range lanes {
		running.Go(func() {
			for _, j := range jobs {
				r.run(j)
			}
		})
	}
	running.Wait()
	stop()
	if !r.end(left) {
		os.Exit(1)
	}
}

// ofReleases are the packages whose tests with Releases in their names compare with every release, each in a process of its own.
var ofReleases = []string{"orrery/core/parity/cycle", "orrery/core/parity/allocate"}

// ofPools is the package that compares with Karpenter's scheduler, a process too.
const ofPools = "orrery/core/parity/nodepools"

// job is one run of go test.
type job struct {
	dir      string
	packages []string
	flags    []string
	half     string       // the flag that selects the tests, if they are half a package's
	env      []string     // beside the usual
	before   func() error // what must be done first, if anything
}

// plan returns what is run for a pattern of packages: lanes at the same time, the jobs of each one after the other. Without all it
// returns what it left, too.
func plan(pattern string, all bool) (lanes [][]job, left []string, err error) {
	const root, parity, release = "../..", ".", "../../cmd/release"
	var raced, plain, comparisons, servers, releasing []string
	if has(parity, pattern) {
		comparisons, servers, err = sortByServer(parity, pattern)
	}
	if err == nil && has(release, pattern) {
		releasing, err = tested(release, pattern)
	}
	if err == nil && (has(root, pattern) || !has(parity, pattern) && !has(release, pattern)) {
		raced, plain, err = sortByGoroutines(root, pattern)
	}
	if err != nil {
		return nil, nil, err
	}
	releases := job{dir: release, packages: releasing, flags: []string{"-shuffle=on"}}
	if !all {
		if len(raced) > 0 {
			left = append(left, fmt.Sprintf("%d packages with the race detector", len(raced)))
		}
		var compiled func() error
		if len(plain)+len(raced) > 0 {
			compiled = sync.OnceValue(func() error { return compile(root, pattern) })
		}
		return [][]job{
			{{dir: root, packages: union(plain, raced), before: compiled}, releases},
			{{dir: parity, packages: comparisons, before: compiled}},
		}, append(left, servers...), nil
	}
	comparisons = append(comparisons, servers...)
	var first, second []job
	if i := slices.Index(comparisons, live); i >= 0 {
		comparisons = slices.Delete(comparisons, i, i+1)
		compiled := sync.OnceValue(func() error { return compile(parity, live, "-test") })
		first = []job{{dir: parity, packages: []string{live}, half: "-run=^Test[A-F]", before: compiled}}
		second = []job{{dir: parity, packages: []string{live}, half: "-skip=^Test[A-F]", before: compiled}}
	}
	for _, path := range comparisons {
		if slices.Contains(ofReleases, path) { // last, since kube-scheduler of every release is compiled first
			second = append(second, job{dir: parity, packages: []string{path}, half: "-run=Releases", env: []string{program.Switch + "=1"}})
		}
	}
	if i := slices.Index(comparisons, ofPools); i >= 0 {
		comparisons = slices.Delete(comparisons, i, i+1)
		second = append(second, job{dir: parity, packages: []string{ofPools}, env: []string{program.Switch + "=1"}})
	}
	return [][]job{
		{{dir: root, packages: raced, flags: []string{"-race", "-shuffle=on"}}, {dir: root, packages: plain, flags: []string{"-shuffle=on"}}, releases},
		append(first, job{dir: parity, packages: comparisons}),
		second,
	}, nil, nil
}

// union returns the strings of a, then those of b that are not among them.
func union(a, b []string) []string {
	return append(slices.Clone(a), slices.DeleteFunc(slices.Clone(b), func(s string) bool { return slices.Contains(a, s) })...)
}

// has reports whether a module has the folder that a pattern begins with.
func has(module, pattern string) bool {
	folder, err := os.Stat(filepath.Join(module, strings.TrimSuffix(pattern, "...")))
	return err == nil && folder.IsDir()
}

// run runs a job in its module and reads its events.
func (r *report) run(j job) {
	if len(j.packages) == 0 {
		return
	}
	if j.before != nil {
		if err := j.before(); err != nil {
			r.fail(err.Error())
			return
		}
	}
	flags := append([]string{"test", "-json", "-vet=off", "-timeout=40m"}, j.flags...)
	if j.half != "" {
		flags = append(flags, j.half)
	}
	cmd := exec.Command("go", append(flags, j.packages...)...)
	cmd.Dir, cmd.Stderr = j.dir, os.Stderr
	cmd.Env = append(append(os.Environ(), j.env...),
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
	r.follow(out, j.half)
	if err := cmd.Wait(); err != nil {
		r.fail(fmt.Sprintf("%s in %s: %v", cmd, j.dir, err))
	}
}

// event is one line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// follow takes events until they end. Half a package is named with the flag that selects it.
func (r *report) follow(from io.Reader, half string) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			e = event{Action: "build-output", Output: lines.Text() + "\n"}
		}
		if half != "" {
			e.Package += " " + half
		}
		r.take(e)
	}
}
