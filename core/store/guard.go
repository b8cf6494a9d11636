package store

import "sync"

// guard lets plugins read listers on goroutines of their own. Until it is raised nothing locks: most engines have no such
// plugin, and the in-tree ones read listers for every node.
//
// Only the engine's goroutine changes objects, so that its own reads need no lock. Handlers are called without it, as they may
// read listers.
type guard struct {
	mu     sync.RWMutex
	raised bool
}

// change runs a change of what listers read.
func (g *guard) change(do func()) {
	if g.raised {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	do()
}

// read begins a lister's read, which the returned function ends.
func (g *guard) read() (end func()) {
	if !g.raised {
		return noEnd
	}
	g.mu.RLock()
	return g.mu.RUnlock
}

func noEnd() {}

// ShareListers makes the listers safe for plugins that run on goroutines of their own. It is called before the first of them.
func (s *Store) ShareListers() { s.guard.raised = true }
