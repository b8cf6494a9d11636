package tui

import (
	"sync"
	"time"

	"orrery/views"
	"orrery/views/collect"
)

// Frame is what the screen is drawn from: a model that nobody changes any more, and what it was made for.
type Frame struct {
	Model *views.Model
	Now   time.Time
	Look  collect.Look
	// Moving, Playing and Loop are the source's state at the time.
	Moving, Playing, Loop bool
	// Unable says why the cluster cannot be changed from here; empty if it can.
	Unable string
}

// mailbox holds the one frame that is the latest. What was not taken in time is replaced.
type mailbox struct {
	mu    sync.Mutex
	frame *Frame
}

// put leaves a frame and tells whether the box had been empty: whether whoever takes must be told.
func (b *mailbox) put(f *Frame) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.frame == nil
	b.frame = f
	return first
}

// take empties the box; nil if it was empty.
func (b *mailbox) take() *Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.frame
	b.frame = nil
	return f
}

// waiting tells whether the last frame has not been taken yet.
func (b *mailbox) waiting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frame != nil
}
