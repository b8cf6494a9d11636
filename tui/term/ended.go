package term

import (
	"fmt"
	"os"
	"syscall"
)

// The exit codes of a program that did not end by its own keys. One that a signal ended answers 128 and the signal's
// number, as a shell would say it.
const (
	exitSignal = 128
	// ExitFault is a panic's.
	ExitFault = 70
)

// Ended is why a screen was left other than by its own keys.
type Ended struct {
	// Signal is what ended it; SIGHUP also when the terminal went away. Zero for a panic.
	Signal syscall.Signal
	// Fault is what a goroutine panicked with.
	Fault any
	// Stacks is the file that SIGQUIT had the stacks of all goroutines written to.
	Stacks string
}

func (e *Ended) Error() string {
	switch {
	case e.Stacks != "":
		return "ended by SIGQUIT; the stacks of all goroutines are in " + e.Stacks
	case e.Signal == syscall.SIGHUP:
		return "ended: the terminal went away"
	case e.Signal != 0:
		return fmt.Sprintf("ended by a signal: %s", e.Signal)
	}
	return fmt.Sprintf("ended by a fault of its own, the terminal is as it was: %v", e.Fault)
}

// ExitCode is what the process should answer with.
func (e *Ended) ExitCode() int {
	if e.Signal != 0 {
		return exitSignal + int(e.Signal)
	}
	return ExitFault
}

// writeStacks writes the stacks of all goroutines to a file and names it.
func writeStacks(stacks []byte) string {
	f, err := os.CreateTemp("", "orrery-stacks-*.txt")
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Write(stacks); err != nil {
		return ""
	}
	return f.Name()
}
