package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// TestCommands_OnCluster runs the scripts in testdata/cluster. In them, KUBECONFIG names a small cluster with another
// scheduler; $LIMITED is the kubeconfig of a user without the right to read disruption budgets and jobs, $BLIND of one
// without the right to read pods, and $VOLUMELESS of one without the right to read claims, in a cluster that has pod "db"
// with a claim, too; $ODD that of a cluster with a pod on a node that requests less than nothing; $LEADERLESS names a cluster in which
// no scheduler has ever led, with one pod that would fit and others that run, terminate or name no node, and $LEASELESS is of a user
// without the right to read leases; $CREATOR is of a user who may create objects, and may not read quotas. lacks FILE looks for secrets in a recording.
func TestCommands_OnCluster(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cluster", UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			endAtOnce(e)
			for name, forbidden := range map[string][]string{
				"KUBECONFIG": nil, "LIMITED": {"poddisruptionbudgets", "jobs"}, "BLIND": {"pods"}, "VOLUMELESS": {"persistentvolumeclaims"}, "ODD": nil,
				"LEADERLESS": nil, "LEASELESS": {"leases"}, "CREATOR": {"resourcequotas"},
			} {
				stub := stubCluster(t)
				stub.forbidden = forbidden
				stub.creates = name == "CREATOR"
				if name == "VOLUMELESS" {
					stub.objects = append(stub.objects, mk.Pod("db").UID("db").PVC("c").CPU("1").Obj())
				}
				if name == "ODD" {
					stub.objects = append(stub.objects, mk.Pod("odd").UID("odd").CPU("-1").Memory("9100T").Node("node-1").Obj())
				}
				if name == "LEADERLESS" {
					stub.leaderless = true
					stub.objects = append(stub.objects, settledPods()...)
				}
				dir := filepath.Join(e.WorkDir, "."+name)
				if err := os.Mkdir(dir, 0o700); err != nil {
					return err
				}
				e.Setenv(name, stub.start(dir))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"answer": answerCommand, "lacks": lacks, "printed": printedCommands},
	})
}

// settledPods are pods about which a scheduler decides nothing any more.
func settledPods() []world.Object {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	started := mk.Pod("started").UID("started").CPU("1").Node("node-1").Started(at).Phase(v1.PodRunning).Obj()
	victim := mk.Pod("victim").UID("victim").CPU("1").Node("node-1").Started(at).Phase(v1.PodRunning).Deleting(at.Add(30*time.Second)).
		Condition(v1.DisruptionTarget, v1.ConditionTrue, v1.PodReasonPreemptionByScheduler).Obj()
	victim.Finalizers = []string{"example.com/hold"}
	held := mk.Pod("held").UID("held").CPU("1").Deleting(at).Obj()
	held.Finalizers = []string{"example.com/hold"}
	return []world.Object{
		started, victim, held, mk.Pod("vip").UID("vip").CPU("9").Priority(100).Nominated("node-1").Obj(),
		mk.Pod("astray").UID("astray").CPU("1").Node("node-999").Obj(),
	}
}

// lacks FILE fails if the canary is in a recording.
func lacks(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: lacks file")
	}
	text, records, err := recordingText(strings.NewReader(ts.ReadFile(args[0])), 0)
	ts.Check(err)
	if records == 0 {
		ts.Fatalf("there is nothing in the recording")
	}
	if at := strings.Index(text, canary); at >= 0 {
		ts.Fatalf("the canary sings: %s", text[max(0, at-100):min(len(text), at+20)])
	}
	if strings.Contains(ts.ReadFile(args[0]), canary) {
		ts.Fatalf("the canary is in the file")
	}
}

// recordingText returns all that a recording says, as far as it goes or in the first so many records, and how many those are.
func recordingText(from io.Reader, most int) (text string, records int, err error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return "", 0, err
	}
	all := strings.Builder{}
	fmt.Fprintf(&all, "%+v\n", r.Header())
	for record, err := range r.All() {
		if err != nil {
			break // the end is missing of one that goes on
		}
		records++
		body, err := json.Marshal(record.Body)
		if err != nil {
			return "", records, err
		}
		all.Write(append(body, '\n'))
		if state, ok := record.Body.(trace.State); ok {
			all.Write(state.Data)
		}
		if records == most {
			break
		}
	}
	return all.String(), records, nil
}
