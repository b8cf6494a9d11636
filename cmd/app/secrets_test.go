//go:build unix

package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk/canaries"
	"orrery/core/testing/race"
	"orrery/core/trace/stream"
	"orrery/core/world"
	"orrery/tui/ptytest"
	"orrery/views"
)

// writable is a stub that takes writes, and forgets them.
type writable struct{ *apiStub }

func (s writable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.apiStub.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
}

// canaryCluster has an object of every kind in which every text is a canary, but for enumerations that a scheduler would refuse, and a pod
// of them that is pending.
func canaryCluster(t *testing.T) *apiStub {
	t.Helper()
	stub := stubCluster(t)
	stub.news = nil
	for _, kind := range world.Kinds() {
		object, err := canaries.Object(kind)
		if err != nil {
			t.Fatal(err)
		}
		object.SetName("canary")
		object.SetNamespace("")
		if kind.Namespaced() {
			object.SetNamespace("default")
		}
		object.SetDeletionTimestamp(nil)
		switch o := object.(type) {
		case *v1.Pod:
			o.Spec.SchedulingGates, o.Spec.Affinity, o.Spec.NodeSelector, o.Spec.Tolerations, o.Spec.TopologySpreadConstraints = nil, nil, nil, nil, nil
			o.Spec.NodeName, o.Status.Phase = "canary", v1.PodRunning
			pending := o.DeepCopy()
			pending.Name, pending.UID, pending.Spec.NodeName, pending.Spec.SchedulerName, pending.Status.Phase = "songbird", "songbird", "", "default-scheduler", v1.PodPending
			stub.objects = append(stub.objects, pending)
		case *v1.Node:
			o.Spec.Taints = nil
		case *storagev1.StorageClass:
			o.VolumeBindingMode = nil
		case *v1.PersistentVolumeClaim:
			o.Spec.Selector = nil
		case *v1.PersistentVolume:
			o.Spec.NodeAffinity = nil
		case *storagev1.CSIStorageCapacity:
			o.NodeTopology = nil
		}
		stub.objects = append(stub.objects, object)
	}
	return stub
}

// checkSecrets checks that a text has canaries, and none of a field that is not for others.
func checkSecrets(t *testing.T, what, text string) {
	t.Helper()
	for _, path := range canaries.Paths(strings.NewReplacer(`\u27e6`, "⟦", `\u27e7`, "⟧").Replace(text)) {
		if secret := canaries.Secret(path); secret != "" {
			t.Errorf("%s reveals %s, and %s is not for others", what, path, secret)
		}
	}
	if at := strings.Index(text, canary); at >= 0 {
		t.Errorf("%s reveals a secret: …%s…", what, text[max(0, at-100):min(len(text), at+100)])
	}
}

// Nothing that a command prints reveals a secret of the cluster, nor does a recording.
func TestOutputs_OfCommandsKeepSecrets(t *testing.T) {
	race.Alone(t)
	dir := t.TempDir()
	at := []string{"--kubeconfig", canaryCluster(t).start(dir)}
	out := filepath.Join(dir, "out.orrery")
	ran(t, append([]string{"record", "--for", "1s", "--out", out}, at...)...)
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, records, err := recordingText(file, 0)
	if err != nil || records < len(world.Kinds()) || len(canaries.Paths(text)) == 0 {
		t.Fatalf("there are %d records, %v", records, err)
	}
	checkSecrets(t, "a recording", text)
	for _, line := range []string{
		"explain", "explain songbird", "explain canary", "explain songbird --node node-1", "whatif drain node-1", "whatif add 3 nodes like node-1", "whatif delete pod default/runs",
	} {
		for _, format := range []string{"text", "json", "yaml"} {
			for _, from := range [][]string{at, {"--trace", out}} {
				args := append(append(strings.Fields(line), "-o", format), from...)
				checkSecrets(t, fmt.Sprint(args), ran(t, args...))
			}
		}
	}
	for _, line := range []string{"trace info", "trace verify", "replay"} {
		checkSecrets(t, line, ran(t, append(strings.Fields(line), out, "-o", "json")...))
	}
}

func TestOutputs_OfConsoleKeepSecrets(t *testing.T) {
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{"orrery", "console", "--kubeconfig", canaryCluster(t).start(t.TempDir())}, Width: 200, Height: 60, Dir: t.TempDir(),
	})
	s.AwaitText("songbird")
	for _, pane := range views.Panes() {
		if '0' <= pane.Digit && pane.Digit <= '9' {
			s.Type(string(rune(pane.Digit)))
			s.AwaitText(string(rune(pane.Digit)) + " " + pane.Title)
		}
	}
	s.Type("q")
	s.Exit()
	checkSecrets(t, "the screen", string(s.Output()))
}

