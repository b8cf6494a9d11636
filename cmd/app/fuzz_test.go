package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/fuzz"
	"orrery/core/trace/segments"
)

// FuzzKubeconfig reads kubeconfigs.
//
//orrery:reads cmd/app core/safe/files core/safe/address
func FuzzKubeconfig(f *testing.F) {
	const head = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}]\n"
	for _, text := range []string{
		head + "clusters: [{name: k, cluster: {server: 'https://me:s3cret@host:6443', certificate-authority-data: aGVsbG8=}}]\nusers: [{name: u, user: {token: t}}]\n",
		head + "clusters: [{name: k, cluster: {server: \"https://\\e[2J\", proxy-url: 'socks5://x'}}]\nusers: [{name: u, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}}]\n",
		head, "", "{", "a: &a [*a]", "apiVersion: v2\nkind: Config\n", "- 1", head + "extensions: [{name: a, extension: {}}]\npreferences: 7\n",
		`{"kind":"Config","apiVersion":"v1","clusters":[{"name":"k","cluster":{"server":"x"}}],"contexts":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(clientcmd.RecommendedConfigPathEnvVar, "")
		fuzz.Cost(t, len(text), func() {
			flags := newKubectlFlags()
			flags.kubeconfig = file
			k, err := flags.restConfig()
			if (k == nil) == (err == nil) {
				t.Errorf("config %v and error %v", k, err)
			}
			checkPrintedError(t, err)
			if err == nil && strings.Contains(k.Host, "@") && k.Username != "" {
				t.Errorf("the address still has a user: %q", k.Host)
			}
		})
	})
}

// checkPrintedError checks what a command prints of an error.
func checkPrintedError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var printed bytes.Buffer
	to := printable.NewWriter(&printed)
	if code := exitCode(err, to); code != exitUsage && code != exitNo { // which is run's, as kube-scheduler's, for everything
		t.Errorf("the exit code is %d", code)
	}
	if err := to.Flush(); err != nil {
		t.Fatal(err)
	}
	fuzz.Output(t, printed.String())
	if lines := strings.Count(printed.String(), "\n"); lines > 30 {
		t.Errorf("the error has %d lines: %.300q", lines, printed.String())
	}
}

// FuzzCommandLine reads command lines: it finds the command, and parses its flags and arguments.
//
//orrery:reads cmd/app
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{
		"run\x00--config\x00x.yaml\x00--feature-gates=GenericWorkload=true,\x1b=false\x00--leader-elect-lease-duration=9999999999h", "demo\x00--speed\x001e400x\x00--at\x00+1h",
		"trace\x00cut\x00a\x00--from\x00@-1\x00--to\x0024:00", "explain\x00a/b/c\x00-o\x00json\x00--attach=\x1b", "whatif\x00add 3 nodes like b\x00--trace\x00x", "help\x00\xff",
		"console\x00--server=https://me:pw@host\x00--as-user-extra=a=b\x00--request-timeout=-1", "config\x00check\x00--\x00-", "--version", "trace\x00import\x00--format\x00openb", "\x00\x00",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		fuzz.Cost(t, len(line), func() {
			root := command(framework.Registry{})
			c, rest, err := root.Find(args)
			if err == nil {
				err = c.ParseFlags(rest)
			}
			if err == nil {
				err = c.ValidateArgs(c.Flags().Args())
			}
			checkPrintedError(t, err)
		})
	})
}

// FuzzMoment reads times, durations, numbers of records, sizes and speeds of the command line.
//
//orrery:reads cmd/app
func FuzzMoment(f *testing.F) {
	for _, text := range []string{
		"2026-03-02T09:00:12Z", "09:00:12", "23:59", "+1m30s", "+-1s", "+9223372036s", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "@7", "@-1", "2026-03-02 09:00",
		"10Gi", "16Mi", "1e400", "9223372036854775807", "-1", "1e-100000000", "max", "0.1x", "NaN", "1e6", "\x1b[2J",
	} {
		f.Add(text, int64(1772442000), int64(3600))
	}
	f.Fuzz(func(t *testing.T, text string, begins, length int64) {
		begin := time.Unix(begins%(1<<35), 0).UTC()
		end := begin.Add(time.Duration(max(length, 0)) % (1 << 50))
		fuzz.Cost(t, len(text), func() {
			if _, err := parseMoment(text, begin); err != nil {
				fuzz.Error(t, err)
			}
			if _, err := momentIn(begin, func() time.Time { return end }, text); err != nil {
				fuzz.Error(t, err)
			}
			if speed, err := parseSpeed(text); err == nil && !(speed > 0) {
				t.Errorf("the speed is %v", speed)
			} else if err != nil {
				fuzz.Error(t, err)
			}
			if n, err := (&recordDirFlags{maxSize: text}).bytes(); err == nil && n < segments.MinBytes {
				t.Errorf("the size is %d", n)
			}
		})
	})
}

// FuzzYAML reads JSON and prints it as YAML that means the same.
//
//orrery:reads cmd/app
func FuzzYAML(f *testing.F) {
	for _, text := range []string{`{"a":"\u001b[2J","b":[1,1.5e300,true,null,"no","~","0x1","\ud83d\ude80"],"\u202e":{}}`, `"\ud800"`, `[[[]]]`, `{"a":"b\nc: d","<<":1}`, `"\u0085\u2028"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		compact, err := json.Marshal(want) // as a command has it
		if err != nil {
			t.Fatal(err)
		}
		fuzz.Cost(t, len(text), func() {
			page, err := yamlOf(compact)
			if err != nil {
				t.Fatalf("%s: %v", compact, err)
			}
			fuzz.Output(t, string(page))
			var got any
			if err := yaml.Unmarshal(page, &got); err != nil {
				t.Fatalf("%s became %q: %v", compact, page, err)
			}
			if back, err := json.Marshal(got); err == nil && !sameJSON(back, compact) {
				t.Errorf("%s became %q, which is %s", compact, page, back)
			}
		})
	})
}

