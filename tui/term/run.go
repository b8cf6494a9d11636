package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
)

// Run is a message that makes the guard run a program of the user's on the terminal, with the screen put away meanwhile. A [Ran] follows.
type Run struct {
	// Args are the program and its arguments; no shell sees them.
	Args []string
	// Heading stands above what the program prints.
	Heading string
	// Wait leaves what the program printed on the terminal until enter is pressed.
	Wait bool
}

// Ran reports that the program has ended. Err is why it could not be run; that it failed by itself is for the terminal's reader.
type Ran struct{ Err error }

// suspendFor runs a program while Bubble Tea has released the terminal.
func (g *Guard) suspendFor(r Run) tea.Msg {
	g.running.Store(true)
	return tea.Exec(&userProgram{of: r, guard: g}, func(err error) tea.Msg {
		g.running.Store(false)
		return Ran{err}
	})()
}

// userProgram is a program of the user's. It has the terminal itself, and not what Bubble Tea reads and writes.
type userProgram struct {
	of    Run
	guard *Guard
}

func (p *userProgram) SetStdin(io.Reader)  {}
func (p *userProgram) SetStdout(io.Writer) {}
func (p *userProgram) SetStderr(io.Writer) {}

// Run runs the program. It is killed when this one has to end. Keys that interrupt or quit reach both, and end only the program, as under a shell.
func (p *userProgram) Run() error {
	defer func() { <-time.After(rendererStopTime) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.guard.exiting:
			cancel()
		case <-ctx.Done():
		}
	}()
	in, out := p.guard.facts.In, p.guard.facts.Out
	fmt.Fprintf(out, "%s\n", printable.Line(p.of.Heading, 500))
	command := exec.CommandContext(ctx, p.of.Args[0], p.of.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = in, out, out
	err := command.Run()
	var failed *exec.ExitError
	switch {
	case err == nil || errors.As(err, &failed):
	default:
		return fmt.Errorf("running %s: %w", printable.Line(p.of.Args[0], 80), err)
	}
	if p.of.Wait && ctx.Err() == nil {
		how := "ended"
		if failed != nil {
			how = failed.String()
		}
		fmt.Fprintf(out, "\n[%s] enter goes back to orrery ", how)
		_, _ = bufio.NewReaderSize(in, 16).ReadString('\n')
	}
	return nil
}
