package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
)

// escapes is what a terminal obeys: it clears the screen, renames the window with controls of seven and of eight bits,
// and turns the reading direction around.
const escapes = "\x1b[2J\x1b]0;owned\a\u009b2J\u009d0;owned\u009c\u202egnp.exe\u2066\x7f\b\r"

// TestCommands_PrintNothingThatATerminalObeys runs every command over hostile files and against a hostile API server.
func TestCommands_PrintNothingThatATerminalObeys(t *testing.T) {
	h := newHostileFiles(t)
	t.Chdir(h.dir)
	t.Setenv("KUBECONFIG", "")
	lines := h.commandLines()
	for _, c := range allCommands() {
		path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "orrery"))
		if _, covered := lines[path]; !covered && c.Runnable() {
			t.Errorf("there is no hostile run of %q: add some to commandLines", c.CommandPath())
		}
		for _, args := range lines[path] {
			args = append(strings.Fields(path), args...)
			stdout, stderr := outputOf(t, args)
			checkHarmless(t, args, stdout, stderr)
			if slices.Contains(args, "json") && stdout != "" && !json.Valid([]byte(stdout)) {
				t.Errorf("orrery %q printed what is not JSON:\n%s", args, stdout)
			}
		}
	}
}

// allCommands returns the commands that a user may give, those of cobra included.
func allCommands() []*cobra.Command {
	root := command(framework.Registry{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// hostileFiles are the inputs of the commands.
type hostileFiles struct {
	dir, trace, config, scenario, objects, manifests, broken, kubeconfig, recording, settings string
	// usualTrace and usualConfig mean no harm by their names.
	usualTrace, usualConfig string
}

func newHostileFiles(t *testing.T) *hostileFiles {
	dir := t.TempDir()
	h := &hostileFiles{dir: dir}
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	trace, err := exec.Command("maketrace", "hostile").Output()
	if err != nil {
		t.Fatal(err)
	}
	quoted := strconv.QuoteToASCII(escapes)
	h.trace = write("trace"+escapes+".orrery", string(trace))
	h.usualTrace = write("trace.orrery", string(trace))
	h.usualConfig = write("config.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
	h.config = write("config"+escapes+".yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: "+quoted+"}]\n")
	h.scenario = write("scenario"+escapes+".yaml", "name: "+quoted+"\n"+quoted+": "+quoted+"\n")
	h.objects = write("objects"+escapes+".yaml", "{apiVersion: "+quoted+", kind: "+quoted+"}\n---\n{apiVersion: v1, kind: Node, metadata: {name: a}}\n")
	h.broken = write("broken"+escapes+".yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {"+quoted+": "+quoted+"}}\n")
	h.manifests = write("manifests"+escapes+".yaml", "{apiVersion: "+quoted+", kind: "+quoted+"}\n---\n"+
		"{apiVersion: v1, kind: Pod, metadata: {name: new, labels: {"+quoted+": "+quoted+"}}, spec: {schedulerName: "+quoted+", priorityClassName: "+quoted+"}}\n---\n"+
		"{apiVersion: v1, kind: Pod, metadata: {name: "+quoted+", namespace: "+quoted+"}, spec: {nodeSelector: {"+quoted+": "+quoted+"}}}\n---\n"+
		"{apiVersion: batch/v1, kind: Job, metadata: {name: many}, spec: {template: {spec: {nodeSelector: {a: "+quoted+"}, containers: [{name: c}]}}}}\n")
	h.settings = write("settings"+escapes+".yaml", "theme: "+quoted+"\nkeys: {"+quoted+": "+quoted+"}\naliases: {"+quoted+": pods}\n")
	h.kubeconfig = write("kubeconfig", serveHostile(t, trace))
	write("salt", "some salt of my own")
	h.recording = filepath.Join(dir, "recording"+escapes)
	if err := os.Mkdir(h.recording, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{string(trace), string(trace[:len(trace)/2]), escapes} {
		write(filepath.Join(filepath.Base(h.recording), fmt.Sprintf("2026030%dT090000.000000000Z-ESCAPES2.orrery", i+1)), text)
	}
	write(filepath.Join(filepath.Base(h.recording), "index.json"), quoted)
	write(filepath.Join(filepath.Base(h.recording), "index"+escapes), quoted)
	return h
}

// commandLines returns the arguments of the runs of each command that has any.
func (h *hostileFiles) commandLines() map[string][][]string {
	lines := map[string][][]string{
		"":            {{}, {"--version"}, {escapes}, {"--" + escapes}},
		"capacity":    {{"--trace", h.trace}, {"--trace", h.trace, "--by", escapes, "-o", "json"}, {"--trace", h.trace, "--by", "hostile", "--points", "2"}},
		"attach":      {{"--kubeconfig", h.kubeconfig}, {escapes}, {"deploy/" + escapes, "--kubeconfig", h.kubeconfig}, {"https://" + escapes}},
		"compare":     {{"--config", "default", h.trace}, {"--config", "default", h.trace, "-o", "json"}, {"--config", h.config, h.trace}, {"--config", "default", h.objects}},
		"config":      {{}, {escapes}},
		"console":     {{"--kubeconfig", h.kubeconfig}, {"--theme", escapes}},
		"consolidate": {{"--trace", h.trace}, {"--trace", h.trace, "-o", "json"}, {"--trace", h.trace, "--keep", escapes}, {"--trace", h.trace, "--prices", h.objects}, {"--trace", h.trace, "--price-label", escapes}, {"--trace", h.trace, "--room", h.objects}},
		"demo":        {{h.trace}, {h.scenario}, {h.trace, "--config", h.config}, {"--speed", escapes}, {"--list"}},
		"explain":     {{"runs", "--trace", h.trace}, {"gated", "--trace", h.trace}, {"selects", "--trace", h.trace}, {"waits", "--trace", h.trace, "--node", escapes}, {escapes, "--trace", h.trace}},
		"fit": {
			{"-f", h.manifests, "--trace", h.trace},
			{"-f", h.manifests, "--trace", h.trace, "-o", "json"},
			{"-f", h.manifests, "--kubeconfig", h.kubeconfig},
			{"-f", h.broken},
			{"-f", escapes, "--trace", h.trace},
			{"-f", h.manifests, "--trace", h.trace, "--nodes", escapes},
			{"-f", h.manifests, "--trace", h.trace, "--like", escapes},
			{"-f", h.manifests, "--trace", h.trace, "--do", escapes},
			{"-f", h.manifests, "--trace", h.trace, "--autoscale", "--pools", h.objects},
			{"-f", h.manifests, "--trace", h.trace, "--autoscale", "-o", "json"},
			{"-f", h.manifests, "--trace", h.trace, "--pool", escapes},
			{"-f", h.manifests, "--trace", h.trace, "-n", escapes, "--count"},
		},
		"help":      {{}, {escapes}, {"trace"}},
		"journey":   {{"waits", "--trace", h.trace}, {"waits", "--trace", h.trace, "-o", "json"}, {escapes, "--trace", h.trace}},
		"mcp":       {{}, {h.trace}, {escapes}, {"--listen", escapes}, {"--listen", "127.0.0.1:0", "--token-file", escapes}},
		"schema":    {{}, {"WhatIf"}, {escapes}},
		"test":      {{h.scenario}, {h.scenario, "-o", "json"}, {h.trace}, {escapes}, {"--seeds", escapes, h.scenario}, {h.dir}},
		"manifests": {{}, {"--namespace", escapes}, {"--image", escapes}, {"--feature-gates", escapes}, {"--observe", "--storage", escapes}},
		"observe":   {{escapes}, {"--kubeconfig", escapes}, {"--record-dir", escapes, "--record-max-size", escapes}},
		"record":    {{"--kubeconfig", escapes}, {"--max-size", escapes}},
		"replay":    {{h.trace}, {h.trace, "-o", "json"}, {escapes}},
		"report":    {{h.trace, "--from", escapes, "-o", "html"}, {h.trace, "-o", "json"}, {h.trace, "-o", "html"}, {h.trace, "-o", "markdown"}, {h.trace, "--from", escapes}, {escapes}},
		"run":       {{escapes}, {"--" + escapes}, {"--feature-gates", escapes}, {"--record-dir", escapes, "--record-max-size", escapes}},
		"settings":  {{}, {"--example"}, {h.settings}, {h.config}, {h.broken}, {escapes}},
		"trace":     {{}, {escapes}},
		"version":   {{}, {"-o", "json"}, {"-o", escapes}},
		"whatif":    {{"drain plain", "--trace", h.trace}, {"drain plain", "--trace", h.trace, "-o", "json"}, {escapes, "--trace", h.trace}, {"--autoscale", "--trace", h.trace, "--pools", h.objects}, {"drain plain", "--trace", h.trace, "--price-label", escapes}},

		"config check": {{h.config}, {h.config, "-o", "json"}, {h.broken}, {escapes}},

		"trace cut":    {{h.trace, "--out", "cut" + escapes}, {h.trace, "--from", escapes, "--out", "cut"}},
		"trace export": {{h.trace, "--ndjson", "-"}, {h.trace, "--csv", "tables" + escapes}, {h.trace, "--otlp", "spans" + escapes, "--owner", escapes}, {escapes, "--ndjson", "-"}},
		"trace hash":   {{h.trace, "--salt-file", "salt", "--out", "hash" + escapes}, {h.trace, "--salt-file", escapes, "--out", "hash"}},
		"trace import": {{h.objects, "--out", "import" + escapes}, {h.objects, "--out", "json", "-o", "json"}, {h.broken, "--out", "broken"}, {escapes, "--out", "none"}},
		"trace info":   {{h.trace}, {h.trace, "-o", "json"}, {h.objects}, {h.recording}, {h.recording, "-o", "json"}},
		"trace list":   {{}, {"-o", "json"}, {escapes}},
		"trace verify": {{h.trace}, {h.trace, "-o", "json"}, {escapes}, {h.recording}, {h.recording, "-o", "json"}},

		"completion": {{}}, "completion bash": {{}}, "completion zsh": {{}}, "completion fish": {{}}, "completion powershell": {{}},
	}
	for _, mode := range hostileModes {
		at := []string{"--kubeconfig", h.kubeconfig, "--context", mode + escapes}
		lines["explain"] = append(lines["explain"], append([]string{"waits"}, at...))
		if mode == "lists" || mode == "errs" {
			lines["explain"] = append(lines["explain"], append([]string{"waits", "-o", "json", "--node", "tainted"}, at...))
			lines["whatif"] = append(lines["whatif"], append([]string{"add 1 nodes like plain"}, at...))
		}
		if mode != "lists" { // then it records until it is told to end
			lines["record"] = append(lines["record"], at)
		}
	}
	return lines
}

// outputOf runs a command line and returns what it wrote to the two streams. Only run, which starts to log in ways of its
// own, needs a process for itself.
func outputOf(t *testing.T, args []string) (stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	if len(args) > 0 && args[0] == "run" {
		c := exec.Command("orrery", args...)
		c.Stdout, c.Stderr = &out, &said
		_ = c.Run() // most fail
	} else {
		t.Setenv("TERM", "dumb") // without a screen, also where the test has a terminal
		execute("orrery", args, &out, &said, nil)
	}
	return out.String(), said.String()
}

func checkHarmless(t *testing.T, args []string, streams ...string) {
	t.Helper()
	for _, text := range streams {
		if at := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
		}); at >= 0 {
			t.Errorf("orrery %q prints %q", args, text[max(0, at-80):min(len(text), at+20)])
		}
		if !utf8.ValidString(text) {
			t.Errorf("orrery %q prints bytes that are not UTF-8: %q", args, text)
		}
	}
}

// TestCommands_LogNothingThatATerminalObeys runs the commands that go on until a signal against the hostile API server.
func TestCommands_LogNothingThatATerminalObeys(t *testing.T) {
	h := newHostileFiles(t)
	lists := []string{"--kubeconfig", h.kubeconfig, "--context", "lists" + escapes}
	run := []string{"run", "--kubeconfig", h.kubeconfig, "--leader-elect=false", "--secure-port=0"}
	for name, args := range map[string][]string{
		"record": append([]string{"record", "--out", "out" + escapes}, lists...),
		"run":    run, "run as JSON": append(run, "--logging-format=json"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("orrery", args...)
			c.Dir = h.dir
			var stdout bytes.Buffer
			c.Stdout = &stdout
			pipe, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			deadline := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
			defer deadline.Stop()
			stderr := ""
			for into := make([]byte, 4096); ; {
				n, err := pipe.Read(into)
				before := strings.Contains(stderr, "owned")
				if stderr += string(into[:n]); !before && strings.Contains(stderr, "owned") {
					_ = c.Process.Signal(syscall.SIGTERM)
				}
				if err != nil {
					break
				}
			}
			_ = c.Wait()
			if !strings.Contains(stderr, "owned") {
				t.Errorf("nothing hostile was logged: %s", stderr)
			}
			if code := c.ProcessState.ExitCode(); args[0] == "run" && (code != 1 || !strings.Contains(stderr, "finished without leader elect")) {
				t.Errorf("without leader election SIGTERM ends with exit code %d: %s", code, stderr)
			}
			checkHarmless(t, args, stdout.String(), stderr)
			for line := range strings.Lines(stderr) {
				if slices.Contains(args, "--logging-format=json") && !json.Valid([]byte(line)) {
					t.Errorf("this line of the log is not JSON: %s", line)
				}
			}
		})
	}
}
