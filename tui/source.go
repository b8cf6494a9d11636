package tui

import (
	"context"
	"time"

	"orrery/core/answers/change"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/scheduler/engine"
	"orrery/views"
	"orrery/views/collect"
)

// Source is what the screen shows: a recording or a cluster. Only the loop calls it, and the loop keeps nothing of the
// engine beyond a call.
type Source interface {
	// Name and Mode stand in the header.
	Name() string
	Mode() views.Mode
	// Advance lets real time pass, works for a bounded time, and reports whether anything changed.
	Advance(elapsed time.Duration) (changed bool)
	// Moving reports whether Advance will ever change anything again; false while paused and at the end.
	Moving() bool
	// Now is the time that countdowns count from.
	Now() time.Time
	// Engine is the current engine; stepping back in time replaces it.
	Engine() *engine.Engine
	// History is what the engine itself does not remember; it may be nil.
	History() *collect.History
	// Annotate adds to a model what neither engine nor history knows.
	Annotate(m *views.Model, q collect.Query)
	// WhatIfCommand returns the time that a what-if is about, and the command that repeats it.
	WhatIfCommand(changes []change.Change) (at time.Time, command string)
}

// Playback is a Source with time control: a recording. Steps and seeks leave it paused or playing as it was, except
// that a single step pauses it.
type Playback interface {
	Now() time.Time
	Timeline() *views.Timeline
	collect.Past
	// Behind reports whether Advance stopped at its time limit with work left.
	Behind() bool
	Toggle()
	Playing() bool
	Faster()
	Slower()
	SetSpeed(times float64)
	// Step steps one decision forward or back; StepInput one input event.
	Step(back bool) error
	StepInput(back bool) error
	SeekTo(t time.Time) error
	// Mark seeks to the next or previous mark.
	Mark(back bool) error
	Ends(last bool) error
	Loop() bool
	SetLoop(bool)
}

// announcing is a Source that announces its changes.
type announcing interface {
	// Wake delivers when something has changed; between deliveries the loop looks once a second, for the countdowns. While
	// it is nil, the loop looks at every frame.
	Wake() <-chan struct{}
}

// measuring is a Source that knows what nodes use.
type measuring interface {
	// Usage returns the last usage reading of a node, and on a cluster starts the next if it is due; nil if there is no such node, or
	// nothing of that kind.
	Usage(node string) *usage.Reading
}

// LiveSource is a Source connected to a cluster.
type LiveSource interface {
	announcing
	measuring
	// Shadows reports whether the engine only decides, and another scheduler binds the pods.
	Shadows() bool
	// Hold stops the engine, which another goroutine drives, while do runs.
	Hold(do func())
	// ReadOnlyReason returns why the cluster cannot be changed; empty if it can. Executor makes the changes.
	ReadOnlyReason() string
	Executor() actions.Executor
	// Access lists the missing read permissions as text. PodNamespace is the only namespace whose pods can be read;
	// empty for all.
	Access() string
	PodNamespace() string
	// Contexts are the names of the clusters that Dial can connect to. Dial does not run on the loop's goroutine; an
	// empty namespace means the context's own. The loop calls change to show the new cluster, then closeOld.
	Contexts() []string
	Dial(ctx context.Context, name, namespace string) (change func() (closeOld func()), err error)
}
