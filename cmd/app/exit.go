package app

import (
	"errors"
	"fmt"
	"io"
)

// What a program answers with.
const (
	exitFine  = 0
	exitNo    = 1 // the question was answered: no, or: these differ
	exitUsage = 2 // it was used wrongly, or given bad input
)

// errNo is for commands that have answered no, in their own words: there is nothing to add but the exit code.
var errNo = errors.New("the answer is no")

// answer is what a command ends with that was asked something.
func answer(yes bool) error {
	if yes {
		return nil
	}
	return errNo
}

// exitCode says what is wrong, if anything is, and how the program ends.
func exitCode(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errNo):
		return exitNo
	}
	fmt.Fprintln(stderr, "orrery:", err)
	var coded interface{ ExitCode() int } // a screen that a signal or a fault ended
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return exitUsage
}
