package term

import (
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/panics"
)

// Model returns a model whose panics, in its methods and in its commands, reach the guard. Bubble Tea's own recovery
// prints the stack while the process ends, so that it may be lost, or lands on a screen that is about to be left.
func (g *Guard) Model(m tea.Model) tea.Model { return guardedModel{m, g} }

type guardedModel struct {
	model tea.Model
	guard *Guard
}

func (m guardedModel) Init() tea.Cmd {
	defer m.guard.recoverPanic()
	return m.guard.guardCommand(m.model.Init())
}

func (m guardedModel) Update(msg tea.Msg) (after tea.Model, cmd tea.Cmd) {
	after = m // if it panics
	defer m.guard.recoverPanic()
	next, cmd := m.model.Update(msg)
	return guardedModel{next, m.guard}, m.guard.guardCommand(cmd)
}

func (m guardedModel) View() tea.View {
	defer m.guard.recoverPanic()
	return m.model.View()
}

func (g *Guard) guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer g.recoverPanic()
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.guardCommand(batch[i])
			}
		}
		return msg
	}
}

// Go runs a function in a goroutine. If it panics the guard restores the terminal before the program ends.
func (g *Guard) Go(f func()) {
	go func() {
		defer g.recoverPanic()
		f()
	}()
}

// recoverPanic is to be deferred: it makes the program exit after a panic.
func (g *Guard) recoverPanic() {
	fault := recover()
	if fault == nil {
		return
	}
	stack := debug.Stack()
	if known, ok := fault.(*panics.Error); ok { // of another goroutine
		stack = []byte(known.Stack)
	}
	g.once.Do(func() {
		g.cause, g.panicStack = &ExitError{Panic: fault}, stack
		close(g.exiting)
	})
}
