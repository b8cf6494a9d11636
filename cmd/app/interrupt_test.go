//go:build unix

package app_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"orrery/core/trace"
)

const traceBefore = "the trace of before"

// begunIn starts orrery in a directory with one file, out.
func begunIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "out"), []byte(traceBefore), 0o600); err != nil {
		t.Fatal(err)
	}
	p := exec.Command("orrery", args...)
	p.Dir, p.Env = dir, append(os.Environ(), "KUBECONFIG=")
	p.Stderr = os.Stderr
	return p
}

// unchanged fails unless the directory is as begunIn has made it.
func unchanged(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out")); string(data) != traceBefore {
		t.Errorf("the file has %q, %v", data, err)
	}
}

func TestTraceImport_EndsBySignalAndLeavesNothing(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("it is ignored here, as under nohup, and so by the program")
			}
			t.Parallel()
			dir := t.TempDir()
			p := begunIn(t, dir, "trace", "import", "-", "--out", "out", "--force")
			in, err := p.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			const moreThanPipeHolds = 1 << 20 // so that it has begun to read
			fmt.Fprintln(in, strings.Repeat("# nothing\n", moreThanPipeHolds/10))
			if err := p.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = p.Wait()
			if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != s {
				t.Errorf("it ended with %v", p.ProcessState)
			}
			unchanged(t, dir)
		})
	}
}

// TestRecord_InterruptedBeforeFirstListKeepsFile interrupts a recording of a cluster that does not answer.
func TestRecord_InterruptedBeforeFirstListKeepsFile(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("it is ignored here, as under nohup, and so by the program")
			}
			t.Parallel()
			stub := stubCluster(t)
			stub.silent = make(chan struct{}, 100)
			dir := t.TempDir()
			p := begunIn(t, dir, "record", "--out", "out", "--force", "--kubeconfig", stub.start(t.TempDir()))
			var said strings.Builder
			p.Stderr = &said
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			<-stub.silent
			if err := p.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(); err == nil {
				t.Error("it made a recording")
			}
			if s == syscall.SIGTERM && !strings.Contains(said.String(), "told to stop before there was anything to record") {
				t.Errorf("it says %s", said.String())
			}
			unchanged(t, dir)
		})
	}
}

// TestRecord_KilledAfterFirstListLeavesTrace waits for a recording to take the place of the file of before.
func TestRecord_KilledAfterFirstListLeavesTrace(t *testing.T) {
	dir := t.TempDir()
	p := begunIn(t, dir, "record", "--out", "out", "--force", "--kubeconfig", stubCluster(t).start(t.TempDir()))
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	data := []byte(traceBefore)
	for string(data) == traceBefore {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		var err error
		if data, err = os.ReadFile(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
	}
	_ = p.Process.Kill()
	<-ended
	info, err := trace.ReadInfo(bytes.NewReader(data))
	if err != nil || info.Objects == 0 {
		t.Errorf("there are %d objects in the trace, %v", info.Objects, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
