package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

// watchedProgram is a program that is measured.
type watchedProgram struct {
	name  string
	pid   int
	debug string // the address of its debug pages
	token string // for the debug pages
	ended <-chan struct{}

	replica  *program.Process // nil for the console
	console  *exec.Cmd        // nil for a replica
	terminal *os.File
	shown    tail
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = slices.Clone(t.text[max(0, len(t.text)-tailBytes):])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// startPrograms builds and starts the replicas and the console.
func (s *soak) startPrograms(ctx context.Context, client kubernetes.Interface) error {
	if err := grant(ctx, client); err != nil {
		return err
	}
	orrery, err := program.Build(program.Orrery, s.dir)
	if err != nil {
		return err
	}
	watched, err := program.Build("orrery/core/parity/soaklive/watched", s.dir)
	if err != nil {
		return err
	}
	for _, user := range users[:2] {
		p, err := s.startReplica(orrery, user)
		if err != nil {
			return err
		}
		s.programs = append(s.programs, p)
	}
	p, err := s.startConsole(ctx, watched, users[2])
	if err != nil {
		return err
	}
	s.programs = append(s.programs, p)
	return s.awaitWatches(ctx)
}

// awaitWatches waits until every program watches all that it will, so that none starts among faults.
func (s *soak) awaitWatches(ctx context.Context) error {
	for _, p := range s.programs {
		for watches := 0; watches == 0 || s.proxy.Watches(p.name) != watches; {
			watches = s.proxy.Watches(p.name)
			select {
			case <-ctx.Done():
				return errors.New("interrupted")
			case <-p.ended:
				return fmt.Errorf("%s ended: %s", p.name, p.log())
			case <-time.After(3 * time.Second):
			}
		}
	}
	return nil
}

// grant gives the replicas the rights of kube-scheduler, and the console those to read the same.
func grant(ctx context.Context, client kubernetes.Interface) error {
	var subjects []rbacv1.Subject
	for _, user := range users {
		subjects = append(subjects, rbacv1.Subject{Kind: rbacv1.UserKind, Name: user, APIGroup: rbacv1.GroupName})
	}
	roles := []rbacv1.PolicyRule{
		{Verbs: []string{"get", "create", "update"}, APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}},
		{Verbs: []string{"list", "watch"}, APIGroups: []string{"apps", "policy", "coordination.k8s.io", ""}, Resources: []string{"*"}},
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "soak"}, Rules: roles}, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating a role: %w", err)
	}
	for _, role := range []string{"system:kube-scheduler", "system:volume-scheduler", "system:auth-delegator", "soak"} {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "soak-" + role}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		}, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("granting the role %s: %w", role, err)
		}
	}
	return nil
}

// directory makes the directory of a program, with a kubeconfig that leads through the proxy.
func (s *soak) directory(user string) (dir, kubeconfig string, err error) {
	dir = filepath.Join(s.dir, user)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("creating a directory for %s: %w", user, err)
	}
	kubeconfig = filepath.Join(dir, "kubeconfig")
	return dir, kubeconfig, apiserver.WriteKubeconfig(kubeconfig, user, s.proxy.Config(user))
}

// recordBytes is how much a replica's recording may take. It is full long before the end.
const recordBytes = "64Mi"

func (s *soak) startReplica(file, user string) (*watchedProgram, error) {
	dir, kubeconfig, err := s.directory(user)
	if err != nil {
		return nil, err
	}
	port, err := apiserver.FreePort()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {kubeconfig: %q, qps: 5000, burst: 5000}\n"+
		"leaderElection: {leaseDuration: 60s, renewDeadline: 45s}\n", kubeconfig) // of a replica that loses the lease and ends nothing could be measured
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	direct := s.server.Kubeconfig(user) // the debug pages' authorization has no faults
	p, err := program.Start(dir, file, "run", "--config="+config, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir="+dir,
		"--authentication-kubeconfig="+direct, "--authorization-kubeconfig="+direct, "--record-dir="+filepath.Join(dir, "recording"), "--record-max-size="+recordBytes)
	if err != nil {
		return nil, err
	}
	return &watchedProgram{name: user, pid: p.Process.Pid, debug: fmt.Sprintf("https://127.0.0.1:%d", port), token: apiserver.Admin, ended: p.Ended(), replica: p}, nil
}

