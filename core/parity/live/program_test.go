package live_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

// Programs are built once, when first used.
var orrery = schedulerProgram{file: built(program.Orrery), schedule: asServed}

// schedulerProgram is an executable that schedules.
type schedulerProgram struct {
	file func() (string, error)
	// schedule, if the arguments that make it schedule are not all, adds the others.
	schedule func(args ...string) []string
}

func built(pkg string) func() (string, error) {
	return sync.OnceValues(func() (string, error) { return program.Build(pkg, scratch) })
}

// process is a running program.
type process struct {
	*exec.Cmd
	t      *testing.T
	port   int
	output *lockedBuffer
	end    chan struct{} // closed when it has exited
	client http.Client   // one, as so many connections as requests would be refused
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// exec runs orrery until it exits or the test ends.
func (s *fixture) exec(args ...string) *process {
	s.t.Helper()
	return s.execute(orrery, args...)
}

func (s *fixture) execute(what schedulerProgram, args ...string) *process {
	s.t.Helper()
	name, err := what.file()
	if err != nil {
		s.t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(name, args...), t: s.t, output: &lockedBuffer{}, end: make(chan struct{})}
	p.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	s.t.Cleanup(p.client.CloseIdleConnections)
	p.Stdout, p.Stderr = p.output, p.output
	p.Env = append(os.Environ(), "TMPDIR="+s.t.TempDir())
	if s.hostname != "" {
		p.named(s.hostname)
	}
	err = p.Start()
	if errors.Is(err, os.ErrPermission) && s.hostname != "" {
		s.t.Skipf("a process cannot have a hostname of its own here: %v", err)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = p.Wait()
		close(p.end)
	}()
	s.t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.end
		if s.t.Failed() {
			s.t.Logf("the output of %s:\n%s", name, p.output)
		}
	})
	return p
}

// keepRunning starts a program again whenever it exits, as a Deployment does: on a loaded machine a replica may lose its lease, and ends.
func (s *fixture) keepRunning(p *process) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-p.end:
		case <-ctx.Done():
		}
		for ctx.Err() == nil {
			again := exec.CommandContext(ctx, p.Path, p.Args[1:]...)
			again.Env, again.Stdout, again.Stderr = p.Env, p.output, p.output
			_ = again.Run()
		}
	}()
	s.t.Cleanup(func() {
		stop()
		<-ended
	})
}

// schedule runs "orrery run" for the fixture's pods, with the fixture's lease.
func (s *fixture) schedule(args ...string) *process {
	s.t.Helper()
	return s.scheduleAs(scheduler, orrery, args...)
}

// scheduleAs runs either scheduler for the fixture's pods, with the fixture's lease and the rights of a user.
func (s *fixture) scheduleAs(user string, what schedulerProgram, args ...string) *process {
	s.t.Helper()
	kubeconfig, err := server.Kubeconfig(user)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.scheduleBy(kubeconfig, what, args...)
}

// scheduleBy runs either scheduler with a kubeconfig file.
func (s *fixture) scheduleBy(kubeconfig string, what schedulerProgram, args ...string) *process {
	s.t.Helper()
	args = append([]string{
		"--config=" + s.configFile(kubeconfig), "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig, "-v=2",
	}, args...)
	if what.schedule != nil {
		args = what.schedule(args...)
	}
	return s.serve(what, args...)
}

// serve runs a program with a port of its own, and returns when it listens there or has exited. It tries another port once if
// another process has taken the first one meanwhile.
func (s *fixture) serve(what schedulerProgram, args ...string) *process {
	s.t.Helper()
	if _, err := what.file(); err != nil { // built before the port is chosen
		s.t.Fatal(err)
	}
	for first := true; ; first = false {
		port, err := apiserver.FreePort()
		if err != nil {
			s.t.Fatal(err)
		}
		p := s.execute(what, slices.Concat(args, []string{"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port)})...)
		p.port = port
		s.eventually(p.listens)
		if !first || p.logged("address already in use") != nil {
			return p
		}
	}
}

// configFile writes a configuration with the fixture's name as scheduler name and lease name, which scores every node.
func (s *fixture) configFile(kubeconfig string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "config.yaml")
	text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\n"+
		"clientConnection: {kubeconfig: %q, qps: 1000, burst: 1000}\n"+
		"leaderElection: {leaseDuration: %s, renewDeadline: %s, retryPeriod: 500ms, resourceName: %s}\nprofiles: [{schedulerName: %s}]\n",
		kubeconfig, s.leaseDuration, s.renewDeadline(), s.name, s.name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// get reads one of the process's endpoints, with a token or, if it is empty, anonymously.
func (p *process) get(path, token string) (int, string) {
	return p.request(http.MethodGet, path, token)
}

func (p *process) request(verb, path, token string) (int, string) {
	r, err := http.NewRequest(verb, fmt.Sprintf("https://127.0.0.1:%d%s", p.port, path), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	_, _ = body.ReadFrom(answer.Body)
	return answer.StatusCode, body.String()
}

// exit waits for the process to exit and returns the exit code.
func (p *process) exit() int {
	p.t.Helper()
	select {
	case <-p.end:
		return p.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("the process does not exit; its output is\n%s", p.output)
		return 0
	}
}

func (p *process) logged(pattern string) error {
	if !regexp.MustCompile(pattern).MatchString(p.output.String()) {
		return fmt.Errorf("the output does not match %q", pattern)
	}
	return nil
}

// listens returns nil once the process listens at its port, or has exited.
func (p *process) listens() error {
	select {
	case <-p.end:
		return nil
	default:
	}
	if code, text := p.get("/healthz", ""); code == 0 {
		return errors.New(text)
	}
	return nil
}

func (p *process) ready() error {
	if code, body := p.get("/readyz", ""); code != http.StatusOK {
		return fmt.Errorf("/readyz: %d %s", code, body)
	}
	return nil
}
