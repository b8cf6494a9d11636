package tui

import (
	"sync"
	"time"

	"orrery/views"
	"orrery/views/collect"
)

// Frame is what the screen draws from: a model that no longer changes, and the query it was built for.
type Frame struct {
	Model *views.Model
	Now   time.Time
	Query collect.Query
	// Moving, Playing and Loop are the source's state when the frame was built.
	Moving, Playing, Loop bool
	// Played is the real time in which the source has moved since the screen was opened.
	Played time.Duration
	// ReadOnly is why the cluster cannot be changed from here; empty if it can.
	ReadOnly string
	// Attached means that a scheduler runs elsewhere and is recorded: what is shown happens now.
	Attached bool
	// Context is the context of the kubeconfig whose cluster is shown; empty for other sources.
	Context string
	// HasList means that the cluster is one of several, whose list is a level above the overview.
	HasList bool
	// Watched are the watched pods as they are.
	Watched []watchedPod
	// NotScheduler means that the cluster's own scheduler has the queue, so that no pod can be activated in it from here.
	NotScheduler bool
}

// mailbox holds the latest frame. A new frame replaces one that was not taken.
type mailbox struct {
	mu    sync.Mutex
	frame *Frame
}

// put stores a frame and reports whether the mailbox was empty, in which case the taker needs a frameMsg.
func (b *mailbox) put(f *Frame) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.frame == nil
	b.frame = f
	return first
}

// take removes and returns the frame; nil if there is none.
func (b *mailbox) take() *Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.frame
	b.frame = nil
	return f
}

// full reports whether the last frame has not been taken yet.
func (b *mailbox) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frame != nil
}
