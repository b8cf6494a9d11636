package engine

import (
	"sync"
	"sync/atomic"
)

// posted are changes of the engine's state that plugins have made on goroutines of their own, and events that they recorded.
// The engine carries them out, in order, before and after each input and decision.
type posted struct {
	mu      sync.Mutex
	changes []func()
	some    atomic.Bool
}

func (p *posted) post(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes = append(p.changes, change)
	p.some.Store(true)
}

func (p *posted) take() []func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	changes := p.changes
	p.changes = nil
	p.some.Store(false)
	return changes
}

// carryOutPosted carries out what plugins have posted.
func (e *Engine) carryOutPosted() {
	if !e.posted.some.Load() {
		return
	}
	for _, change := range e.posted.take() {
		change()
	}
}
