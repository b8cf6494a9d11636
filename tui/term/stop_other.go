//go:build !unix

package term

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// watchSignals has an interrupt end the program until it is called off.
func (g *Guard) watchSignals() (off func()) {
	end, quit := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(end, os.Interrupt)
	go func() {
		select {
		case <-end:
			g.end(&Ended{Signal: syscall.SIGINT})
		case <-quit:
		}
	}()
	return func() {
		signal.Stop(end)
		close(quit)
	}
}

func stop() error { return nil }

// Suspend is the command behind ctrl+z. There is no job control here.
func Suspend() tea.Msg { return NoJobControl{} }
