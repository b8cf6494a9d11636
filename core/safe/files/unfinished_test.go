//go:build unix

package files

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// The subject is this test binary, run again with a file: it begins to write it and waits for the end.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "subject" {
		subject(os.Args[2])
	}
	os.Exit(m.Run())
}

func subject(path string) {
	defer RemoveOnSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)()
	f, err := Create(path, true)
	if err == nil {
		_, err = f.Write([]byte("half of it"))
	}
	fmt.Println("begun", err)
	select {}
}

func TestRemoveOnSignal_LeavesNothingAndEndsBySignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("it is ignored here, as under nohup, and so by the program")
			}
			t.Parallel()
			dir := t.TempDir()
			existing(t, filepath.Join(dir, "old"), 0o600)
			p := exec.Command(os.Args[0], "subject", filepath.Join(dir, "old"))
			out, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "begun <nil>\n" {
				t.Fatalf("the subject says %q, %v", line, err)
			}
			if n := len(names(t, dir)); n != 2 {
				t.Errorf("the directory holds %d files while one is written", n)
			}
			if err := p.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = p.Wait()
			status := p.ProcessState.Sys().(syscall.WaitStatus)
			if s == syscall.SIGQUIT { // Go prints stacks and exits
				if status.ExitStatus() != 2 {
					t.Errorf("it ended with %v", p.ProcessState)
				}
			} else if !status.Signaled() || status.Signal() != s {
				t.Errorf("it ended with %v", p.ProcessState)
			}
			holds(t, dir, "old")
			if got := content(t, filepath.Join(dir, "old")); got != "before" {
				t.Errorf("the file has %q", got)
			}
		})
	}
}

func TestRemoveUnfinished_NothingIsCommittedAfterwards(t *testing.T) {
	dir := t.TempDir()
	f := create(t, filepath.Join(dir, "new"), false)
	RemoveUnfinished()
	if err := f.WriteAll([]byte("x")); err == nil {
		t.Error("it was committed")
	}
	holds(t, dir)
}
