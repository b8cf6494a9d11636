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

// deadly are the signals that end a program.
var deadly = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// watchSignals has signals end, stop and mend the program until it is called off.
func (g *Guard) watchSignals() (off func()) {
	end, mend, quit := make(chan os.Signal, 4), make(chan os.Signal, 1), make(chan struct{})
	for _, s := range deadly {
		if s != syscall.SIGHUP || !signal.Ignored(s) { // nohup means it
			signal.Notify(end, s)
		}
	}
	signal.Notify(mend, syscall.SIGCONT)
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(g.stops, syscall.SIGTSTP) // it is asked before it is stopped, so that it can give the terminal back
	}
	go func() {
		for {
			select {
			case s := <-end:
				g.end(endedBy(s.(syscall.Signal)))
			case <-g.stops:
				go g.program.Send(Suspend())
			case <-mend:
				if !g.stopped.Load() { // it was stopped without being asked: whoever had the terminal has changed it
					go g.program.Send(tea.Exec(meanwhile(func() error { return nil }), nil)())
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

func endedBy(s syscall.Signal) *Ended {
	e := &Ended{Signal: s}
	if s == syscall.SIGQUIT {
		const most = 4 << 20
		stacks := make([]byte, most)
		e.Stacks = writeStacks(stacks[:runtime.Stack(stacks, true)])
	}
	return e
}

// stop stops the program and whoever runs with it, and comes back when they go on. The stop is one that cannot be caught:
// a signal that a Go program once asked to be told of is not taken for its own by the kernel any more.
func stop() error {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	<-goOn // the threads of a process do not stop all at once
	return nil
}

// Suspend is the command behind ctrl+z. It gives [NoJobControl] where a stopped program would never go on.
func Suspend() tea.Msg {
	if !jobControl() {
		return NoJobControl{}
	}
	return tea.SuspendMsg{}
}