func (s *soak) startConsole(ctx context.Context, file, user string) (*watchedProgram, error) {
	_, kubeconfig, err := s.directory(user)
	if err != nil {
		return nil, err
	}
	port, err := apiserver.FreePort()
	if err != nil {
		return nil, err
	}
	debug, ended := fmt.Sprintf("127.0.0.1:%d", port), make(chan struct{})
	p := &watchedProgram{name: user, debug: "http://" + debug, ended: ended, console: exec.Command(file, "console", "--kubeconfig="+kubeconfig)}
	p.console.Env = append(os.Environ(), "TERM=xterm-256color", "ORRERY_DEBUG="+debug)
	if p.terminal, err = pty.StartWithSize(p.console, &pty.Winsize{Rows: 50, Cols: 160}); err != nil {
		return nil, fmt.Errorf("starting the console: %w", err)
	}
	p.pid = p.console.Process.Pid
	go func() {
		_, _ = io.Copy(&p.shown, p.terminal)
		_ = p.console.Wait()
		close(ended)
	}()
	go p.openPanes(ctx)
	return p, nil
}

// openPanes opens one pane after the other until the console ends.
func (p *watchedProgram) openPanes(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-p.ended:
			return
		case <-tick.C:
			_, _ = fmt.Fprintf(p.terminal, "%d", n%10)
		}
	}
}

// alive checks that no program has ended.
func (s *soak) alive() error {
	for _, p := range s.programs {
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %s", p.name, p.log())
		default:
		}
	}
	return nil
}

func (p *watchedProgram) log() string {
	if p.replica == nil {
		return fmt.Sprintf("%s; its terminal ends with\n%q", p.console.ProcessState, p.shown.String())
	}
	return "its log ends with\n" + p.replica.Log(2000)
}

func (p *watchedProgram) command() *exec.Cmd {
	if p.replica == nil {
		return p.console
	}
	return p.replica.Cmd
}

func (s *soak) killPrograms() {
	for _, p := range s.programs {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		<-p.ended
	}
}

var savedTo = regexp.MustCompile(`Saved the flight recorder" file="([^"]+)"`)

// finish compares caches, ends the programs, and replays what was recorded.
func (s *soak) finish(ctx context.Context) error {
	var files []string
	for _, p := range s.programs {
		if p.replica == nil {
			continue
		}
		_ = syscall.Kill(p.pid, syscall.SIGUSR2)
		if err := p.logs(ctx, `Compared the cache with the API server" differences=0`); err != nil {
			return err
		}
		saved := savedTo.FindStringSubmatch(p.replica.Log(1 << 20))
		if saved == nil {
			return fmt.Errorf("%s did not save its flight recorder: %s", p.name, p.log())
		}
		defer os.Remove(saved[1])
		files = append(files, saved[1], filepath.Join(s.dir, p.name, "recording"))
	}
	if err := s.endPrograms(); err != nil {
		return err
	}
	for i, file := range files {
		args := [][]string{{"replay", "--verify", file}, {"trace", "verify", file}}[i%2]
		if out, err := exec.CommandContext(ctx, filepath.Join(s.dir, "orrery"), args...).CombinedOutput(); err != nil {
			return fmt.Errorf("orrery %q: %w\n%s", args, err, out)
		}
	}
	fmt.Fprintln(s.to, "No pod was lost or bound twice; the caches are the API server's, and the recordings replay.")
	return nil
}

// logs waits until a replica has logged a text.
func (p *watchedProgram) logs(ctx context.Context, text string) error {
	pattern := regexp.MustCompile(text)
	for range 600 {
		if pattern.MatchString(p.replica.Log(1 << 20)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("interrupted")
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not log %q; %s", p.name, text, p.log())
}

// endPrograms ends the programs in the way of their users. Those that do not lead go first.
func (s *soak) endPrograms() error {
	var errs []error
	for _, p := range slices.Backward(s.programs) {
		if p.replica == nil {
			_, _ = p.terminal.WriteString("q")
		} else {
			_ = syscall.Kill(p.pid, syscall.SIGTERM)
		}
		select {
		case <-p.ended:
		case <-time.After(time.Minute):
			errs = append(errs, fmt.Errorf("%s does not end", p.name))
			continue
		}
		if state := p.command().ProcessState; !state.Success() {
			errs = append(errs, fmt.Errorf("%s: %s; %s", p.name, state, p.log()))
		}
	}
	return errors.Join(errs...)
}
