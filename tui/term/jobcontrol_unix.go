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

// jobControl tells whether there is a process that could continue this one if it stopped: a parent of some process of our
// group that is in our session and in another group, as a shell with job control is. The kernel drops the stop signal of
// a group without one, and a program that then waits to be continued waits for good.
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

// parentOf is a process's parent, where the system has a directory for it; else there is none.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in brackets may hold anything: what follows the last one is the state and the parent.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
