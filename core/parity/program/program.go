// Package program builds the programs that run beside a real API server, Orrery's and upstream's, and runs them in
// processes of their own.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// What can be built: package paths.
const (
	Orrery        = "orrery/cmd/orrery"
	KubeScheduler = "orrery/core/parity/kubescheduler"
)

// Build builds a program into a directory and returns its name. Each is built in its own module, so that it is made of
// what it is released with.
func Build(pkg, dir string) (string, error) {
	module := "orrery"
	if strings.HasPrefix(pkg, "orrery/core/parity/") {
		module = "orrery/core/parity"
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("looking for module %s: %w; run this in core/parity", module, err)
	}
	name := filepath.Join(dir, filepath.Base(pkg))
	build := exec.Command("go", "build", "-o", name, pkg)
	build.Dir = strings.TrimSpace(string(root))
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return name, nil
}

// Process is a program at work.
type Process struct {
	*exec.Cmd
	ended chan struct{}
	log   *os.File
}

// Start runs a program, whose log goes to a file beside others in a directory.
func Start(dir, name string, args ...string) (*Process, error) {
	log, err := os.Create(filepath.Join(dir, filepath.Base(name)+".log"))
	if err != nil {
		return nil, fmt.Errorf("creating a log: %w", err)
	}
	p := &Process{Cmd: exec.Command(name, args...), ended: make(chan struct{}), log: log}
	p.Stdout, p.Stderr = log, log
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is for whoever started it, to pass on in good order
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

// Ended is closed when the process has.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// stopMost is for how long a program may take to end.
const stopMost = 15 * time.Second

// Stop asks the program to end, and makes it end if it does not.
func (p *Process) Stop() {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopMost):
		_ = p.Process.Kill()
		<-p.ended
	}
}

// CPU is the processor time that the process took, once it has ended.
func (p *Process) CPU() time.Duration { return p.ProcessState.UserTime() + p.ProcessState.SystemTime() }

// PeakMemory is the most memory the process had at once, in bytes, once it has ended.
func (p *Process) PeakMemory() int64 {
	usage, ok := p.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// Log is what the program has said, its last bytes.
func (p *Process) Log(bytes int) string {
	data, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-bytes):])
}
