package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"orrery/cmd/app"
	"orrery/core/safe/printable"
	"orrery/core/testing/mk"
)

// TestMCP_HostileArguments calls every tool with drawn arguments, on a recording whose names are hostile. There is always an answer, it is
// bounded, and nothing in it is obeyed by a terminal.
func TestMCP_HostileArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostile.orrery")
	stdout := os.Stdout
	made, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = made
	makeTrace("hostile")
	os.Stdout = stdout
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	session := app.AssistantSession(t, file)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{
		"hostile.orrery", "web", "default/waits", "gated", "plain", "--help", "-", "--trace=/etc/passwd", "-n", "../../etc/passwd", "\x1b[2J", "\u202e", "", "a,b",
		"drain plain", "delete pod waits", "requests default/waits cpu=1", "add 99999999 nodes like plain", "+1s", "@1", "9999-12-31T23:59:59Z", "deployment/web", "1.36", "default", strings.Repeat("x", 2000),
	}
	text := rapid.OneOf(rapid.SampledFrom(words), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		tool := rapid.SampledFrom(tools.Tools).Draw(rt, "tool")
		given := map[string]any{}
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			kind := properties[name].(map[string]any)["type"]
			if choice := rapid.IntRange(0, 9).Draw(rt, name+"?"); choice > 6 {
				continue
			} else if choice == 0 {
				given[name] = rapid.SampledFrom([]any{nil, 1, -1, 1e300, true, []any{}, map[string]any{"a": "b"}}).Draw(rt, name+" odd")
				continue
			}
			switch {
			case name == "source":
				given[name] = "hostile.orrery"
			case kind == "array":
				given[name] = rapid.SliceOfN(text, 1, 3).Draw(rt, name)
			case kind == "boolean":
				given[name] = rapid.Bool().Draw(rt, name)
			case kind == "integer":
				given[name] = rapid.IntRange(0, 30_000).Draw(rt, name)
			default:
				given[name] = text.Draw(rt, name)
			}
		}
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: given})
		if err != nil {
			rt.Fatalf("%s %v: %v", tool.Name, given, err)
		}
		said := r.Content[0].(*mcp.TextContent).Text
		if len(said) > 25_000*3+10_000 {
			rt.Fatalf("%s %v answers %d bytes", tool.Name, given, len(said))
		}
		if strings.Contains(said, "root:x:") || strings.Contains(said, "failed in Orrery itself") {
			rt.Fatalf("%s %v: %s", tool.Name, given, said)
		}
		if strings.ContainsFunc(said, printable.Unprintable) {
			rt.Fatalf("%s %v prints %q", tool.Name, given, said)
		}
		var decoded any
		if !r.IsError && json.Unmarshal([]byte(said), &decoded) != nil {
			rt.Fatalf("%s %v answers %q", tool.Name, given, said)
		}
	})
}

// TestMCP_AnswersAboutClustersAndSchedulers asks a cluster, and the scheduler that runs. The commands that repeat it have no secrets.
func TestMCP_AnswersAboutClustersAndSchedulers(t *testing.T) {
	stub := stubCluster(t)
	stub.objects = append(stub.objects, mk.Pod("big").UID("big").CPU("200").Obj())
	kubeconfig := stub.start(t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	said := app.TalkToMCP(t, []string{"--kubeconfig", kubeconfig, "--token", "t0p-s3cret"}, `"name":"explain_pod","arguments":{"pod":"big","source":"cluster"}`)
	if !strings.Contains(said, "it requests 200 cpu") || strings.Contains(said, "t0p-s3cret") || !strings.Contains(said, "orrery explain --kubeconfig="+kubeconfig) {
		t.Errorf("of the cluster it says %s", said)
	}
	said = app.TalkToMCP(t, []string{"--attach=" + newSchedulerStub(t)}, `"name":"explain_pod","arguments":{"pod":"shop/huge","source":"scheduler"}`)
	if !strings.Contains(said, `\"state\":\"unschedulable\"`) || !strings.Contains(said, `\"scheduler\":{`) {
		t.Errorf("of the scheduler it says %s", said)
	}
}
