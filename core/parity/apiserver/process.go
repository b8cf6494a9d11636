package apiserver

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Serve runs a server until from ends. It prints the file name of each user's kubeconfig, one per line: the administrator's, and
// those of o.Users.
func Serve(o Options, from io.Reader, to io.Writer) error {
	s, err := New(o)
	if err != nil {
		return err
	}
	for _, user := range slices.Concat([]string{Admin}, o.Users) {
		file, err := s.Kubeconfig(user)
		if err != nil {
			return err
		}
		fmt.Fprintln(to, file)
	}
	_, _ = io.Copy(io.Discard, from)
	return s.Close()
}

// Process is another process of this program, which calls Serve.
type Process struct {
	*exec.Cmd
	input       io.Closer
	kubeconfigs map[string]string
}

// StartProcess runs this program with arguments that make it call Serve with these users, and waits until the server is ready.
// Its log is server.log in a directory.
func StartProcess(dir string, users []string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's file: %w", err)
	}
	p := &Process{Cmd: exec.Command(self, args...), kubeconfigs: map[string]string{}}
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt must not end it before its clients; the end of its input does
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	defer log.Close()
	p.Stderr = log
	if p.input, err = p.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	output, err := p.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	if err := p.Start(); err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	lines := bufio.NewScanner(output)
	for _, user := range slices.Concat([]string{Admin}, users) {
		if !lines.Scan() {
			p.Stop()
			said, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("starting the API server: it exited and printed:\n%s", said)
		}
		p.kubeconfigs[user] = lines.Text()
	}
	return p, nil
}

// Stop ends the server and waits for it.
func (p *Process) Stop() {
	_ = p.input.Close()
	_ = p.Wait()
}

// Kubeconfig returns the file name of a user's kubeconfig.
func (p *Process) Kubeconfig(user string) string { return p.kubeconfigs[user] }

// Config returns a user's client configuration, without client-side rate limits.
func (p *Process) Config(user string) (*rest.Config, error) {
	c, err := clientcmd.BuildConfigFromFlags("", p.kubeconfigs[user])
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", p.kubeconfigs[user], err)
	}
	c.QPS, c.ContentType = -1, "application/vnd.kubernetes.protobuf"
	return c, nil
}

// Client returns the administrator's client.
func (p *Process) Client() (kubernetes.Interface, error) {
	c, err := p.Config(Admin)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(c)
}
