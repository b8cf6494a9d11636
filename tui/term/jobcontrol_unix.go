//go:build unix

package term

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// jobControl reports whether some process could continue this one after a stop: a parent of a process of our group that
// is in our session and in another group, as a shell with job control is. The kernel drops the stop signal of a group
// without such a parent, and a program that then waits for SIGCONT waits forever.
func jobControl() bool {
	if signal.Ignored(syscall.SIGTSTP) {
		return false
	}
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	group := unix.Getpgrp()
	const mostAncestors = 64
	for parent, n := os.Getppid(), 0; parent > 0 && n < mostAncestors; parent, n = parentOf(parent), n+1 {
		if s, err := unix.Getsid(parent); err != nil || s != session {
			return false
		}
		if g, err := unix.Getpgid(parent); err != nil || g != group {
			return err == nil
		}
	}
	return false
}

// parentOf returns a process's parent from /proc; 0 where there is no /proc.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in brackets may hold anything: the state and the parent follow the last bracket.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
