package app

import (
	"errors"
	"fmt"
	"io"

	"orrery/core/safe/address"
	"orrery/core/safe/panics"
	"orrery/tui/term"
)

// Exit codes.
const (
	exitFine  = 0
	exitNo    = 1 // a negative result, or a difference
	exitUsage = 2 // wrong usage or bad input
)

// errNo ends a command that has printed a negative result: it only sets the exit code.
var errNo = errors.New("the answer is no")

// errBadInput ends a command that has printed what is wrong with its input: it only sets the exit code.
var errBadInput = errors.New("the input is bad")

// exitFor returns the error for a command's result.
func exitFor(yes bool) error {
	if yes {
		return nil
	}
	return errNo
}

// exitCode prints an error and returns the exit code.
func exitCode(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, errBadInput):
		return exitUsage
	}
	fmt.Fprintln(stderr, "orrery:", address.ErrorText(err))
	if panicked := (*panics.Error)(nil); errors.As(err, &panicked) {
		fmt.Fprintf(stderr, "\n%s\n", panicked.Stack)
		return term.ExitPanic
	}
	var coded interface{ ExitCode() int } // a signal or a panic ended the screen
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return exitUsage
}
