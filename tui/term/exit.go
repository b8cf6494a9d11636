package term

import (
	"fmt"
	"syscall"

	"orrery/core/safe/files"
)

// The exit codes of a program that did not end by its own keys. For a signal the code is 128 plus the signal's number,
// as in a shell.
const (
	exitSignal = 128
	// ExitPanic is the exit code after a panic.
	ExitPanic = 70
)

// ExitError is why a program ended other than by its own keys.
type ExitError struct {
	// Signal is the signal that ended the program; SIGHUP also when the terminal went away. Zero for a panic.
	Signal syscall.Signal
	// Panic is the value of the panic.
	Panic any
	// Stacks is the file with the stacks of all goroutines that SIGQUIT wrote.
	Stacks string
}

func (e *ExitError) Error() string {
	switch {
	case e.Stacks != "":
		return "ended by SIGQUIT; the stacks of all goroutines are in " + e.Stacks
	case e.Signal == syscall.SIGHUP:
		return "ended: the terminal went away"
	case e.Signal != 0:
		return fmt.Sprintf("ended by a signal: %s", e.Signal)
	}
	return fmt.Sprintf("ended by a fault of its own, the terminal is as it was: %v", e.Panic)
}

// ExitCode returns the exit code for the process.
func (e *ExitError) ExitCode() int {
	if e.Signal != 0 {
		return exitSignal + int(e.Signal)
	}
	return ExitPanic
}

// writeStacks writes the stacks to a file and returns its name.
func writeStacks(stacks []byte) string {
	f, err := files.CreateTemp("orrery-stacks-", ".txt")
	if err == nil {
		err = f.WriteAll(stacks)
	}
	if err != nil {
		return ""
	}
	return f.Name()
}
