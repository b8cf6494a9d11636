package assist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"orrery/core/safe/printable"
)

// asked keeps the words that a server asks, and answers with a document.
type asked struct {
	words    [][]string
	input    string
	document string
	err      error
}

func (a *asked) ask(_ context.Context, words []string, input string) ([]byte, bool, error) {
	a.words, a.input = append(a.words, words), input
	return []byte(a.document), true, a.err
}

func optionsOf(a *asked) Options {
	if a.document == "" {
		a.document = `{"apiVersion":"orrery.dev/v3","kind":"PendingPods","at":"2026-03-02T09:00:00Z","summary":"s"}`
	}
	return Options{
		Program: "orrery", Version: "test", Ask: a.ask, Releases: []string{"1.35", "1.36"}, Changes: "drain NODE",
		Sources: []Source{
			{Name: "cluster", Words: []string{"--token=secret"}},
			{Name: "morning", Recording: true, File: "dir/morning", Words: []string{"--trace=dir/morning"}, Shown: []string{"--trace=dir/morning"}, Story: "title: x"},
		},
		Configurations: map[string]string{"pack.yaml": "dir/pack.yaml"}, Schemas: map[string]string{"WhatIf": "{}"},
	}
}

// connect returns the session of a client with a server.
func connect(t testing.TB, o Options) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := New(o).Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func textOf(t testing.TB, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("it has %d contents", len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func TestServer_AsksCommands(t *testing.T) {
	for _, row := range []struct {
		tool    string
		given   map[string]any
		words   string
		command string
	}{
		{"pending", nil, "explain --token=secret --output=json --", "orrery explain --output=json"},
		{
			"pending",
			map[string]any{"source": "morning", "at": "+1m", "owner": "job/x", "namespace": "shop"},
			"explain --namespace=shop --trace=dir/morning --at=+1m --output=json -- job/x", "orrery explain --namespace=shop --trace=dir/morning --at=+1m --output=json job/x",
		},
		{
			"explain_pod",
			map[string]any{"pod": "shop/web", "node": "n1", "now": true, "source": "morning", "kubernetes": "1.36"},
			"explain --node=n1 --now --trace=dir/morning --kubernetes=1.36 --output=json -- shop/web", "",
		},
		{"explain_pod", map[string]any{"pod": "--kubeconfig=/etc/passwd"}, "explain --token=secret --output=json -- --kubeconfig=/etc/passwd", "orrery explain --output=json -- --kubeconfig=/etc/passwd"},
		{"explain_node", map[string]any{"node": "n1"}, "explain --token=secret --output=json -- node/n1", ""},
		{"explain_claim", map[string]any{"claim": "data"}, "explain --token=secret --output=json -- pvc/data", ""},
		{"explain_gangs", map[string]any{"workload": "maps"}, "explain --token=secret --output=json -- workload/maps", ""},
		{"journey", map[string]any{"pod": "web"}, "journey --token=secret --output=json -- web", ""},
		{"what_if", map[string]any{"changes": []any{"drain n1", "cordon n2"}}, "whatif --token=secret --output=json -- drain n1, cordon n2", "orrery whatif --output=json drain n1, cordon n2"},
		{
			"fit",
			map[string]any{"manifests": "kind: Pod", "namespace": "shop", "nodes": "cpu=16"},
			"fit --namespace=shop --filename=- --nodes=cpu=16 --token=secret --output=json --", "orrery fit --namespace=shop --filename=- --nodes=cpu=16 --output=json",
		},
		{"fit", map[string]any{"manifests": "kind: Pod", "count": true, "source": "morning"}, "fit --filename=- --count --trace=dir/morning --output=json --", ""},
		{"capacity", map[string]any{"by": "zone"}, "capacity --by=zone --token=secret --output=json --", ""},
		{
			"consolidate",
			map[string]any{"free": 3, "max_moves": 100, "keep": "team=infra"},
			"consolidate --keep=team=infra --free=3 --max-moves=100 --token=secret --output=json --", "",
		},
		{
			"compare",
			map[string]any{"releases": []any{"1.36"}, "configurations": []any{"default", "pack.yaml"}},
			"compare --kubernetes=1.36 --config=default --config=dir/pack.yaml --output=json -- dir/morning", "",
		},
		{"replay", map[string]any{"kubernetes": "1.36"}, "replay --kubernetes=1.36 --output=json -- dir/morning", ""},
		{"timeline", nil, "trace info --output=json -- dir/morning", "orrery trace info --output=json dir/morning"},
	} {
		a := &asked{}
		r, err := connect(t, optionsOf(a)).CallTool(t.Context(), &mcp.CallToolParams{Name: row.tool, Arguments: row.given})
		if err != nil || r.IsError || len(a.words) != 1 {
			t.Fatalf("%s %v: %v, %v, asked %v", row.tool, row.given, err, textOf(t, r), a.words)
		}
		if got := strings.Join(a.words[0], " "); got != row.words {
			t.Errorf("%s %v asks %q, want %q", row.tool, row.given, got, row.words)
		}
		var got answer
		if err := json.Unmarshal([]byte(textOf(t, r)), &got); err != nil {
			t.Fatal(err)
		}
		if want, _ := row.given["manifests"].(string); a.input != want {
			t.Errorf("%s %v reads %q", row.tool, row.given, a.input)
		}
		if row.command != "" && got.Command != row.command {
			t.Errorf("%s %v: the command is %q, want %q", row.tool, row.given, got.Command, row.command)
		}
		if strings.Contains(textOf(t, r), "secret") {
			t.Errorf("%s prints the secret: %s", row.tool, textOf(t, r))
		}
		if !got.No || got.At != "2026-03-02T09:00:00Z" || got.Data != isData {
			t.Errorf("%s answers %+v", row.tool, got)
		}
	}
}

func TestServer_RefusesArguments(t *testing.T) {
	for _, row := range []struct {
		tool  string
		given any
		says  string
	}{
		{"explain_pod", map[string]any{}, "pod"},
		{"explain_pod", map[string]any{"pod": 7}, "pod"},
		{"explain_pod", map[string]any{"pod": strings.Repeat("x", 1001)}, "pod"},
		{"explain_pod", map[string]any{"pod": "a", "trace": "/etc/shadow"}, "trace"},
		{"explain_pod", map[string]any{"pod": "a", "source": "/etc/shadow"}, "source"},
		{"explain_pod", map[string]any{"pod": "a", "at": "+1m"}, "at: cluster is asked as it is now"},
		{"explain_pod", map[string]any{"pod": "a", "budget": 1}, "budget"},
		{"compare", map[string]any{"configurations": []any{"/etc/shadow"}}, "configurations"},
		{"compare", map[string]any{"source": "cluster"}, "source"},
		{"what_if", map[string]any{"changes": []any{}}, "changes"},
		{"what_if", map[string]any{"changes": slices.Repeat([]any{"drain n"}, 51)}, "changes"},
		{"fit", map[string]any{}, "manifests"},
		{"fit", map[string]any{"manifests": strings.Repeat("a", 48<<10+1)}, "manifests"},
		{"consolidate", map[string]any{"free": 0}, "free"},
		{"consolidate", map[string]any{"free": "--for=1h"}, "free"},
		{"timeline", []any{1}, ""},
	} {
		a := &asked{}
		r, err := connect(t, optionsOf(a)).CallTool(t.Context(), &mcp.CallToolParams{Name: row.tool, Arguments: row.given})
		if len(a.words) > 0 {
			t.Errorf("%s %v is asked: %v", row.tool, row.given, a.words)
		}
		if err == nil && (!r.IsError || !strings.Contains(textOf(t, r), row.says)) {
			t.Errorf("%s %v: %s, want an error about %q", row.tool, row.given, textOf(t, r), row.says)
		}
	}
}

func TestServer_ErrorsAreAnswers(t *testing.T) {
	a := &asked{err: errors.New("there is no pod \"a\x1b[2J\"")}
	r, err := connect(t, optionsOf(a)).CallTool(t.Context(), &mcp.CallToolParams{Name: "explain_pod", Arguments: map[string]any{"pod": "a"}})
	if err != nil || !r.IsError || textOf(t, r) != `there is no pod "a\x1b[2J"` {
		t.Errorf("%v, %q", err, textOf(t, r))
	}
}

// TestServer_ToolsOnlyRead checks what every tool says of itself.
func TestServer_ToolsOnlyRead(t *testing.T) {
	tools, err := connect(t, optionsOf(&asked{})).ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) < 10 {
		t.Fatalf("%v: %d tools", err, len(tools.Tools))
	}
	for _, tool := range tools.Tools {
		if h := tool.Annotations; !h.ReadOnlyHint || h.DestructiveHint == nil || *h.DestructiveHint || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s: %+v", tool.Name, h)
		}
	}
}

