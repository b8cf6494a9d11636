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
	wake    chan struct{} // receives if there are some; it holds one
}

func newPosted() posted { return posted{wake: make(chan struct{}, 1)} }

func (p *posted) post(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes = append(p.changes, change)
	p.some.Store(true)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *posted) take() []func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	changes := p.changes
	p.changes = nil
	p.some.Store(false)
	select {
	case <-p.wake:
	default:
	}
	return changes
}

// Posted receives when a plugin has asked for something on a goroutine of its own, so that the engine should get an input. A
// world.Tick will do.
func (e *Engine) Posted() <-chan struct{} { return e.posted.wake }

// carryOutPosted carries out what plugins have posted.
func (e *Engine) carryOutPosted() {
	if e.posted.some.Load() {
		for _, change := range e.posted.take() {
			change()
		}
	}
	e.publishNominations()
}
