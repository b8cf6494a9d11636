package term

import (
	"os"
	"syscall"
)

// watchedInput ends the program when its input ends, even under nohup, which blocks SIGHUP.
func (g *Guard) watchedInput() *watchedIn { return &watchedIn{g.facts.In, g} }

type watchedIn struct {
	*os.File
	guard *Guard
}

func (w *watchedIn) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	if n == 0 && err != nil {
		w.guard.exit(&ExitError{Signal: syscall.SIGHUP})
	}
	return n, err
}

// watchedOutput counts the queries that Bubble Tea writes.
func (g *Guard) watchedOutput() *watchedOut { return &watchedOut{g.facts.Out, g} }

type watchedOut struct {
	*os.File
	guard *Guard
}

func (w *watchedOut) Write(p []byte) (int, error) {
	w.guard.answers.countQueries(p)
	return w.guard.screen.Write(p)
}
