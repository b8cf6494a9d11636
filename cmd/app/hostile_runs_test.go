package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// hostileRuns tries commands, in a folder of their own, and checks of each run what has to hold whatever it was given.
type hostileRuns struct {
	*testing.T
	files *hostileFiles
	runs  int
	// never must not be printed.
	never string
	// most is how many bytes a run may allocate, in all.
	most uint64
	// passes reports whether a value is not given to a flag, for a reason.
	passes func(flag, value string) bool
	// fields are the fields that are tried, if not all.
	fields *regexp.Regexp
	// positive says that nothing may be printed that looks like a sum that wrapped around.
	positive bool
}

func newHostileRuns(t *testing.T) *hostileRuns {
	r := &hostileRuns{T: t, files: newHostileFiles(t), most: 2 << 30, passes: func(string, string) bool { return false }}
	t.Chdir(r.files.dir)
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"precious", "out"} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { t.Logf("%d runs", r.runs) })
	return r
}

// usual returns arguments with which each command does what it is for. A command without any is not known here, and the test fails.
func (r *hostileRuns) usual() map[string][]string {
	f := r.files
	cluster := []string{"--kubeconfig", f.kubeconfig}
	return map[string][]string{
		"": {}, "help": {"trace"}, "version": {}, "completion bash": {}, "completion zsh": {}, "completion fish": {}, "completion powershell": {},
		"completion": {}, "config": {}, "trace": {},
		"attach": {"https://127.0.0.1:1"}, "console": cluster, "record": append([]string{"--for=1s", "--out=new"}, cluster...),
		"run": {"--kubeconfig=none"}, "manifests": {}, "config check": {"--", f.usualConfig}, "demo": {f.usualTrace}, "replay": {f.usualTrace},
		"compare": {"--config=default", f.usualTrace}, "explain": {"waits", "--trace", f.usualTrace}, "whatif": {"drain plain", "--trace", f.usualTrace},
		"fit": {"--trace", f.usualTrace, "-f", f.manifests}, "consolidate": {"--trace", f.usualTrace}, "capacity": {"--trace", f.usualTrace},
		"trace cut": {f.usualTrace, "--out=new"}, "trace hash": {f.usualTrace, "--salt-file=salt", "--out=new"}, "trace import": {f.objects, "--out=new"},
		"trace export": {f.usualTrace, "--ndjson=-"}, "report": {f.usualTrace},
		"journey": {"waits", "--trace", f.usualTrace}, "mcp": {f.usualTrace}, "schema": {"WhatIf"}, "test": {f.usualTrace},
		"settings": {}, "observe": append([]string{"--secure-port=-1"}, cluster...), "trace info": {f.usualTrace}, "trace list": {}, "trace verify": {f.usualTrace},
	}
}

// everywhere gives values to each flag of each command, one at a time, and in the place of each argument. A flag that many commands have gets
// every value from one of them at least, and each of them gives it one at least.
func (r *hostileRuns) everywhere(values ...string) {
	r.Helper()
	usual, commands, turn := r.usual(), map[string]int{}, map[string]int{}
	for _, c := range allCommands() {
		_ = c.ParseFlags(nil) // which adds those of its parents
		c.Flags().VisitAll(func(flag *pflag.Flag) { commands[flag.Name]++ })
	}
	for _, c := range allCommands() {
		path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "orrery"))
		line, known := usual[path]
		if !known {
			r.Errorf("there is no usual run of %q: add one to usual", c.CommandPath())
			continue
		}
		if !c.Runnable() {
			continue
		}
		words := len(strings.Fields(path))
		line = append(strings.Fields(path), line...)
		_ = c.ParseFlags(nil)
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			times := (len(values) + commands[flag.Name] - 1) / commands[flag.Name]
			given := line
			if path == "run" {
				times = 1 // each takes a process
				if kind := flag.Value.Type(); !strings.HasPrefix(kind, "string") {
					given = []string{path, "after it"} // nor does it get further than to this argument
				}
			}
			for range times {
				value := values[turn[flag.Name]%len(values)]
				turn[flag.Name]++
				if !r.passes(flag.Name, value) {
					r.run(slices.Insert(slices.Clone(given), words, "--"+flag.Name+"="+value)...)
				}
			}
		})
		for _, value := range values {
			for i := max(words, 1); i < len(line); i++ {
				if !strings.HasPrefix(line[i], "-") && !r.passes(strings.TrimPrefix(line[i-1], "--"), value) {
					given := slices.Clone(line)
					given[i] = value
					r.run(given...)
				}
			}
			r.run(append(slices.Clone(line), value)...)
		}
	}
}

// hostileRunTime limits a run, on a loaded machine.
const hostileRunTime = time.Minute

// negativeNumber is a sum that wrapped around, which may be near zero.
var negativeNumber = regexp.MustCompile(`(^|[\s(=:])-[0-9]`)

// run runs a command line in this process, or "run" in one of its own.
func (r *hostileRuns) run(args ...string) {
	r.Helper()
	r.runs++
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var stdout, stderr string
	done := make(chan struct{})
	go func() {
		defer close(done)
		stdout, stderr = outputOf(r.T, args)
	}()
	select {
	case <-done:
	case <-time.After(hostileRunTime):
		r.Fatalf("orrery %.300q does not end", args)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > r.most {
		r.Errorf("orrery %.300q allocates %d MB", args, allocated>>20)
	}
	checkHarmless(r.T, args, stdout, stderr)
	all := stdout + stderr
	if at := strings.Index(all, "panicked: "); at >= 0 {
		r.Errorf("orrery %.300q panics: %.1000s", args, all[at:])
	}
	if args[0] == "manifests" {
		all = stderr // the other is a document of what was given
	}
	if at := strings.Index(all, r.never); r.never != "" && at >= 0 {
		r.Errorf("orrery %.300q prints …%s…", args, all[max(0, at-100):min(len(all), at+50)])
	}
	differences := args[0] == "whatif"
	if at := negativeNumber.FindStringIndex(stdout); r.positive && !differences && at != nil {
		r.Errorf("orrery %.300q prints a negative number: …%s…", args, stdout[max(0, at[0]-100):min(len(stdout), at[1]+50)])
	}
	if slices.Contains(args, "json") && stdout != "" && !json.Valid([]byte(stdout)) {
		r.Errorf("orrery %.300q prints what is not JSON: %.300s", args, stdout)
	}
	if text, err := os.ReadFile("precious"); err != nil || string(text) != "precious" {
		r.Fatalf("orrery %.300q writes over a file: %.100q, %v", args, text, err)
	}
	_ = os.Remove("new")
}

// file writes a file and returns its name.
func (r *hostileRuns) file(name, text string) string {
	r.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		r.Fatal(err)
	}
	return path
}
