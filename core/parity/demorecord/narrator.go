package main

import (
	"context"
	"errors"
	"sync"

	"orrery/core/process/replica"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// narrator records a scheduler with the scenario's notes. All methods but say are called by the scheduler's goroutine.
type narrator struct {
	recorder *play.Recorder
	over     bool

	mu    sync.Mutex
	lines []string
}

var _ drive.Observer = (*narrator)(nil)

// say sets a mark at the scheduler's current time. It requests an activation of no pods, which changes nothing and arrives as
// an input, with which the mark is recorded.
func (n *narrator) say(ctx context.Context, to *replica.Replica, text string) error {
	n.mu.Lock()
	n.lines = append(n.lines, text)
	n.mu.Unlock()
	return to.Activate(ctx)
}

func (n *narrator) takeLines() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

// Applied implements drive.Observer.
func (n *narrator) Applied(in world.Input, err error) {
	if n.over {
		return
	}
	n.recorder.Applied(in, err)
	if _, activate := in.Event.(world.ActivateRequest); activate {
		for _, line := range n.takeLines() {
			n.recorder.Mark(line)
		}
	}
}

// Stepped implements drive.Observer.
func (n *narrator) Stepped(d *engine.Decision) {
	if !n.over {
		n.recorder.Stepped(d)
	}
}

// Emitted implements drive.Observer.
func (n *narrator) Emitted(e world.Effect) {
	if !n.over {
		n.recorder.Emitted(e)
	}
}

// end ends the recording while the scheduler continues.
func (n *narrator) end(ctx context.Context, of *replica.Replica) error {
	var closed error
	inspected := of.Inspect(ctx, func(*engine.Engine) {
		closed = n.recorder.Close()
		n.over = true
	})
	return errors.Join(inspected, closed)
}
