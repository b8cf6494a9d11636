package engine

import (
	"time"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/store"
)

// Frozen is what an engine held at one moment, to be written. It may be used on another goroutine than the engine is.
type Frozen struct{ held *Engine }

// Freeze keeps what the engine holds now, to be written elsewhere. It takes less than half of a fork's time, since what finds nodes
// and pods is left out: a frozen engine does not go on.
func (e *Engine) Freeze() (*Frozen, error) {
	held, err := e.fork((*queue.Queue).Freeze, (*cache.Snapshot).Freeze, (*framework.Profile).ForkStateFrom)
	if err != nil {
		return nil, err
	}
	held.queueDepths, held.suspended = e.queueDepths, e.suspended
	return &Frozen{held}, nil
}

// State returns what the engine held, see Engine.State.
func (f *Frozen) State() (codec.State, error) { return f.held.State() }

// Store has the objects that the engine held.
func (f *Frozen) Store() store.View { return f.held.Store() }

// Now is the engine's time of that moment.
func (f *Frozen) Now() time.Time { return f.held.Now() }

// Digest is that of the decisions up to there.
func (f *Frozen) Digest() Digest { return f.held.Digest() }

// Counters are those of that moment.
func (f *Frozen) Counters() Counters { return f.held.Counters() }

// Shadows reports whether the engine decides beside another scheduler.
func (f *Frozen) Shadows() bool { return f.held.Shadows() }

// ExtendersUnasked reports whether extenders are not called.
func (f *Frozen) ExtendersUnasked() bool { return f.held.ExtendersUnasked() }
