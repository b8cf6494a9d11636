package term

import (
	"io"
	"time"
)

// NoJobControl is the message that ctrl+z has no effect: nothing here could continue a program that stops.
type NoJobControl struct{}

// meanwhile is what is done while Bubble Tea has given the terminal back. It takes it again afterwards, with all that
// belongs to it, and paints anew.
type meanwhile func() error

// settling is left to Bubble Tea between giving the terminal back and taking it again. Its old painter stops the clock as
// it goes, and one that goes too late stops the clock of the new one: the screen would stay empty.
const settling = 30 * time.Millisecond

func (do meanwhile) Run() error {
	err := do()
	<-time.After(settling)
	return err
}

func (do meanwhile) SetStdin(io.Reader)  {}
func (do meanwhile) SetStdout(io.Writer) {}
func (do meanwhile) SetStderr(io.Writer) {}
