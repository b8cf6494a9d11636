package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"orrery/core/answers/assist"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
)

// assistant is a client of "orrery mcp" that sees nothing but the answers of its tools.
type assistant struct {
	t       *testing.T
	session *mcp.ClientSession
}

func newAssistant(t *testing.T) *assistant { return &assistant{t, AssistantSession(t)} }

// AssistantSession connects to a server as the command makes it, with recordings named.
func AssistantSession(t *testing.T, traces ...string) *mcp.ClientSession {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	c, _, err := command(framework.Registry{}).Find([]string{"mcp"})
	if err != nil {
		t.Fatal(err)
	}
	var f mcpFlags
	f.connection.addFlags(&cobra.Command{}, false)
	o, err := f.options(c, framework.Registry{}, traces)
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := assist.New(o).Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// toolAnswer is what an assistant reads.
type toolAnswer struct {
	Command string         `json:"command"`
	At      string         `json:"at"`
	No      bool           `json:"no"`
	Answer  map[string]any `json:"answer"`
	LeftOut []string       `json:"leftOut"`
}

// ask calls a tool, which has to answer.
func (a *assistant) ask(tool string, given map[string]any) toolAnswer {
	a.t.Helper()
	r, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: given})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, given, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		a.t.Fatalf("%s %v: %s", tool, given, text)
	}
	var got toolAnswer
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		a.t.Fatal(err)
	}
	return got
}