// sameJSON compares JSON by its meaning; numbers as float64.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// FuzzAnswers reads objects, imports them, and asks the recording everything that commands answer.
//
//orrery:reads cmd/app core/trace core/answers/diagnose core/answers/change
func FuzzAnswers(f *testing.F) {
	const node = "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {\"\\e[2J\": x}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}\n---\n"
	f.Add([]byte(node + "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, spec: {containers: [{name: c, resources: {requests: {cpu: 8}}}]}}"))
	f.Add([]byte(node + "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, spec: {nodeName: a, tolerations: [{key: \"\\u202e\", operator: Exists}], nodeSelector: {\"\\e\": \"\\u009b\"}}}"))
	for _, owner := range []string{"ReplicaSet", "StatefulSet", "Job", "Rollout"} { // no API server takes an owner without a UID
		f.Add([]byte(node + "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n, ownerReferences: [{apiVersion: apps/v1, kind: " + owner +
			", name: x, controller: true}]}, spec: {nodeName: a}, status: {phase: Running}}"))
	}
	f.Add([]byte(`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"n"},"spec":{"volumeName":"\u001b"}}]}`))
	f.Add([]byte("kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{resources: {requests: {cpu: 1e-100000}}}]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		objects, to := filepath.Join(dir, "objects.yaml"), filepath.Join(dir, "t.orrery")
		if err := os.WriteFile(objects, text, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TERM", "dumb")
		fuzz.Cost(t, len(text), func() {
			if code := askQuietly(t, "trace", "import", objects, "--out", to); code != exitFine {
				if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
					t.Errorf("exit code %d, and the directory holds %v, %v", code, left, err)
				}
				return
			}
			for _, args := range [][]string{
				{"trace", "info", to},
				{"trace", "verify", to, "-o", "json"},
				{"replay", to},
				{"explain", "n/p", "--trace", to},
				{"explain", "n/p", "--trace", to, "-o", "yaml"},
				{"explain", "p", "--node", "a", "--trace", to, "-o", "json"},
				{"whatif", "drain a", "--trace", to},
				{"whatif", "add 2 nodes like a", "--trace", to, "-o", "json"},
				{"compare", "--config", "default", to},
			} {
				askQuietly(t, args...)
			}
		})
	})
}

// askQuietly runs a command and checks what it prints.
func askQuietly(t *testing.T, args ...string) int {
	t.Helper()
	var out, said bytes.Buffer
	code := execute("orrery", args, &out, &said, nil)
	if code < exitFine || code > exitUsage {
		t.Errorf("orrery %q ends with %d", args, code)
	}
	fuzz.Output(t, out.String())
	fuzz.Output(t, said.String())
	if args[len(args)-1] == "json" && out.Len() > 0 && !json.Valid(out.Bytes()) {
		t.Errorf("orrery %q printed what is not JSON:\n%s", args, out.String())
	}
	return code
}
