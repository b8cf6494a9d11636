package term

import (
	"os"
	"syscall"
)

// watchedInput ends the program when there is nothing left to read keys from. It does so even under nohup, which keeps the
// signal from arriving.
func (g *Guard) watchedInput() *watchedIn { return &watchedIn{g.facts.In, g} }

type watchedIn struct {
	*os.File
	guard *Guard
}

func (w *watchedIn) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	if n == 0 && err != nil {
		w.guard.end(&Ended{Signal: syscall.SIGHUP})
	}
	return n, err
}

// watchedOutput notes the questions that are asked, and is thrifty with the rest.
func (g *Guard) watchedOutput() *watchedOut { return &watchedOut{g.facts.Out, g} }

type watchedOut struct {
	*os.File
	guard *Guard
}

func (w *watchedOut) Write(p []byte) (int, error) {
	w.guard.answers.asking(p)
	return w.guard.thrift.Write(p)
}
