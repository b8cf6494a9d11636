package app_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/cmd/app"
	"orrery/core/testing/race"
)

var update = flag.Bool("update", false, "write what commands print into the scripts that hold it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"orrery":                  func() { os.Exit(app.CheckingMain(os.Args[1:])) },
		"kubectl-orrery":          func() { os.Exit(app.Main(os.Args[1:])) },
		"kubectl_complete-orrery": func() { os.Exit(app.Main(os.Args[1:])) },
		"fragile":                 func() { os.Exit(app.Main(os.Args[1:], app.WithPlugin("Fragile", fragilePlugin))) },
		"maketrace":               func() { makeTrace(os.Args[1]) },
		"onscreen":                onScreenMain,
		"kubectl":                 kubectlMain,
		"jq":                      jqMain,
		"helm":                    helmMain,
	})
}

// TestCommands runs the scripts in testdata. In them, answer runs orrery and checks its exit code, printed runs the
// commands that an explanation prints and checks that they answer what stands beside them, $RECORDED is a small trace from a scheduler's
// first input, and $SCHEDULER the address of one that runs.
func TestCommands(t *testing.T) {
	recorded, err := filepath.Abs("../../core/trace/testdata/v2.trace")
	if err != nil {
		t.Fatal(err)
	}
	running := newSchedulerStub(t)
	kinds := t.TempDir()
	if !race.Enabled {
		t.Cleanup(func() { checkKinds(t, kinds) })
	}
	testscript.Run(t, testscript.Params{
		Files: commandScripts(t), UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			endAtOnce(e)
			e.Setenv("RECORDED", recorded)
			e.Setenv("SCHEDULER", running)
			e.Setenv(app.KindsSeen, kinds)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"answer": answerCommand, "printed": printedCommands},
	})
}

// printedElsewhere are documents of commands that need a cluster or a directory of recordings, and of attach, whose scripts end it before it
// has ended its output.
var printedElsewhere = []string{"Recording", "FitContexts", "TraceDirectory", "TraceVerification", "Attachment", "Decision"}

// checkKinds reports the documents that no script printed, and whose schemas were not compared with anything so. It does not after a part
// of the scripts.
func checkKinds(t *testing.T, dir string) {
	if f := flag.Lookup("test.run"); t.Failed() || strings.Contains(f.Value.String(), "/") {
		return
	}
	for _, name := range app.Documents() {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil && !slices.Contains(printedElsewhere, name) {
			t.Errorf("no script prints a document of kind %s with -o json", name)
		}
	}
}

// commandScripts returns the scripts in testdata; under the race detector those of commands in which several goroutines run.
func commandScripts(t *testing.T) []string {
	t.Helper()
	names := []string{"*"}
	if race.Enabled {
		names = []string{"attached", "console", "endless", "onscreen", "usage"}
	}
	var scripts []string
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join("testdata", name+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("looking for the script %s: %v", name, err)
		}
		scripts = append(scripts, found...)
	}
	return scripts
}

// endAtOnce lets commands that run under the race detector end when they are done. They would sleep for a second.
func endAtOnce(e *testscript.Env) { e.Setenv("GORACE", "atexit_sleep_ms=0") }

// exitFor N ARGS... runs orrery, which has to exit with code N.
func answerCommand(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) == 0 {
		ts.Fatalf("usage: answer code args...")
	}
	code := 0
	if err := ts.Exec("orrery", args[1:]...); err != nil {
		ended, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("running orrery: %v", err)
		}
		code = ended.ExitCode()
	}
	if got := fmt.Sprint(code); got != args[0] {
		ts.Fatalf("orrery answers %s, want %s", got, args[0])
	}
}

// ran runs orrery and returns what it printed.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command("orrery", args...)
	c.Env = append(os.Environ(), "TERM=dumb")
	text, _ := c.CombinedOutput() // the answer may be no
	if c.ProcessState.ExitCode() < 0 || len(text) == 0 {
		t.Errorf("orrery %q ended with %v: %s", args, c.ProcessState, text)
	}
	return string(text)
}
