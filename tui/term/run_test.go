//go:build unix

package term_test

import (
	"syscall"
	"testing"
)

// TestRun_ProgramHasTheTerminal runs a program that reads and writes; then the screen is back, and has the keys.
func TestRun_ProgramHasTheTerminal(t *testing.T) {
	s := shown(t, "")
	s.Type("R")
	s.AwaitText("it has the terminal")
	s.AwaitText(`$ heading \x1b[31m`)
	s.Type("a line\r")
	s.AwaitText("it read a line")
	s.AwaitText("[exit status 3] enter goes back to orrery")
	s.Type("\r")
	s.AwaitText("ran: <nil>")
	s.Type("x")
	s.AwaitText("keys x")
	s.Type("q")
	if code, _ := s.Exit(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	s.CheckRestored()
}

// TestRun_WithoutWaiting is back as soon as the program has ended; one that is not there is said.
func TestRun_WithoutWaiting(t *testing.T) {
	s := shown(t, "")
	s.Type("r")
	s.AwaitText("it has the terminal")
	s.Type("x\r")
	s.AwaitText("ran: <nil>")
	s.Type("k")
	s.AwaitText("ran: running no-such-program: ")
	s.Type("q")
	s.Exit()
}

// TestRun_InterruptIsTheProgramsOwn: ctrl+c ends the program and not the screen; a signal that ends the screen ends the program as well.
func TestRun_InterruptIsTheProgramsOwn(t *testing.T) {
	s := shown(t, "")
	s.Type("r")
	s.AwaitText("it has the terminal")
	s.Type("\x03")
	s.AwaitText("ran: <nil>")
	s.Type("r")
	s.AwaitText("it has the terminal")
	s.Signal(syscall.SIGTERM)
	if code, _ := s.Exit(); code != 143 {
		t.Errorf("the exit code is %d, want 143", code)
	}
	s.CheckRestored()
}
