package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/tui/term/celldiff"
	"orrery/views/draw"
)

// How long a program may take to quit when told to, and then to be killed: together less than a second.
const (
	quitTimeout = 250 * time.Millisecond
	killTimeout = 450 * time.Millisecond
)

// Guard restores the terminal when the program ends.
type Guard struct {
	facts   Facts
	program *tea.Program
	answers pendingAnswers
	screen  *celldiff.Writer
	stops   chan os.Signal // SIGTSTP
	stopped atomic.Bool    // between a stop and the redraw after it
	running atomic.Bool    // while a program of the user's has the terminal

	once       sync.Once
	exiting    chan struct{} // closed when the program must exit
	cause      error
	panicStack []byte // of the first panic
}

// NewGuard returns a guard for the terminal of the facts.
func NewGuard(f Facts) *Guard {
	return &Guard{
		facts: f, screen: celldiff.New(f.Out, f.Width, f.Height, environment(f.Env).erases()), stops: make(chan os.Signal, 1), exiting: make(chan struct{}),
		answers: newPendingAnswers(),
	}
}

// Filter sees every message before the program does, and may change it or, by returning nil, drop it.
type Filter = func(tea.Model, tea.Msg) tea.Msg

// Options returns the Bubble Tea options that the guard needs. The program's own filter goes in here, because Bubble
// Tea takes only one; it may be nil.
func (g *Guard) Options(then Filter) []tea.ProgramOption {
	return []tea.ProgramOption{
		tea.WithInput(g.watchedInput()),
		tea.WithOutput(g.watchedOutput()),
		tea.WithEnvironment(g.facts.teaEnv()),
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

// filter is the guard's own filter.
func (g *Guard) filter(msg tea.Msg) tea.Msg {
	g.answers.countAnswers(msg)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		msg = g.facts.fixSize(msg)
		g.screen.Resize(msg.Width, msg.Height)
		return msg
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet) {
			g.screen.Synced()
		}
	case tea.SuspendMsg:
		g.stopped.Store(true)
		return tea.Exec(execFunc(stopProcess), func(error) tea.Msg { return tea.ResumeMsg{} })()
	case Run:
		return g.suspendFor(msg)
	case tea.ResumeMsg:
		g.stopped.Store(false)
	case tea.QuitMsg:
		if g.answers.delayQuit() {
			go func() {
				g.answers.awaitQueries()
				if wait := g.answers.beforeQuit(); wait != nil {
					_, _ = g.screen.Write(lastQuery)
					<-wait
				}
				g.program.Send(msg)
			}()
			return nil
		}
	}
	return msg
}

// Show draws a canvas on the terminal. It does not wait for the terminal.
func (g *Guard) Show(c *draw.Canvas, pens *themes.Pens) { g.screen.Show(c, pens) }

// exit makes the program exit. The first cause counts.
func (g *Guard) exit(cause error) {
	g.once.Do(func() {
		g.cause = cause
		close(g.exiting)
	})
}

// Run runs a program that was made with the guard's options until it ends. The error is nil if the program ended by its
// own keys, the context's if that ended it, and else wraps an *[ExitError].
func (g *Guard) Run(ctx context.Context, p *tea.Program) error {
	g.program = p
	state, err := term.GetState(g.facts.In.Fd())
	if err != nil {
		return fmt.Errorf("asking the terminal how it is set: %w", err)
	}
	unwatch := g.watchSignals()
	defer unwatch()
	done := make(chan error, 1)
	_, _ = g.screen.Write([]byte(g.facts.titleSequence(keepTitle)))
	go func() {
		_, err := p.Run()
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		g.exit(ctx.Err())
		err = g.stop(done)
	case <-g.exiting:
		err = g.stop(done)
	}
	if !errors.Is(err, errNotStopped) {
		_, _ = g.facts.Out.WriteString(g.facts.titleSequence(restoreTitle))
	}
	_ = term.Restore(g.facts.In.Fd(), state)
	return g.result(err)
}

// errNotStopped says that the program did not stop when told to.
var errNotStopped = errors.New("the screen did not answer and was left behind")

// stop tells the program to quit, then kills it, then abandons it.
func (g *Guard) stop(done <-chan error) error {
	if g.panicStack == nil {
		go g.program.Quit()
		select {
		case err := <-done:
			return err
		case <-time.After(quitTimeout):
		}
	}
	go g.program.Kill()
	select {
	case err := <-done:
		return err
	case <-time.After(killTimeout):
	}
	g.resetTerminal()
	return errNotStopped
}

// result returns Run's error.
func (g *Guard) result(err error) error {
	select {
	case <-g.exiting:
		if g.panicStack != nil {
			fmt.Fprintf(printable.NewWriter(os.Stderr), "%v\n\n%s\n", g.cause, g.panicStack)
		}
		return g.cause
	default:
	}
	if errors.Is(err, tea.ErrProgramPanic) { // in Bubble Tea itself, which has printed it
		return &ExitError{Panic: "what it panicked with is above"}
	}
	return err
}

// resetTerminal writes the sequences that restore a terminal, for a program that can no longer do it.
func (g *Guard) resetTerminal() {
	const (
		keyboard = "\x1b[>4m\x1b[<1u" // modifyOtherKeys, kitty's protocol
		modes    = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?2027l"
		screen   = "\x1b[m\x1b[?1049l\x1b[?25h"
	)
	g.screen.Close()
	wrote := make(chan struct{})
	go func() { // a terminal without a reader would block the process
		defer close(wrote)
		_, _ = g.facts.Out.WriteString(keyboard + modes + screen + g.facts.titleSequence(restoreTitle))
	}()
	select {
	case <-wrote:
	case <-time.After(killTimeout / 4):
	}
}