// TestAnswer_IsBoundedAndPrintable answers with drawn documents.
func TestAnswer_IsBoundedAndPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := drawn(t, 4)
		document["summary"] = rapid.String().Draw(t, "summary")
		budget := rapid.IntRange(minBudget, 3000).Draw(t, "budget")
		r, err := result(&answer{Command: "orrery", Document: map[string]any(document), Data: isData}, budget)
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if most := budget*bytesPerToken + 6000; len(text) > most {
			t.Fatalf("a budget of %d tokens gives %d bytes, at most %d: %s", budget, len(text), most, text)
		}
		var got answer
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if _, has := got.Document.(map[string]any)["summary"]; !has {
			t.Fatalf("the summary is lost: %s", text)
		}
		eachText(got.Document, func(s string) {
			if strings.ContainsFunc(s, printable.Unprintable) || strings.ContainsRune(s, '\n') {
				t.Fatalf("%q is printed", s)
			}
		})
	})
}

func drawn(t *rapid.T, depth int) map[string]any {
	fields := map[string]any{}
	for i := range rapid.IntRange(0, 8).Draw(t, "fields") {
		name := rapid.OneOf(rapid.SampledFrom(append(slices.Clone(details), kept...)), rapid.StringN(1, 20, 60)).Draw(t, "name")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0 || depth == 0:
			fields[name] = strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 50).Draw(t, "times"))
		case kind == 1:
			fields[name] = drawn(t, depth-1)
		case kind == 2:
			var list []any
			for range rapid.IntRange(0, 150).Draw(t, "items") {
				list = append(list, fmt.Sprintf("item %d", i))
			}
			fields[name] = list
		default:
			fields[name] = []any{drawn(t, depth-1), drawn(t, depth-1)}
		}
	}
	return fields
}

