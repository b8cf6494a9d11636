//go:build unix

package term

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// exitSignals are the signals that end a program.
var exitSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// watchSignals makes signals end, stop and redraw the program until off is called.
func (g *Guard) watchSignals() (off func()) {
	end, mend, quit := make(chan os.Signal, 4), make(chan os.Signal, 1), make(chan struct{})
	for _, s := range exitSignals {
		if s != syscall.SIGHUP || !signal.Ignored(s) { // nohup ignores SIGHUP on purpose
			signal.Notify(end, s)
		}
	}
	signal.Notify(mend, syscall.SIGCONT)
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(g.stops, syscall.SIGTSTP) // the program restores the terminal before it stops
	}
	go func() {
		for {
			select {
			case s := <-end:
				if g.running.Load() && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
					continue // it is for the program that has the terminal
				}
				g.exit(exitBySignal(s.(syscall.Signal)))
			case <-g.stops:
				if g.running.Load() {
					stopWithProgram()
					continue
				}
				go g.program.Send(Suspend())
			case <-mend:
				if !g.stopped.Load() && !g.running.Load() { // SIGSTOP gave no chance to restore the terminal, and its next user has changed it
					go g.program.Send(tea.Exec(execFunc(func() error { return nil }), nil)())
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(end)
		signal.Stop(mend)
		signal.Stop(g.stops)
		close(quit)
	}
}

// stopWithProgram stops this process together with the program that has the terminal and was stopped, or lets that go on where no shell would
// continue the two.
func stopWithProgram() {
	if jobControl() {
		_ = stopProcess()
		return
	}
	_ = syscall.Kill(0, syscall.SIGCONT)
}

func exitBySignal(s syscall.Signal) *ExitError {
	e := &ExitError{Signal: s}
	if s == syscall.SIGQUIT {
		const most = 4 << 20
		stacks := make([]byte, most)
		e.Stacks = writeStacks(stacks[:runtime.Stack(stacks, true)])
	}
	return e
}

// stopProcess stops the process group and returns when it continues. It uses SIGSTOP, which cannot be caught: a Go
// program that once had a handler for SIGTSTP no longer stops by it.
func stopProcess() error {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	<-goOn // the threads of a process do not stop all at once
	return nil
}

// Suspend is the command of ctrl+z. It returns [NoJobControl] where a stopped program would never continue.
func Suspend() tea.Msg {
	if !jobControl() {
		return NoJobControl{}
	}
	return tea.SuspendMsg{}
}
