package app_test

import (
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// podName is a pod in a JSON document.
type podName struct{ Namespace, Name string }

// printedCommands ARGS... runs "orrery explain ARGS...", and in a shell every command that it prints, as printed. Each has
// to answer what the explanation says beside it: the same in one line, and the pod on the same node, or pending.
func printedCommands(ts *testscript.TestScript, negated bool, args []string) {
	var explained struct {
		Pod      podName
		Remedies []struct {
			Node, Effect, Command string
			Places                bool
		}
	}
	answerOf(ts, &explained, "orrery", append([]string{"explain", "-o", "json"}, args...)...)
	if len(explained.Remedies) == 0 {
		ts.Fatalf("no command is printed")
	}
	for _, r := range explained.Remedies {
		if !strings.HasPrefix(r.Command, "orrery whatif ") {
			ts.Fatalf("printed is %q", r.Command)
		}
		var answered struct {
			Summary string
			Pods    []struct {
				Pod  podName
				With struct{ Node string }
			}
		}
		answerOf(ts, &answered, "sh", "-c", r.Command+" -o json")
		node := ""
		for _, p := range answered.Pods {
			if p.Pod == explained.Pod {
				node = p.With.Node
			}
		}
		if answered.Summary != r.Effect || r.Places != (node != "") || r.Places && node != r.Node {
			ts.Fatalf("%s\nsays %q with the pod on %q, and stands beside %q with the pod on %q (%t)",
				r.Command, answered.Summary, node, r.Effect, r.Node, r.Places)
		}
	}
}

// answerOf runs a command that prints JSON. Its exit code may be 1.
func answerOf(ts *testscript.TestScript, doc any, name string, args ...string) {
	_ = ts.Exec(name, args...) // the answer may be no
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), doc); err != nil {
		ts.Fatalf("%s %s prints no JSON: %v", name, strings.Join(args, " "), err)
	}
}
