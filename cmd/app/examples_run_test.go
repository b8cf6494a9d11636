package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/cmd/app"
	"orrery/core/testing/mk"
	"orrery/core/testing/race"
)

// TestExamples_Run runs every command that the help texts and the Markdown files print, as printed, in a directory and on a
// cluster that have what they name. See testdata/examples.
func TestExamples_Run(t *testing.T) {
	race.Alone(t)
	running := newSchedulerStub(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/examples",
		Setup: func(e *testscript.Env) error {
			endAtOnce(e)
			stub := stubCluster(t)
			for _, node := range []string{"node-7", "n7"} {
				stub.objects = append(stub.objects, mk.Node(node).CPU("4").Memory("8Gi").Pods("10").Obj())
			}
			for pod, owner := range map[string][2]string{"payment-7d4x9": {"Deployment", "payment"}, "web-0": {"StatefulSet", "web"}, "db-1": {"StatefulSet", "db"}} {
				stub.objects = append(stub.objects, mk.Pod(pod).UID(pod).Namespace("shop").Owner("apps/v1", owner[0], owner[1]).CPU("20").Obj())
			}
			data := mk.Claim("data").Size("1Gi").Class("fats").Obj()
			data.Namespace = "shop"
			stub.objects = append(stub.objects, data, mk.Pod("web").UID("web").Namespace("shop").PVC("data").CPU("1").Obj())
			claim := mk.ResourceClaim("train-2").Request("gpus", "gpu", 1).Allocated("node-7", "gpus", "gpu.example.com", "node-7", "gpu-0").Obj()
			claim.Namespace = "shop"
			stub.objects = append(stub.objects, claim)
			e.Setenv("KUBECONFIG", stub.start(e.WorkDir))
			e.Setenv("SCHEDULER", running)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"examples": func(ts *testscript.TestScript, _ bool, _ []string) { runExamples(t, ts) },
		},
	})
}

// asPrinted makes an end of what goes on until it is stopped: a recording ends soon, a demo plays as fast as it can, of an attached
// scheduler, which is $SCHEDULER, one document is read, no collector listens for spans, and for console, run and observe, which have tests of their own, the flags are read.
const asPrinted = `orrery() {
	case $1 in
	record) command orrery "$@" --for 300ms --force ;;
	demo) command orrery "$@" --speed max ;;
	console | run | observe | mcp) command orrery "$@" --help ;;
	attach) case "$*" in *json*) command orrery attach "$SCHEDULER" -o json | head -n 1 ;; *) command orrery "$@" --help ;; esac ;;
	explain | journey | whatif) case "$*" in *--watch* | *--attach*) command orrery "$@" --help ;; *) command orrery "$@" ;; esac ;;
	trace) case "$2 $*" in *--otlp*http*) command orrery "$@" --help ;; cut* | hash* | import* | export*) command orrery "$@" --force ;; *) command orrery "$@" ;; esac ;;
	report) command orrery "$@" --force ;;
	*) command orrery "$@" ;;
	esac
}
`

// runExamples runs the commands without placeholders. A question may be answered with no, and nothing may be wrong usage.
func runExamples(t *testing.T, ts *testscript.TestScript) {
	ran := 0
	for _, e := range app.PrintedExamples(t) {
		if e.InText {
			continue
		}
		ran++
		if err := ts.Exec("sh", "-c", asPrinted+e.Command); err != nil && err.Error() != "exit status 1" {
			t.Errorf("%s\nends with %v:\n%s", e.Command, err, ts.ReadFile("stderr"))
		}
	}
	if ran < 30 {
		t.Errorf("%d commands were found", ran)
	}
}

// kubectlMain takes manifests, and prints a cluster.
func kubectlMain() {
	if os.Args[1] != "get" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	cluster, err := os.ReadFile("cluster.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(cluster)
}

// helmMain prints manifests.
func helmMain() {
	job, err := os.ReadFile("job.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(job)
}

// jqMain reads a path like .a[].b out of JSON. A field that is not there is wrong usage.
func jqMain() {
	var doc any
	if err := json.NewDecoder(os.Stdin).Decode(&doc); err != nil {
		fmt.Fprintln(os.Stderr, "jq:", err)
		os.Exit(2)
	}
	values := []any{doc}
	for _, step := range strings.Split(os.Args[len(os.Args)-1], ".")[1:] {
		name, each := strings.CutSuffix(step, "[]")
		var next []any
		for _, v := range values {
			field, there := v.(map[string]any)[name]
			if list, is := field.([]any); there && each && is {
				next = append(next, list...)
			} else if there && !each {
				next = append(next, field)
			} else {
				fmt.Fprintf(os.Stderr, "jq: there is no %s\n", step)
				os.Exit(2)
			}
		}
		values = next
	}
	for _, v := range values {
		var line bytes.Buffer
		_ = json.NewEncoder(&line).Encode(v)
		_, _ = os.Stdout.Write(line.Bytes())
	}
}
