package store

import (
	"sync"

	"orrery/core/world"
)

// guard lets plugins read listers on goroutines of their own. Until it is raised nothing locks: most engines have no such
// plugin, and the in-tree ones read listers for every node.
//
// Only the engine's goroutine changes objects, so that its own reads need no lock. Handlers are called without it, as they may
// read listers.
type guard struct {
	mu     sync.RWMutex
	raised bool
	made   bool         // whether all plugins have been made
	post   func(func()) // has a function called by the goroutine that changes objects

	onPanic func(world.Kind, any) // receives the panics of handlers; nil lets them pass
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

// handlers runs a change of what is called when objects change: at once while plugins are made, and later by the goroutine
// that calls the handlers.
func (g *guard) handlers(do func()) {
	if !g.raised {
		do()
		return
	}
	g.mu.RLock()
	made := g.made
	g.mu.RUnlock()
	if made {
		g.post(do)
		return
	}
	do()
}

// ShareListers makes the listers safe for plugins that run on goroutines of their own. It is called before the first of them.
// post has a function called on the store's goroutine.
func (s *Store) ShareListers(post func(func())) { s.guard.raised, s.guard.post = true, post }

// OnPanic has the panics of handlers recovered and reported, with the kind of the object that they were called with.
func (s *Store) OnPanic(report func(world.Kind, any)) { s.guard.onPanic = report }

// PluginsMade says that handlers that are added from now on may be added on other goroutines.
func (s *Store) PluginsMade() { s.guard.change(func() { s.guard.made = true }) }
