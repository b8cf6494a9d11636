//go:build !unix

package term

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// watchSignals makes an interrupt end the program until off is called.
func (g *Guard) watchSignals() (off func()) {
	end, quit := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(end, os.Interrupt)
	go func() {
		select {
		case <-end:
			g.exit(&ExitError{Signal: syscall.SIGINT})
		case <-quit:
		}
	}()
	return func() {
		signal.Stop(end)
		close(quit)
	}
}

func stopProcess() error { return nil }

// Suspend is the command of ctrl+z. There is no job control on this platform.
func Suspend() tea.Msg { return NoJobControl{} }
