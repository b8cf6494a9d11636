package term

import (
	"io"
	"time"
)

// NoJobControl says that ctrl+z has no effect: nothing would continue a stopped program.
type NoJobControl struct{}

// execFunc runs while Bubble Tea has released the terminal. Bubble Tea then takes it back with all its modes, and
// repaints.
type execFunc func() error

// rendererStopTime is the pause between Bubble Tea's releasing the terminal and taking it back. Its old renderer stops
// a ticker on its way out; if it does so too late, it stops the new renderer's ticker and the screen stays empty.
const rendererStopTime = 30 * time.Millisecond

func (do execFunc) Run() error {
	err := do()
	<-time.After(rendererStopTime)
	return err
}

func (do execFunc) SetStdin(io.Reader)  {}
func (do execFunc) SetStdout(io.Writer) {}
func (do execFunc) SetStderr(io.Writer) {}
