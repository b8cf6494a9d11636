package benchattach

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/transport"
	certutil "k8s.io/client-go/util/cert"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// setting returns a number from the environment.
func setting(b testing.TB, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("%s=%q is no number", name, text)
	}
	return n
}

var orrery = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "orrery-benchattach")
	if err != nil {
		return "", err
	}
	return program.Build(program.Orrery, dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := orrery(); err == nil && code == 0 {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// scheduler is "orrery run" on a stand-in, which leads.
type scheduler struct {
	*program.Process
	b         testing.TB
	api       *standIn
	load      *load
	rate      int
	url       string
	authority string // file of the certificate authority of its address
}

// schedule starts one, and waits until it has listed everything.
func schedule(b testing.TB, args ...string) *scheduler {
	b.Helper()
	nodes := make([]*v1.Node, setting(b, "ORRERY_NODES", 5000))
	for i := range nodes {
		nodes[i] = newNode(i)
	}
	s := &scheduler{b: b, api: newStandIn(b, nodes), rate: setting(b, "ORRERY_RATE", 1000)}
	s.load = newLoad(s.api, setting(b, "ORRERY_PODS", 100_000))
	name, err := orrery()
	if err != nil {
		b.Fatal(err)
	}
	port, err := apiserver.FreePort()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	kubeconfig := s.api.kubeconfig(admin)
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {kubeconfig: %q, qps: 5000, burst: 5000}\nleaderElection: {leaderElect: false}\n", kubeconfig)
	certificate, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	s.url, s.authority = fmt.Sprintf("https://127.0.0.1:%d", port), filepath.Join(dir, "tls.crt")
	for file, content := range map[string][]byte{config: []byte(text), s.authority: certificate, filepath.Join(dir, "tls.key"): key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s.Process, err = program.Start(dir, name, append([]string{
		"run", "--config=" + config, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--tls-cert-file=" + s.authority,
		"--tls-private-key-file=" + filepath.Join(dir, "tls.key"), "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}, args...)...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.Stop()
		if b.Failed() {
			b.Logf("the scheduler's log ends with:\n%s", s.Log(4000))
		}
	})
	s.until("the scheduler is ready", func() bool {
		code, _ := s.get("/readyz", "")
		return code == http.StatusOK
	})
	return s
}

// until waits until something holds.
func (s *scheduler) until(what string, holds func() bool) {
	s.b.Helper()
	for late := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		select {
		case <-s.Ended():
			s.b.Fatalf("the scheduler ended before %s", what)
		default:
		}
		if time.Now().After(late) {
			s.b.Fatalf("it takes too long until %s", what)
		}
	}
}

// work creates pods until the benchmark ends, and waits until they are bound as fast as they come.
func (s *scheduler) work() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.load.run(ctx, s.rate)
	}()
	s.b.Cleanup(func() {
		stop()
		<-ended
	})
	s.until("pods are bound", func() bool { return s.load.bound.Load() > int64(5*s.rate) })
}

// client sends a token, which may be empty, with every request.
func (s *scheduler) client(token string) *http.Client {
	direct := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	s.b.Cleanup(direct.CloseIdleConnections)
	return &http.Client{Transport: withToken(token, direct)}
}

// withToken sends a token with every request, unless it is empty.
func withToken(token string, next http.RoundTripper) http.RoundTripper {
	if token == "" {
		return next
	}
	return transport.NewBearerAuthRoundTripper(token, next)
}

func (s *scheduler) get(path, token string) (int, string) {
	response, err := s.client(token).Get(s.url + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// metric returns the value of a metric without labels; -1 if there is none.
func (s *scheduler) metric(name string) float64 {
	_, text := s.get("/metrics", admin)
	for line := range strings.Lines(text) {
		if value, is := strings.CutPrefix(line, name+" "); is {
			if n, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// ticksPerSecond is the unit of /proc's processor times on Linux.
const ticksPerSecond = 100

// processorTime is that of a process, or of a pod that it bound.
type processorTime struct{ user, system time.Duration }

func (t processorTime) all() time.Duration { return t.user + t.system }

// used returns the processor time of the scheduler up to now.
func (s *scheduler) used() (t processorTime) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Process.Pid))
	if err != nil {
		s.b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	for i, part := range []*time.Duration{&t.user, &t.system} {
		ticks, err := strconv.Atoi(fields[11+i])
		if err != nil {
			s.b.Fatal(err)
		}
		*part = time.Duration(ticks) * time.Second / ticksPerSecond
	}
	return t
}

// window measures for some time what a bound pod takes of the scheduler's processor time, and how many are bound a second.
func (s *scheduler) window(length time.Duration) (perPod processorTime, perSecond float64) {
	used, bound, began := s.used(), s.load.bound.Load(), time.Now()
	time.Sleep(length)
	now, n := s.used(), s.load.bound.Load()-bound
	each := time.Duration(max(n, 1))
	return processorTime{(now.user - used.user) / each, (now.system - used.system) / each}, float64(n) / time.Since(began).Seconds()
}
