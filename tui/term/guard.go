package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"orrery/tui/term/thrift"
)

// How long a program may take to leave when it is told to, then to be torn out, then to answer for itself: together less
// than a second.
const (
	timeToQuit = 250 * time.Millisecond
	timeToDie  = 450 * time.Millisecond
)

// Guard sees to it that a program gives its terminal back.
type Guard struct {
	facts   Facts
	program *tea.Program
	answers answers
	thrift  *thrift.Writer
	stops   chan os.Signal // somebody wants the program to stop
	stopped atomic.Bool    // between a stop and the moment the screen is back

	once  sync.Once
	ended chan struct{} // closed when the program has to leave
	cause error
	fault []byte // the stack of a goroutine that panicked
}

// NewGuard is a guard for the terminal of the facts.
func NewGuard(f Facts) *Guard {
	return &Guard{
		facts: f, thrift: thrift.New(f.Out, f.Width, f.Height), stops: make(chan os.Signal, 1), ended: make(chan struct{}),
	}
}

// Filter sees every message before the program does, and may change it or, with nil, drop it.
type Filter = func(tea.Model, tea.Msg) tea.Msg

// Options are what Bubble Tea has to be told for the guard to work. A program's own filter goes in here, because there can
// be but one; it may be nil.
func (g *Guard) Options(then Filter) []tea.ProgramOption {
	return []tea.ProgramOption{
		tea.WithInput(g.watchedInput()),
		tea.WithOutput(g.watchedOutput()),
		tea.WithEnvironment(g.facts.quietEnv()),
		tea.WithColorProfile(g.facts.ColorProfile()),
		tea.WithWindowSize(g.facts.Width, g.facts.Height),
		tea.WithoutSignalHandler(),
		tea.WithFilter(func(m tea.Model, msg tea.Msg) tea.Msg {
			if msg = g.filter(msg); msg == nil || then == nil {
				return msg
			}
			return then(m, msg)
		}),
	}
}

// filter is what the guard does with messages on their way.
func (g *Guard) filter(msg tea.Msg) tea.Msg {
	g.answers.seen(msg)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		msg = g.facts.sized(msg)
		g.thrift.Resize(msg.Width, msg.Height)
		return msg
	case tea.SuspendMsg:
		g.stopped.Store(true)
		return tea.Exec(meanwhile(stop), func(error) tea.Msg { return tea.ResumeMsg{} })()
	case tea.ResumeMsg:
		g.stopped.Store(false)
	case tea.QuitMsg:
		if wait := g.answers.outstanding(); wait != nil {
			go func() {
				<-wait
				g.program.Send(msg)
			}()
			return nil
		}
	}
	return msg
}

// Go runs a function in a goroutine of its own. If it panics the terminal is given back before the program ends.
func (g *Guard) Go(f func()) {
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				g.once.Do(func() {
					g.cause, g.fault = &Ended{Fault: fault}, debug.Stack()
					close(g.ended)
				})
			}
		}()
		f()
	}()
}

// end has the program leave, for the first reason that there is.
func (g *Guard) end(cause error) {
	g.once.Do(func() {
		g.cause = cause
		close(g.ended)
	})
}

// Run runs a program that was made with the guard's options, until it ends or has to. The error is nil if it ended by its
// own keys, the context's if that ended it, and else wraps an *[Ended].
func (g *Guard) Run(ctx context.Context, p *tea.Program) error {
	g.program = p
	state, err := term.GetState(g.facts.In.Fd())
	if err != nil {
		return fmt.Errorf("asking the terminal how it is set: %w", err)
	}
	unwatch := g.watchSignals()
	defer unwatch()
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		g.end(ctx.Err())
		err = g.leave(done)
	case <-g.ended:
		err = g.leave(done)
	}
	_ = term.Restore(g.facts.In.Fd(), state)
	return g.verdict(err)
}

// errLeftBehind says that the program did not stop when it was told to.
var errLeftBehind = errors.New("the screen did not answer and was left behind")

// leave tells the program to go, then makes it, then goes without it.
func (g *Guard) leave(done <-chan error) error {
	if g.fault == nil {
		go g.program.Quit()
		select {
		case err := <-done:
			return err
		case <-time.After(timeToQuit):
		}
	}
	go g.program.Kill()
	select {
	case err := <-done:
		return err
	case <-time.After(timeToDie):
	}
	g.reset()
	return errLeftBehind
}

// verdict is what Run answers.
func (g *Guard) verdict(err error) error {
	select {
	case <-g.ended:
		if g.fault != nil {
			fmt.Fprintf(os.Stderr, "%v\n\n%s\n", g.cause, g.fault)
		}
		return g.cause
	default:
	}
	if errors.Is(err, tea.ErrProgramPanic) {
		return &Ended{Fault: "what it panicked with is above"}
	}
	return err
}

// reset writes what gives a terminal back, for a program that can no longer do it.
func (g *Guard) reset() {
	const (
		keyboard = "\x1b[>4m\x1b[<1u" // modifyOtherKeys, kitty's protocol
		modes    = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?2027l"
		screen   = "\x1b[m\x1b[?1049l\x1b[?25h"
	)
	wrote := make(chan struct{})
	go func() { // a terminal that nobody reads from would hold the process
		defer close(wrote)
		_, _ = g.facts.Out.WriteString(keyboard + modes + screen)
	}()
	select {
	case <-wrote:
	case <-time.After(timeToDie / 4):
	}
}