// at follows a path of fields and indices in an answer; nil if it leads nowhere.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			fields, _ := v.(map[string]any)
			v = fields[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func textAt(v any, path ...any) string {
	text, _ := at(v, path...).(string)
	return text
}

// findFix reads from answers what would help pods that are pending: the fix of a group, a remedy of one of its pods or gangs, or more nodes.
func (a *assistant) findFix(source map[string]any, pending toolAnswer) string {
	groups, _ := at(pending.Answer, "groups").([]any)
	for i := range groups {
		if fix := textAt(groups, i, "fix", "change"); fix != "" {
			return fix
		}
	}
	if n, is := at(pending.Answer, "capacity", "nodes").(float64); is {
		return fmt.Sprintf("add %v nodes like %s", n, textAt(pending.Answer, "capacity", "like"))
	}
	pod := a.ask("explain_pod", with(source, "pod", textAt(groups, 0, "namespace")+"/"+textAt(groups, 0, "pods", 0)))
	remedies, _ := at(pod.Answer, "remedies").([]any)
	for i := range remedies {
		if places, _ := at(remedies, i, "places").(bool); places {
			return textAt(remedies, i, "change")
		}
	}
	return ""
}

func with(given map[string]any, name string, value any) map[string]any {
	all := map[string]any{name: value}
	for n, v := range given {
		all[n] = v
	}
	return all
}

// TestMCP_AsksBeforeDoing asks what is asked before something is created, bought or emptied.
func TestMCP_AsksBeforeDoing(t *testing.T) {
	a := newAssistant(t)
	noon := map[string]any{"source": "node-drain", "at": "+1m"}
	const job = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"huge"},"spec":{"containers":[{"name":"c","image":"c","resources":{"requests":{"cpu":"1000"}}}]}}`
	fit := a.ask("fit", with(noon, "manifests", job))
	if !fit.No || !strings.Contains(textAt(fit.Answer, "summary"), "short of cpu") && !strings.Contains(textAt(fit.Answer, "summary"), "no node") {
		t.Errorf("a pod of 1000 cpu: %v, %v", fit.No, fit.Answer["summary"])
	}
	if !strings.HasPrefix(fit.Command, "orrery fit --filename=- --trace=node-drain") {
		t.Errorf("the command is %s", fit.Command)
	}
	if capacity := a.ask("capacity", with(noon, "by", "zone")); textAt(capacity.Answer, "kind") != "Capacity" {
		t.Errorf("capacity answers %v", capacity.Answer["kind"])
	}
	plan := a.ask("consolidate", with(noon, "free", 1))
	if textAt(plan.Answer, "kind") != "Consolidation" {
		t.Errorf("consolidate answers %v", plan.Answer["kind"])
	}
}

// TestMCP_ReaderNamesCauseAndFix has an assistant that knows nothing but the answers name the cause in every story, and a fix, which it tries.
func TestMCP_ReaderNamesCauseAndFix(t *testing.T) {
	a := newAssistant(t)
	for _, story := range []struct{ source, at, owner, cause string }{
		{"morning-rush", "+1m25s", "", `zone=east by spread with maxSkew 1 are \d+m short of cpu`},
		{"priority-storm", "", "job/model-train", `short of cpu|too few cpu|short of`},
		{"zone-failure", "+1m30s", "", `26 nodes with topology.kubernetes.io/zone=south .* are unreachable`},
		{"node-drain", "+1m40s", "", `8 nodes with generation=3 are cordoned`},
		{"leader-failover", "+1m30s", "", `all 300 nodes are 8 short of cpu`},
		{"stateful-rollout", "+1m2s", "", `zone=b .* have too little storage`},
		{"gpu-day", "+1m", "", `too few free devices for request devices`},
		{"gang-deadlock", "+6m15s", "", `deadlock with gang default/music/pods`},
	} {
		t.Run(story.source, func(t *testing.T) {
			a.t = t
			source := map[string]any{"source": story.source}
			if story.at != "" {
				source["at"] = story.at
			}
			given := source
			if story.owner != "" {
				given = with(source, "owner", story.owner)
			}
			pending := a.ask("pending", given)
			if cause := textAt(pending.Answer, "groups", 0, "summary"); !pending.No || !regexp.MustCompile(story.cause).MatchString(cause) {
				t.Errorf("the cause is %q, want %q; left out %v", cause, story.cause, pending.LeftOut)
			}
			if !strings.HasPrefix(pending.Command, "orrery explain") || pending.At == "" {
				t.Errorf("it speaks of %q by %q", pending.At, pending.Command)
			}
			fix := a.findFix(source, pending)
			if fix == "" {
				t.Fatalf("no fix is found in %v", pending.Answer)
			}
			tried := a.ask("what_if", with(source, "changes", []any{fix}))
			without, _ := at(tried.Answer, "without", "placed").(float64)
			after, _ := at(tried.Answer, "with", "placed").(float64)
			if worse, _ := at(tried.Answer, "worse").(bool); worse || after <= without {
				t.Errorf("with %q %v pods have a node, and %v without: %s", fix, after, without, textAt(tried.Answer, "summary"))
			}
		})
	}
	// In the ninth story nothing stays pending: pods are evicted. The timeline says whom, when and why, and the pod where it was.
	t.Run("memory-pressure", func(t *testing.T) {
		a.t = t
		marks, _ := at(a.ask("timeline", map[string]any{"source": "memory-pressure"}).Answer, "marks").([]any)
		for i := range marks {
			if textAt(marks, i, "kind") != "eviction" {
				continue
			}
			if cause := textAt(marks, i, "text"); !strings.Contains(cause, "TerminationByKubelet") {
				t.Errorf("the cause is %q", cause)
			}
			offset, _ := at(marks, i, "offsetSeconds").(float64)
			source := map[string]any{"source": "memory-pressure", "at": fmt.Sprintf("+%.3fs", offset-1)}
			pod := a.ask("explain_pod", with(source, "pod", textAt(marks, i, "pod", "namespace")+"/"+textAt(marks, i, "pod", "name")))
			tried := a.ask("what_if", with(source, "changes", []any{"drain " + textAt(pod.Answer, "status", "node")}))
			if worse, _ := at(tried.Answer, "worse").(bool); worse {
				t.Errorf("the node cannot be drained: %v", tried.Answer)
			}
			return
		}
		t.Error("the timeline has no eviction")
	})
}

// TestMCP_SpeaksOnStandardStreams talks to the program as a client does that starts it, in lines.
func TestMCP_SpeaksOnStandardStreams(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	if said := TalkToMCP(t, nil, `"name":"timeline","arguments":{"source":"gang-deadlock"}`); !strings.Contains(said, `"instructions"`) || !strings.Contains(said, "Two training runs") {
		t.Errorf("it says %s", said)
	}
}

// TalkToMCP starts the command with arguments, calls a tool, and returns all that it says until it has answered.
func TalkToMCP(t *testing.T, args []string, call string) string {
	t.Helper()
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + call + `}}`,
	}, "\n") + "\n"
	c := command(framework.Registry{})
	var out, errs bytes.Buffer
	lines, client := io.Pipe()
	c.SetIn(lines)
	c.SetOut(printable.NewWriter(writerFunc(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte(`"id":2`)) { // it has answered, and the client goes
			defer client.Close()
		}
		return out.Write(p)
	})))
	go func() { _, _ = io.WriteString(client, in) }()
	c.SetErr(&errs)
	c.SetArgs(append([]string{"mcp"}, args...))
	if err := c.Execute(); err != nil || errs.Len() > 0 {
		t.Fatalf("%v, %s", err, errs.String())
	}
	return out.String()
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestMCP_ServesHTTP starts the command on a port of its own, talks to it with its token, and stops it.
func TestMCP_ServesHTTP(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := command(framework.Registry{})
	said := make(chan string, 1)
	c.SetErr(writerFunc(func(p []byte) (int, error) {
		said <- string(p)
		return len(p), nil
	}))
	c.SetArgs([]string{"mcp", "--listen", "127.0.0.1:0", "--token-file", token})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx) }()
	_, url, is := strings.Cut(strings.TrimSpace(<-said), "serving assistants on ")
	if !is {
		t.Fatalf("it does not say where it serves: %v", <-ended)
	}
	connect := func(token string) (*mcp.ClientSession, error) {
		transport := &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1, HTTPClient: &http.Client{Transport: authorized(token)}}
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
	}
	if _, err := connect("another token of some length"); err == nil {
		t.Error("another token is taken")
	}
	session, err := connect("0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) < 10 {
		t.Errorf("%v, %v", err, tools)
	}
	_ = session.Close()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

type authorized string

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(a))
	return http.DefaultTransport.RoundTrip(r)
}

func TestMCP_RefusesFlags(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--listen", "0.0.0.0:0", "--token-file", short}, "it has to be a loopback address"},
		{[]string{"--listen", "localhost:0", "--token-file", short}, "it has to be a loopback address"},
		{[]string{"--listen", "7777"}, "it is HOST:PORT"},
		{[]string{"--listen", "127.0.0.1:0"}, "--listen needs --token-file"},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", short}, "holds no token of 16 letters or more"},
		{[]string{"--token-file", short}, "--token-file is of --listen"},
		{[]string{"-"}, "is the standard input"},
		{[]string{"nosuch"}, `neither a file nor a built-in trace called "nosuch"`},
		{[]string{"--scheduler-config", filepath.Join(dir, "none")}, "--scheduler-config"},
	} {
		c := command(framework.Registry{})
		c.SetArgs(append([]string{"mcp"}, row.args...))
		c.SetIn(strings.NewReader(""))
		c.SetOut(&bytes.Buffer{})
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("mcp %v: %v, want an error with %q", row.args, err, row.says)
		}
	}
}
