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
	// positive says that nothing may be printed that looks like a negative number.
	positive bool
}

func newHostileRuns(t *testing.T) *hostileRuns {
	r := &hostileRuns{T: t, files: newHostileFiles(t)}
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
		"trace cut": {f.usualTrace, "--out=new"}, "trace hash": {f.usualTrace, "--salt-file=salt", "--out=new"}, "trace import": {f.objects, "--out=new"},
		"trace info": {f.usualTrace}, "trace list": {}, "trace verify": {f.usualTrace},
	}
}

// everywhere gives values to each flag of each command, one at a time, and in the place of each argument.
func (r *hostileRuns) everywhere(values ...string) {
	r.Helper()
	usual := r.usual()
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
		line = append(strings.Fields(path), line...)
		_ = c.ParseFlags(nil) // which adds those of its parents
		for _, value := range values {
			c.Flags().VisitAll(func(flag *pflag.Flag) {
				if path != "run" || flag.Value.Type() != "bool" { // each takes a process
					r.run(slices.Insert(slices.Clone(line), len(strings.Fields(path)), "--"+flag.Name+"="+value)...)
				}
			})
			for i := len(strings.Fields(path)); i < len(line); i++ {
				given := slices.Clone(line)
				if given[i] = value; !strings.HasPrefix(line[i], "-") {
					r.run(given...)
				}
			}
			r.run(append(slices.Clone(line), value)...)
		}
	}
}

const (
	hostileRunTime  = time.Minute // for a run on a loaded machine
	hostileRunBytes = 1 << 30     // that a run may allocate in all
)

var negativeNumber = regexp.MustCompile(`(^|[\s(=:])-[0-9]`)

// run runs a command line in this process, or "run" in one of its own.
func (r *hostileRuns) run(args ...string) {
	r.Helper()
	r.runs++
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var stdout, stderr string
	done := make(chan struct{})
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > 2*time.Second {
			println(took.String(), strings.Join(args, " ")[:min(len(strings.Join(args, " ")), 200)])
		}
	}()
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
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > hostileRunBytes {
		r.Errorf("orrery %.300q allocates %d MB", args, allocated>>20)
	}
	checkHarmless(r.T, args, stdout, stderr)
	all := stdout + stderr
	if at := strings.Index(all, "panicked: "); at >= 0 {
		r.Errorf("orrery %.300q panics: %.1000s", args, all[at:])
	}
	if at := strings.Index(all, r.never); r.never != "" && at >= 0 {
		r.Errorf("orrery %.300q prints …%s…", args, all[max(0, at-100):min(len(all), at+50)])
	}
	if at := negativeNumber.FindStringIndex(stdout); r.positive && at != nil {
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
