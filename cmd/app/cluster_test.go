package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/core/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// TestCommands_OnCluster runs the scripts in testdata/cluster. In them, KUBECONFIG names a small cluster with another
// scheduler; $LIMITED is the kubeconfig of a user without the right to read disruption budgets and jobs, $BLIND of one
// without the right to read pods, and $VOLUMELESS of one without the right to read claims, in a cluster that has pod "db"
// with a claim, too. lacks FILE looks for secrets in a recording.
func TestCommands_OnCluster(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cluster", UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			for name, forbidden := range map[string][]string{
				"KUBECONFIG": nil, "LIMITED": {"poddisruptionbudgets", "jobs"}, "BLIND": {"pods"}, "VOLUMELESS": {"persistentvolumeclaims"},
			} {
				stub := stubCluster(t)
				stub.forbidden = forbidden
				if name == "VOLUMELESS" {
					stub.objects = append(stub.objects, mk.Pod("db").UID("db").PVC("c").CPU("1").Obj())
				}
				dir := filepath.Join(e.WorkDir, "."+name)
				if err := os.Mkdir(dir, 0o700); err != nil {
					return err
				}
				e.Setenv(name, stub.start(dir))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"answer": answer, "lacks": lacks, "printed": printedCommands},
	})
}

// lacks FILE fails if the canary is in a recording.
func lacks(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: lacks file")
	}
	r, err := trace.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	text, objects := fmt.Sprintf("%+v", r.Header()), 0
	for record, err := range r.All() {
		ts.Check(err)
		text += fmt.Sprintf("%+v", record.Body)
		in, ok := record.Body.(trace.Input)
		if !ok {
			continue
		}
		switch ev := in.Event.(type) {
		case world.Changed:
			text += fmt.Sprint(ev.Object)
			objects++
		case world.Listed:
			for _, o := range ev.Objects {
				text += fmt.Sprint(o)
				objects++
			}
		}
	}
	if objects == 0 {
		ts.Fatalf("there is nothing in the recording")
	}
	if at := strings.Index(text, canary); at >= 0 {
		ts.Fatalf("the canary sings: %s", text[max(0, at-100):min(len(text), at+20)])
	}
	if strings.Contains(ts.ReadFile(args[0]), canary) {
		ts.Fatalf("the canary is in the file")
	}
}