func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, part := range v {
			eachText(part, visit)
		}
	case map[string]any:
		for name, part := range v {
			visit(name)
			eachText(part, visit)
		}
	}
}

func TestCut_NamesWhatIsLeftOut(t *testing.T) {
	var document any
	text := fmt.Sprintf(`{"summary":"why","reasons":[%s],"pluginResults":[{"plugin":"x"},{"plugin":"y"}],"remedies":[{"change":"a"}]}`,
		strings.TrimSuffix(strings.Repeat(`{"reason":"too little cpu on this node"},`, 60), ","))
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	got, lost := cut(document, 700)
	if diff := cmp.Diff([]string{"pluginResults (1)", "reasons[] (50)"}, lost); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if fields := got.(map[string]any); fields["summary"] != "why" || len(fields["remedies"].([]any)) != 1 || len(fields["reasons"].([]any)) != 10 {
		t.Errorf("it is %v", got)
	}
}

func TestServer_ResourcesAndPrompts(t *testing.T) {
	s := connect(t, optionsOf(&asked{document: `{"kind":"TraceInfo"}`}))
	for uri, want := range map[string]string{
		"orrery://recordings/morning": `{"kind":"TraceInfo"}`, "orrery://stories/morning": "title: x", "orrery://schemas/WhatIf": "{}",
	} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || r.Contents[0].Text != want {
			t.Errorf("%s: %v, %+v", uri, err, r)
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "orrery://recordings/../../etc/passwd"}); err == nil {
		t.Error("a resource that is not listed is read")
	}
	list, err := s.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != len(prompts) {
		t.Fatalf("%v, %v", err, list)
	}
	for _, p := range list.Prompts {
		given := map[string]string{}
		for _, a := range p.Arguments {
			given[a.Name] = "x\x1b[2J"
		}
		r, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: given})
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if text := r.Messages[0].Content.(*mcp.TextContent).Text; strings.ContainsAny(text, "\x1b{") {
			t.Errorf("%s says %q", p.Name, text)
		}
		if len(p.Arguments) > 0 {
			if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name}); err == nil {
				t.Errorf("%s is answered without its arguments", p.Name)
			}
		}
	}
}

func TestHandler_RequiresTokenAndOwnOrigin(t *testing.T) {
	h := Handler(New(optionsOf(&asked{})), "a token of some length")
	server := httptest.NewServer(h)
	defer server.Close()
	for _, row := range []struct {
		name, token string
		headers     map[string]string
		host        string
		want        int
	}{
		{"no token", "", nil, "", http.StatusUnauthorized},
		{"another token", "another token", nil, "", http.StatusUnauthorized},
		{"a page of another origin", "a token of some length", map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, "", http.StatusForbidden},
		{"another name of this machine", "a token of some length", nil, "evil.example", http.StatusForbidden},
	} {
		r, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+row.token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range row.headers {
			r.Header.Set(name, value)
		}
		if row.host != "" {
			r.Host = row.host
		}
		got, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != row.want {
			t.Errorf("%s: %s, want %d", row.name, got.Status, row.want)
		}
	}
	client := &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: bearer("a token of some length")}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "pending"}); err != nil || r.IsError {
		t.Errorf("%v, %v", err, r)
	}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
