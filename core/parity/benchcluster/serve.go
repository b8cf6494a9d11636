package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/parity/apiserver"
)

// scheduler is the user of both schedulers, with the rights that a cluster grants its scheduler.
const scheduler = "system:kube-scheduler"

// serve is the API server's process. It prints the file names of the kubeconfigs of the administrator and of the scheduler,
// one per line, and exits when its input ends.
func serve(dir string, from io.Reader, to io.Writer) error {
	s, err := apiserver.New(apiserver.Options{Dir: dir, Users: []string{scheduler}})
	if err != nil {
		return err
	}
	for _, user := range []string{apiserver.Admin, scheduler} {
		file, err := s.Kubeconfig(user)
		if err != nil {
			return err
		}
		fmt.Fprintln(to, file)
	}
	_, _ = io.Copy(io.Discard, from)
	return s.Close()
}

// server is the API server's process, as its parent sees it.
type server struct {
	*exec.Cmd
	input            io.Closer
	admin, scheduler string // kubeconfig files
}

func startServer(dir string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's file: %w", err)
	}
	s := &server{Cmd: exec.Command(self, "-serve", dir)}
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt must not end it before the scheduler; the end of its input does
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	defer log.Close()
	s.Stderr = log
	if s.input, err = s.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	output, err := s.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	if err := s.Start(); err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	lines := bufio.NewScanner(output)
	for _, file := range []*string{&s.admin, &s.scheduler} {
		if !lines.Scan() {
			s.stop()
			said, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("starting the API server: it exited and printed:\n%s", said)
		}
		*file = lines.Text()
	}
	return s, nil
}

func (s *server) stop() {
	_ = s.input.Close()
	_ = s.Wait()
}

// client returns the administrator's client, without client-side rate limits.
func (s *server) client() (kubernetes.Interface, error) {
	c, err := clientcmd.BuildConfigFromFlags("", s.admin)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.admin, err)
	}
	c.QPS, c.ContentType = -1, "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(c)
}
