//go:build !unix

package term

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// watchSignals makes an interrupt, and the end of the console's window, end the program until off is called.
func (g *Guard) watchSignals() (off func()) {
	end, quit := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		for {
			select {
			case s := <-end:
				if g.running.Load() && s == syscall.SIGINT {
					continue // it is for the program that has the terminal
				}
				g.exit(&ExitError{Signal: s.(syscall.Signal)})
			case <-quit:
				return
			}
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
