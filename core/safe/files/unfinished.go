package files

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// unfinished are the names of the temporary files that exist. The lock is held while one is made or renamed.
var unfinished = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// RemoveUnfinished removes all temporary files, before the process exits.
func RemoveUnfinished() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for name := range unfinished.names {
		_ = os.Remove(name)
	}
	clear(unfinished.names)
}

func removeUnfinished(name string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.names[name] {
		_ = os.Remove(name)
		delete(unfinished.names, name)
	}
}

// RemoveOnSignal removes all temporary files before one of the signals ends the process, until stop is called. It
// leaves ignored signals alone.
func RemoveOnSignal(signals ...syscall.Signal) (stop func()) {
	received, stopped := make(chan os.Signal, 1), make(chan struct{})
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(received, s)
		}
	}
	go func() {
		select {
		case s := <-received:
			RemoveUnfinished()
			signal.Reset(s)
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(s)
			}
		case <-stopped:
		}
	}()
	return func() {
		signal.Stop(received)
		close(stopped)
	}
}
