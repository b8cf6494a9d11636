// Package panics makes errors of panics, so that what has one can end in order: a lease is released, a recording is ended, a
// terminal is restored, and the cause is named. Every goroutine that the program starts begins with it, but those of the screen,
// which has a guard of its own.
package panics

import (
	"fmt"
	"runtime/debug"
	"strings"

	"orrery/core/safe/printable"
)

// Error is a panic as an error. All its texts are printable.
type Error struct {
	// In says what panicked, such as "the scheduling loop".
	In string
	// Value is what it panicked with.
	Value string
	// Stack is the goroutine's stack at the panic.
	Stack string
}

func (e *Error) Error() string { return e.In + " panicked: " + e.Value }

// maxValue bounds the value's text, which becomes a part of conditions and of lines of a log.
//
//orrery:limit scheduler; the value of a panic in a condition or a log, in bytes; cut off
const maxValue = 500

// New describes a panic. The deferred function that has recovered calls it, so that the stack is still that of the panic. A value
// that is an Error already was recovered on another goroutine and stays as it is.
func New(in string, value any) *Error {
	if known, ok := value.(*Error); ok {
		return known
	}
	return &Error{In: in, Value: printable.Line(fmt.Sprint(value), maxValue), Stack: printableLines(string(debug.Stack()))}
}

// Recover makes a panic the error of the function that defers it.
func Recover(in string, err *error) {
	if value := recover(); value != nil {
		*err = New(in, value)
	}
}

// Call calls a function, and returns its panic as an error.
func Call(in string, f func()) (err error) {
	defer Recover(in, &err)
	f()
	return nil
}

func printableLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = printable.Text(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
