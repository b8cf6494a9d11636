// Package program runs programs against a real API server: Orrery's and upstream's schedulers, built and started as processes,
// and the commands of this module.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The packages that Build builds.
const (
	Orrery        = "orrery/cmd/orrery"
	KubeScheduler = "k8s.io/kubernetes/cmd/kube-scheduler"
)

// Build builds a program into a directory and returns its file. Orrery is built in its own module, with the dependencies it is
// released with; stripped, as a release is.
func Build(pkg, dir string) (string, error) {
	module := "orrery/core/parity"
	if pkg == Orrery {
		module = "orrery"
	}
	root, err := moduleFolder(module)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, filepath.Base(pkg))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", name, pkg)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return name, nil
}

// Process is a running program.
type Process struct {
	*exec.Cmd
	ended chan struct{}
	log   *os.File
}

// Start runs a program. Its log goes to a file in a directory.
func Start(dir, name string, args ...string) (*Process, error) {
	log, err := os.Create(filepath.Join(dir, filepath.Base(name)+".log"))
	if err != nil {
		return nil, fmt.Errorf("creating a log: %w", err)
	}
	p := &Process{Cmd: exec.Command(name, args...), ended: make(chan struct{}), log: log}
	p.Stdout, p.Stderr = log, log
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the caller, not the terminal, interrupts it
	if err := p.Cmd.Start(); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = p.Wait()
		_ = log.Close()
		close(p.ended)
	}()
	return p, nil
}

// Ended is closed when the process has exited.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// stopTimeout limits how long a program may take to exit.
const stopTimeout = 15 * time.Second

// Stop terminates the program, and kills it if it does not exit.
func (p *Process) Stop() {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		p.Kill()
	}
}

// Kill ends the program at once.
func (p *Process) Kill() {
	_ = p.Process.Kill()
	<-p.ended
}

// CPU returns the processor time of an exited process.
func (p *Process) CPU() time.Duration { return p.ProcessState.UserTime() + p.ProcessState.SystemTime() }

// PeakMemory returns the peak memory of an exited process in bytes.
func (p *Process) PeakMemory() int64 {
	usage, ok := p.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// Log returns the end of the program's log.
func (p *Process) Log(bytes int) string {
	data, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-bytes):])
}