// lockedText is what a process has written so far.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var flightFile = regexp.MustCompile(`Saved the flight recorder.*?file"?[=:]"([^"]+)"`)

// Neither the log at the highest level, the stream, the recordings, the endpoints nor the stacks of a running scheduler reveal a secret, also
// where it holds whole pods for an extender.
func TestOutputs_OfSchedulerKeepSecrets(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(writable{canaryCluster(t)})
			t.Cleanup(func() {
				server.CloseClientConnections()
				server.Close()
			})
			dir := t.TempDir()
			config := filepath.Join(dir, "config.yaml")
			text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n" +
				"extenders: [{urlPrefix: 'http://" + canary + ":" + canary + "@127.0.0.1:1', filterVerb: filter, ignorable: true, httpTimeout: 1s}]\n"
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{
				"run", "--config", config, "--master", server.URL, "-v=10", "--logging-format=" + format,
				"--authorization-always-allow-paths=/readyz,/metrics,/metrics/*,/configz," + stream.Path, "--record-dir", filepath.Join(dir, "recording"),
			}
			if format == "text" {
				args = append(args, "--vmodule=request=10,round_trippers=10")
			}
			p, log, port := startServing(t, append(os.Environ(), "TMPDIR="+dir), args...)
			read := func(path string) string {
				client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
				response, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d%s", port, path))
				if err != nil {
					return ""
				}
				defer response.Body.Close()
				body, _ := io.ReadAll(response.Body)
				if response.StatusCode != http.StatusOK {
					return ""
				}
				return string(body)
			}
			eventually(t, log, func() bool { return read("/readyz") == "ok" && strings.Contains(log.String(), "Recording") })
			for _, path := range []string{"/metrics", "/metrics/resources", "/configz"} {
				checkSecrets(t, path, read(path))
			}
			checkSecrets(t, "the stream", streamText(t, port))
			_ = p.Process.Signal(syscall.SIGUSR2)
			eventually(t, log, func() bool { return strings.Contains(log.String(), "Compared the cache") })
			files, err := filepath.Glob(filepath.Join(dir, "recording", "*.orrery"))
			if err != nil || len(files) == 0 {
				t.Fatalf("recorded: %v, %v", files, err)
			}
			if saved := flightFile.FindStringSubmatch(log.String()); saved != nil {
				files = append(files, saved[1])
			} else {
				t.Error("the flight recorder was not saved")
			}
			for _, name := range files {
				var text string
				eventually(t, log, func() bool { // a recording that was begun before the first list gets records with its next tick
					file, err := os.Open(name)
					if err != nil {
						t.Fatal(err)
					}
					defer file.Close()
					var records int
					if text, records, err = recordingText(file, 0); err != nil {
						t.Fatalf("reading %s: %v", name, err)
					}
					return records > 0
				})
				checkSecrets(t, name, text)
			}
			_ = p.Process.Signal(syscall.SIGQUIT)
			_ = p.Wait()
			if text := log.String(); !strings.Contains(text, "SIGQUIT: quit") {
				t.Errorf("there are no stacks in the log: %s", text)
			}
			checkSecrets(t, "the log", log.String())
		})
	}
}

// startServing runs orrery until the test ends, on a free port, which it returns once orrery has opened it.
func startServing(t *testing.T, env []string, args ...string) (*exec.Cmd, *lockedText, int) {
	t.Helper()
	for {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := free.Addr().(*net.TCPAddr).Port
		free.Close()
		log := &lockedText{}
		p := exec.Command("orrery", append(slices.Clone(args), "--bind-address=127.0.0.1", fmt.Sprint("--secure-port=", port))...)
		p.Stdout, p.Stderr, p.Env = log, log, env
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = p.Process.Kill()
			_ = p.Wait()
		})
		taken := false // by another process, since it was free
		eventually(t, log, func() bool {
			taken = strings.Contains(log.String(), "address already in use")
			return taken || strings.Contains(log.String(), "Serving HTTPS")
		})
		if !taken {
			return p, log, port
		}
	}
}

// streamText attaches to a scheduler until its state has come.
func streamText(t *testing.T, port int) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := stream.Open(ctx, client, fmt.Sprintf("https://127.0.0.1:%d", port), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text, records, err := recordingText(s, 1) // the state, which has everything
	if err != nil || records == 0 {
		t.Errorf("the stream has %d records, %v", records, err)
	}
	return text
}

// eventually waits for a condition.
func eventually(t *testing.T, log fmt.Stringer, is func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 2400 { // two minutes
		if is() {
			return
		}
		<-tick.C
	}
	t.Fatalf("it did not come to pass; the log is\n%s", log)
}
